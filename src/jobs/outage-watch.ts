/**
 * Each process has a row with its signs of life, so the next one finds the time in which none ran. What callbacks of that time, and of times of 503, may be
 * lost, and until when the service sends them again, is computed when it is shown; the event of an outage is stored once, also over restarts.
 */

import { uptime } from 'node:os'
import type { OwnEvent } from '../domain/event.ts'
import type { RaisedWarning } from '../domain/event-record.ts'
import type { Realm } from '../domain/realm.ts'
import {
  downSince,
  type GatewayRun,
  isToRaise,
  type JudgedOutage,
  OUTAGES_KEPT_MS,
  type Outage,
  type OutageRules,
  openOutages,
  outageEvent,
  RUNS_LOOKED_AT,
  SHORTEST_OUTAGE_MS,
  windowView,
} from '../domain/reconcile/outages.ts'
import type { Store } from '../domain/store.ts'
import { guarded } from '../platform/background.ts'
import type { Log } from '../platform/log.ts'
import { iso, isoOrNull } from '../platform/time.ts'
import { oneBehind } from '../platform/turns.ts'
import { createRefusingTime, type RefusingTime, type RefusingTimeOptions } from './refusing-time.ts'

export interface OutageWatchOptions extends RefusingTimeOptions {
  readonly store: Pick<
    Store,
    | 'beginRun'
    | 'continueRun'
    | 'listRuns'
    | 'beginOutage'
    | 'endOutage'
    | 'raiseOutage'
    | 'outageReconciled'
    | 'listOutages'
  >
  /** As they are now: a reload changes them. */
  readonly rules: () => OutageRules
  /** Name of this node; empty: the only one. */
  readonly node: string
  /** Of the events. */
  readonly environment: Realm
  /** The event of an outage was stored, with pending deliveries to these destinations. */
  readonly onRaised: (event: OwnEvent, raised: RaisedWarning) => void
  /** Whether this process raises events, where others run, too; default: no other does. */
  readonly isMine?: (() => boolean) | undefined
  /** False: how long no gateway ran is found out later. */
  readonly isClockPlausible: () => boolean
  /** A clock in ms that is never set, and goes on while the machine or the process sleeps; default that of the system. */
  readonly elapsed?: () => number
  readonly log: Log
  /** How often it looks; default 10 s. */
  readonly intervalMs?: number
}

export interface OutageWatch {
  /** As in RefusingTime. */
  readonly answered: RefusingTime['answered']
  /** Outages that are not over, the newest first. */
  open(): readonly JudgedOutage[]
  /** Ended outages for which the service was not asked yet, the newest first. */
  toReconcile(): readonly Outage[]
  /** The service was asked for what this outage may have lost. @throws what the store does */
  reconciled(id: number): Promise<void>
  /** Called each time that `toReconcile` has more. */
  onFound(listener: () => void): void
  /** Looks now. Never rejects: what fails is tried again. */
  check(): Promise<void>
  /** The same, without waiting for it. */
  wake(): void
  /** The last sign of life. */
  stop(): Promise<void>
}

const INTERVAL_MS = 10_000
const SIGN_EVERY_MS = 60_000

/** Shows life from now on, and has looked once when it returns. Never rejects. */
export async function startOutageWatch(options: OutageWatchOptions): Promise<OutageWatch> {
  const { store, rules, node, isMine, isClockPlausible, now, log } = options
  const { elapsed = () => uptime() * 1000 } = options
  const refusing = createRefusingTime(options)
  const listeners: (() => void)[] = []
  const startedAt = elapsed()
  /** `showLife` alone changes them. */
  let run: { readonly id: number; readonly seenAt: number; readonly shownAt: number } | null = null
  /** `findDown` sets it, once it has found out how long no gateway ran before this one. */
  let isStartJudged = false
  /** As `read` found them last. */
  let outages: readonly Outage[] = []
  /** True for ever after `stop`. */
  let isStopped = false

  async function showLife(): Promise<void> {
    const shownAt = elapsed()
    if (run === null) {
      run = { id: await store.beginRun(node, now()), seenAt: now(), shownAt }
      return
    }
    if (shownAt - run.shownAt < SIGN_EVERY_MS) return
    const seenAt = now()
    if (shownAt - run.shownAt > SIGN_EVERY_MS + SHORTEST_OUTAGE_MS) await foundDown(run.seenAt, seenAt, run.id)
    await store.continueRun(run.id, seenAt, false)
    run = { ...run, seenAt, shownAt }
  }

  /** Runs that began after this one do not count: of several nodes that start together, one finds the outage. */
  async function findDown(): Promise<void> {
    if (isStartJudged || run === null || !isClockPlausible()) return
    const { id } = run
    const startTime = now() - Math.round(elapsed() - startedAt)
    const earlier = (await store.listRuns(RUNS_LOOKED_AT)).filter((one) => one.id < id)
    const since = downSince(earlier, startTime)
    const going = (await store.listOutages(startTime)).filter(isGoingOn)
    // They may be of another node that lives.
    if (!earlier.some((one) => isLiving(one, startTime) && one.node !== node))
      refusing.adopt(going.map((one) => one.id))
    // One that goes on since before covers it.
    if (since !== null && !going.some(({ beganAt }) => beganAt <= since))
      await store.beginOutage({ beganAt: since, endedAt: startTime, cause: 'down' })
    isStartJudged = true
  }

  /** The process, or its machine, slept. */
  async function foundDown(from: number, through: number, ownId: number): Promise<void> {
    const others = (await store.listRuns(RUNS_LOOKED_AT)).filter(({ id }) => id !== ownId)
    if (through - from <= SHORTEST_OUTAGE_MS || others.some(({ endedAt, seenAt }) => (endedAt ?? seenAt) > from)) return
    await store.beginOutage({ beganAt: from, endedAt: through, cause: 'down' })
  }

  async function read(): Promise<void> {
    const before = new Set(toReconcile().map(({ id }) => id))
    outages = await store.listOutages(now() - OUTAGES_KEPT_MS)
    if (toReconcile().some(({ id }) => !before.has(id))) for (const listener of listeners) listener()
  }

  async function raiseDue(): Promise<void> {
    if (isMine?.() === false) return
    const all = openOutages(outages, { ...rules(), isReconciled: true }, now())
    const due = all.filter((outage) => isToRaise(outage, now()))
    for (const outage of due) await raise(outage, options)
    if (due.length > 0) await read()
  }

  function open(): readonly JudgedOutage[] {
    const unstored = refusing.unstored()
    const all = unstored === null ? outages : [{ ...NOT_STORED, ...unstored }, ...outages]
    return openOutages(all, rules(), now())
  }

  function toReconcile(): readonly Outage[] {
    return outages.filter(({ endedAt, reconciledAt }) => endedAt !== null && reconciledAt === null)
  }

  const look = oneBehind(async () => {
    if (isStopped) return
    refusing.look()
    await showLife()
    await findDown()
    await refusing.store()
    await read()
    await raiseDue()
  })
  const lookGuarded = guarded(log, 'watching for outages', look)

  async function check(): Promise<void> {
    lookGuarded()
    await look().catch(() => undefined)
  }

  const timer = setInterval(lookGuarded, options.intervalMs ?? INTERVAL_MS).unref()
  await check()
  return {
    answered: refusing.answered,
    open,
    toReconcile,
    async reconciled(id) {
      await store.outageReconciled(id, now())
      await read()
    },
    onFound(listener) {
      listeners.push(listener)
    },
    check,
    wake: lookGuarded,
    async stop() {
      isStopped = true
      clearInterval(timer)
      // After the one under way.
      await look()
      const ends = [refusing.store(), run === null ? null : store.continueRun(run.id, now(), true)]
      // Without its last sign of life, the outage seems to have begun up to a minute earlier.
      await Promise.allSettled(ends)
    },
  }
}

async function raise(
  outage: JudgedOutage,
  {
    store,
    environment,
    onRaised,
    now,
    log,
  }: Pick<OutageWatchOptions, 'store' | 'environment' | 'onRaised' | 'now' | 'log'>,
): Promise<void> {
  const { id, cause, beganAt, endedAt, windows } = outage
  const event = outageEvent(outage, environment, now())
  const raised = await store.raiseOutage(id, event)
  if (raised === null) return
  const times = { beganAt: iso(beganAt), endedAt: isoOrNull(endedAt) }
  log.warn({ cause, ...times, windows: windows.map(windowView), eventId: raised.eventId }, 'service.outage')
  onRaised(event, raised)
}

const NOT_STORED = { id: 0, cause: 'refusing', raisedAt: null, reconciledAt: null } as const

function isLiving({ endedAt, seenAt }: GatewayRun, now: number): boolean {
  return endedAt === null && now - seenAt <= SHORTEST_OUTAGE_MS
}

function isGoingOn({ endedAt, cause }: Outage): boolean {
  return endedAt === null && cause === 'refusing'
}
