import { setTimeout as wait } from 'node:timers/promises'
import { partsOf } from '../../domain/realm.ts'
import { getChargeRecord, putChargeMetadata } from '../../service/charge-resource.ts'
import type { ServiceClient } from '../../service/client.ts'
import { ServiceFailure } from '../../service/failure.ts'
import type { Change, Moved, MoveReport } from './move-report.ts'
import { isSameUrl, masked } from './own-addresses.ts'

export interface MoveOptions {
  readonly client: ServiceClient
  readonly change: Change
  /** Only records whose address begins with this; null: any. */
  readonly oldUrl: string | null
  /** A record without an address stays as it is. */
  readonly isOnlyMoving: boolean
  readonly isDryRun: boolean
  readonly report: MoveReport
  /** Resolves when the next request may begin. */
  readonly turn: () => Promise<void>
  readonly onMoved: (moved: Moved) => Promise<void>
}

/** A 429 that lasts longer than the client waits: the id is tried again so often. */
const RATE_LIMITED_TRIES = 10
/** After so many ids without an answer the service is down. */
const SILENT_IDS = 5

/**
 * Changes the metadata of one id after the other, and notes each outcome.
 * @throws ServiceFailure that concerns every id, and the last one of several without an answer: the rest stays for another run
 */
export async function moveAll(ids: readonly string[], options: MoveOptions): Promise<void> {
  let silent = 0
  for (const id of ids) {
    if (options.report.isDone(id)) continue
    const moved = await patiently(() => moveOne(id, options)).catch((error: unknown) => failedWith(error, id, options))
    if (moved.outcome.result !== 'would_change') options.report.add(moved.outcome)
    await options.onMoved(moved.outcome)
    silent = moved.failure !== null && isSilence(moved.failure) ? silent + 1 : 0
    if (moved.failure !== null && silent >= SILENT_IDS) throw moved.failure
  }
}

interface Tried {
  readonly outcome: Moved
  readonly failure: ServiceFailure | null
}

async function moveOne(id: string, options: MoveOptions): Promise<Tried> {
  const { client, turn, isDryRun } = options
  const { resource, url, customId } = options.change
  await turn()
  const { notificationUrl: before } = await getChargeRecord(client, resource, id)
  const outcome = (result: Moved['result'], reason: string | null = null): Tried => ({
    outcome: { ...base(id, options), result, before: masked(before), reason },
    failure: null,
  })
  const reason = reasonToSkip(before, options)
  if (reason !== null) return outcome('skipped', reason)
  if (url !== null && before !== null && isSameUrl(before, url) && customId === null) return outcome('already')
  if (isDryRun) return outcome('would_change')
  await turn()
  const metadata = {
    ...(url !== null && { notification_url: url }),
    ...(customId !== null && { custom_id: customId }),
  }
  await putChargeMetadata(client, resource, { id, metadata })
  return outcome('changed')
}

function reasonToSkip(before: string | null, { oldUrl, isOnlyMoving }: MoveOptions): string | null {
  if (before === null) return isOnlyMoving || oldUrl !== null ? 'the record has no address' : null
  return oldUrl !== null && !before.startsWith(oldUrl) ? 'the record has another address than --old-url' : null
}

/** Waits as long as the service says, beyond the patience of a single call. */
async function patiently<T>(move: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await move()
    } catch (error) {
      const isLimited = error instanceof ServiceFailure && error.code === 'rate_limited' && tries < RATE_LIMITED_TRIES
      if (!isLimited) throw error
      await wait(Math.max(1000, error.retryAfterMs ?? 0))
    }
  }
}

/** The failure as the outcome of its id. @throws it where it concerns every id */
function failedWith(error: unknown, id: string, options: MoveOptions): Tried {
  if (!(error instanceof ServiceFailure) || isOfEveryId(error)) throw error
  const unknown = error.isOutcomeUnknown ? 'unknown whether the service has changed it: ' : ''
  const outcome: Moved = {
    ...base(id, options),
    result: 'failed',
    before: null,
    reason: `${unknown}${error.message}`,
  }
  return { outcome, failure: error }
}

function base(id: string, { change: { resource, realm } }: MoveOptions) {
  return { resource, ...partsOf(realm), id }
}

/** Credentials, certificate, address: the next id would fail in the same way. */
function isOfEveryId({ code, isFinal }: ServiceFailure): boolean {
  return code === 'rate_limited' || (isFinal && code !== 'refused')
}

function isSilence({ code }: ServiceFailure): boolean {
  return code !== 'refused'
}
