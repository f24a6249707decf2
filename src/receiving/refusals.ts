import {
  type NewRefusal,
  PROBE_WINDOW_MS,
  type RefusalBatch,
  type RefusalCode,
  type RefusedCaller,
  type RefusingListener,
} from '../domain/refusal.ts'
import type { Store } from '../domain/store.ts'
import { guarded } from '../platform/background.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { addressOf, type RemoteEnd } from '../tls/remote-address.ts'
import { lineOf, newRefusal } from './new-refusal.ts'
import { createOwnConnections, type OwnConnections } from './own-connections.ts'
import { createMinutes } from './refusal-minutes.ts'

/**
 * Reports a refused caller. `describe` is called at once, and only if the refusal is recorded, because a flood of refusals must cost little.
 * `caller`: its connection, or its address where no command of our own can be the caller.
 * Identified callers are recorded within limits of their own, so that a flood of others hides none of their refusals.
 */
export type OnRefused = (caller: RemoteEnd | string, describe: () => RefusedCaller, isIdentified?: boolean) => void

/** Records refusals. No function throws or waits, except `close`. */
export interface Refusals {
  on(listener: RefusingListener): OnRefused
  /** Whose refusals are not reported. */
  readonly own: OwnConnections
  /** A callback from this address was stored. A refusal without a certificate shortly before was the service's probe. */
  markProbe(remoteAddress: string): void
  /** Writes waiting refusals. */
  close(): Promise<void>
}

export interface RefusalsOptions {
  readonly store: Pick<Store, 'recordRefusals' | 'listRefusals'>
  readonly log: Log
  readonly now: () => number
  /** Called for every refusal; with the code `left_out` where the reason was not determined. */
  readonly onCounted?: (listener: RefusingListener, code: RefusalCode) => void
  /** Called for every refusal that is recorded one by one. */
  readonly onRecorded?: (refusal: NewRefusal) => void
}

/** Limits of refusals that are recorded one by one for a listener. The rest is counted, so that a scan cannot fill the disk or the log. */
const PER_MINUTE = 240
const PER_MINUTE_AND_ADDRESS = 60
/** Refusals within this time share a commit. */
const WRITE_DELAY_MS = 300
const WAITING = 1000
const REMEMBERED_ADDRESSES = 1000

export async function openRefusals({ store, log, now, onCounted, onRecorded }: RefusalsOptions): Promise<Refusals> {
  const own = createOwnConnections()
  const withoutCertificate = await recentlyWithoutCertificate(store, now())
  /** `keep` and `markProbe` add to these two, `write` takes all. */
  let waiting: NewRefusal[] = []
  let probes: RefusalBatch['probes'][number][] = []
  /** Of `writeSoon`, for the next batch. */
  let timer: NodeJS.Timeout | undefined
  /** The batch under way. */
  let writing: Promise<void> | undefined
  const { currentMinute, leaveOut, ...minutes } = createMinutes({ log, now, keep })

  const writeInTime = guarded(log, 'recording refusals', () => write())

  function refuse(listener: RefusingListener, ...[caller, describe, isIdentified]: Parameters<OnRefused>): void {
    if (typeof caller !== 'string' && own.has(caller)) return
    const remoteAddress = typeof caller === 'string' ? caller : addressOf(caller)
    const minute = currentMinute(listener, isIdentified)
    const ofAddress = minute.byAddress.get(remoteAddress) ?? 0
    if (minute.recorded >= PER_MINUTE || ofAddress >= PER_MINUTE_AND_ADDRESS) {
      leaveOut(minute, remoteAddress, 1)
      onCounted?.(listener, 'left_out')
      return
    }
    minute.recorded++
    minute.byAddress.set(remoteAddress, ofAddress + 1)
    const refusal = newRefusal({ ...describeSafely(describe), remoteAddress }, listener, now())
    log.warn(lineOf(refusal), 'caller.refused')
    onCounted?.(listener, refusal.code)
    onRecorded?.(refusal)
    if (refusal.code === 'no_certificate') remember(remoteAddress)
    keep(refusal)
  }

  function keep(refusal: NewRefusal): void {
    if (waiting.length >= WAITING) countLost([refusal])
    else waiting.push(refusal)
    writeSoon()
  }

  function writeSoon(): void {
    if (writing === undefined) timer ??= setTimeout(writeInTime, WRITE_DELAY_MS).unref()
  }

  /** One batch at a time. Refusals that the store does not accept are lost and counted. */
  async function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const batch = { refusals: waiting, probes }
    if (batch.refusals.length === 0 && batch.probes.length === 0) return
    waiting = []
    probes = []
    writing = store.recordRefusals(batch).then(
      (marked) => {
        if (marked > 0)
          log.info({ refusals: marked, addresses: batch.probes.map((p) => p.address) }, 'probe.recognized')
      },
      (error: unknown) => {
        log.warn({ refusals: batch.refusals.length, error: messageOf(error) }, 'refusals.not_recorded')
        countLost(batch.refusals)
        for (const { address } of batch.probes) remember(address)
      },
    )
    await writing
    writing = undefined
    if (waiting.length > 0 || probes.length > 0) writeSoon()
  }

  function countLost(lost: readonly NewRefusal[]): void {
    for (const { listener, remoteAddress, count } of lost) leaveOut(currentMinute(listener), remoteAddress, count)
  }

  function remember(address: string): void {
    withoutCertificate.delete(address)
    withoutCertificate.add(address)
    const [oldest] = withoutCertificate
    if (withoutCertificate.size > REMEMBERED_ADDRESSES && oldest !== undefined) withoutCertificate.delete(oldest)
  }

  return {
    own,
    on:
      (listener) =>
      (...refused) =>
        refuse(listener, ...refused),
    markProbe(remoteAddress) {
      // Runs for every callback.
      if (withoutCertificate.size === 0 || !withoutCertificate.delete(remoteAddress)) return
      probes.push({ address: remoteAddress, since: now() - PROBE_WINDOW_MS })
      writeSoon()
    },
    async close() {
      minutes.endAll()
      await writing
      await write()
      clearTimeout(timer)
      minutes.stop()
    },
  }
}

/** The service may probe before a restart and call after it. */
async function recentlyWithoutCertificate(store: RefusalsOptions['store'], now: number): Promise<Set<string>> {
  const refusedFrom = now - PROBE_WINDOW_MS
  const { refusals } = await store.listRefusals({ codes: ['no_certificate'], refusedFrom }, REMEMBERED_ADDRESSES)
  return new Set(refusals.filter(({ isProbe }) => !isProbe).map(({ remoteAddress }) => remoteAddress))
}

/** Untrusted callers choose the described data, so an error while reading it must not end the process. */
function describeSafely(describe: () => RefusedCaller): RefusedCaller {
  try {
    return describe()
  } catch (error) {
    return { code: 'handshake_failed', reason: `its data cannot be read: ${messageOf(error)}` }
  }
}
