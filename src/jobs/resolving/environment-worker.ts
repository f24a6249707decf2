import type { Realm } from '../../domain/realm.ts'
import type { NotificationTokenReads, WaitingToken } from '../../domain/service/notification-token.ts'
import { createOutcomeStore, type OutcomeStoreOptions } from './outcome-store.ts'
import { createQueryPermits, type PermitsOptions, type QueryKind } from './query-permits.ts'
import { startRounds } from './rounds.ts'
import { askForEntries, type FetchEntries, type TokenFailure } from './token-query.ts'
import { createWaitingJobs } from './waiting-jobs.ts'

export type WorkerParts = PermitsOptions &
  OutcomeStoreOptions & {
    readonly store: Pick<NotificationTokenReads, 'listWaitingTokens'>
    readonly fetchEntries: FetchEntries
    /** False: another process asks for tokens; default true. */
    readonly isMine?: (() => boolean) | undefined
  }

/** The jobs of one environment. */
export interface EnvironmentWorker {
  /** Looks for due jobs now. */
  wake(): void
  /** The same, and ends a hold after failures. */
  renewed(): void
  /** Aborts queries under way: their jobs wait as before. */
  stop(): Promise<void>
}

/** How many queries under way may be repeated ones: tokens that were not asked for yet never wait behind those. */
const REPEAT_SLOTS = 8
const PAGE = 64
const LONGEST_REST_MS = 60_000
const OVERDUE_EVERY_MS = 10_000
const OVERDUE_PAGE = 100

const RECHECK_MS = 5_000

const NO_CLIENT: TokenFailure = {
  reason: 'the section service of the configuration has no charges interface for this environment',
  isAboutToken: true,
  retryAfterMs: null,
}

export function startEnvironmentWorker(environment: Realm, parts: WorkerParts): EnvironmentWorker {
  const { store, fetchEntries, settings, isMine = () => true, now } = parts
  const stopping = new AbortController()
  const { signal } = stopping
  const permits = createQueryPermits(environment, parts)
  const jobs = createWaitingJobs(environment, { store, onEnded: () => rounds.wake() })
  const outcomes = createOutcomeStore(parts, signal)
  /** Only `releaseOverdue` changes it. */
  let overdueCheckedAt: number | null = null

  /** Begins the queries that are due. @returns how long there is nothing more to do, in ms */
  async function round(): Promise<number> {
    if (!isMine()) return LONGEST_REST_MS
    await releaseOverdue()
    if (permits.heldMs() > 0) return permits.heldMs()
    if (permits.isUsedUp('fresh') && permits.isUsedUp('repeats')) return LONGEST_REST_MS
    const hasMore = await beginInTurns(await listDue('fresh'), await listDue('repeats'))
    if (permits.heldMs() > 0) return permits.heldMs()
    return hasMore ? 0 : untilNextDue()
  }

  /** Empty where the budget is used up. In turns where more are due than one round begins, because that reads all of them. */
  async function listDue(kind: QueryKind): Promise<WaitingToken[]> {
    if (permits.isUsedUp(kind)) return []
    const due = { dueBy: now(), isFresh: kind === 'fresh' }
    const first = await jobs.list(due, PAGE)
    return first.length < PAGE ? first : jobs.list({ ...due, inTurns: true }, PAGE)
  }

  /** Every other turn is one of a repeated query. @returns whether more of the fresh ones can begin now */
  async function beginInTurns(fresh: readonly WaitingToken[], repeats: readonly WaitingToken[]): Promise<boolean> {
    const waiting = [...repeats]
    let [canBegin, canRepeat] = [true, true]
    let begun = 0
    for (let turn = 0; turn < PAGE; turn++) {
      const token = fresh[turn]
      if (token !== undefined && canBegin && !permits.isSenderUsedUp(token.sender)) {
        canBegin = await begin('fresh', token)
        if (canBegin) begun++
      }
      const repeat = canRepeat && jobs.countUnderWay('repeats') < REPEAT_SLOTS ? waiting.shift() : undefined
      if (repeat !== undefined) canRepeat = await begin('repeats', repeat)
    }
    return fresh.length >= PAGE && canBegin && begun > 0
  }

  /** Returns false if no query of this kind may begin now. */
  async function begin(kind: QueryKind, token: WaitingToken): Promise<boolean> {
    await jobs.freeSlot(permits.slots)
    if (signal.aborted || !isMine() || !(await permits.take(kind, token.sender))) return false
    jobs.begun(token, ask(token).catch(permits.storeFailed))
    return true
  }

  async function ask(token: WaitingToken): Promise<void> {
    const begunIn = permits.current()
    const answer = settings().client === null ? NO_CLIENT : await askForEntries(fetchEntries, token, signal)
    if (signal.aborted) return
    if ('entries' in answer) await outcomes.answered(token, answer.entries)
    else {
      if (!answer.isAboutToken) permits.failed(begunIn, answer)
      await outcomes.failed(token, answer)
      if (!answer.isAboutToken) return
    }
    permits.succeeded()
  }

  /** Makes events of the tokens that have waited too long, while they cannot be asked for. Otherwise their own queries do so, if they fail. */
  async function releaseOverdue(): Promise<void> {
    const at = now()
    if (canAskForAll() || (overdueCheckedAt !== null && Math.abs(at - overdueCheckedAt) < OVERDUE_EVERY_MS)) return
    overdueCheckedAt = at
    let found: WaitingToken[]
    do {
      // Those under way settle themselves.
      found = await jobs.list({ waitingSinceBy: at - settings().resolveWithinMs }, OVERDUE_PAGE)
      await Promise.all(found.map((token) => outcomes.released(token, token.lastError ?? permits.problem())))
    } while (found.length >= OVERDUE_PAGE && !signal.aborted)
  }

  function canAskForAll(): boolean {
    return permits.heldMs() === 0 && !permits.isAnyUsedUp()
  }

  async function untilNextDue(): Promise<number> {
    const [next] = await jobs.list({}, 1)
    if (next === undefined) return LONGEST_REST_MS
    // A job that is due already waits for a slot, which wakes this worker, or for the budget.
    const waitMs = next.nextAttemptAt - now()
    return waitMs > 0 ? waitMs : RECHECK_MS
  }

  const rounds = startRounds(async () => Math.min(await round().catch(permits.storeFailed), LONGEST_REST_MS), signal)
  return {
    wake: rounds.wake,
    renewed() {
      permits.renewed()
      rounds.wake()
    },
    async stop() {
      stopping.abort()
      await rounds.ended
      await jobs.ended()
    },
  }
}
