import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from '../../domain/event.ts'
import type {
  NotificationTokenReads,
  NotificationTokenWrites,
  SettledToken,
  TokenOutcome,
  WaitingToken,
  WaitingTokenQuery,
} from '../../domain/service/notification-token.ts'
import type { createEntryReader } from '../../domain/service/token-entry.ts'
import { messageOf } from '../../platform/errors.ts'
import { createHold } from './hold.ts'
import { createQueryBudget, type QueryBudget } from './query-budget.ts'
import type { ResolvingLog } from './resolving-log.ts'
import {
  answeredOutcomes,
  askForEntries,
  type FetchEntries,
  failedOutcome,
  releasedOutcome,
  type TokenFailure,
} from './token-query.ts'

/** The settings of an environment at this time. */
export interface ResolvingSettings {
  /** null: no client of the service is configured, so no query succeeds. */
  readonly client: {
    /** Queries of a UTC day; null: unlimited. */
    readonly dailyBudget: number | null
  } | null
  readonly resolveWithinMs: number
}

export interface WorkerParts {
  readonly store: Pick<
    NotificationTokenReads & NotificationTokenWrites,
    'listWaitingTokens' | 'settleToken' | 'takeBudget'
  >
  readonly fetchEntries: FetchEntries
  readonly settings: () => ResolvingSettings
  readonly readEntry: ReturnType<typeof createEntryReader>
  readonly onSettled: (settled: SettledToken, at: number) => void
  readonly now: () => number
  readonly random: () => number
  readonly log: ResolvingLog
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

/** Queries at the same time, and how many of them may be repeated ones: tokens that were not asked for yet never wait behind those. */
const SLOTS = 16
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

export function startEnvironmentWorker(environment: Environment, parts: WorkerParts): EnvironmentWorker {
  const { store, fetchEntries, settings, readEntry, onSettled, now, random, log } = parts
  const stopping = new AbortController()
  const { signal } = stopping
  /** By the number of the job. */
  const underWay = new Map<number, Promise<void>>()
  const lateAnswers = createLateAnswers()
  const hold = createHold(SLOTS, { now, random })
  const fresh = createQueryBudget(environment, { store, now })
  const budgets = { fresh, repeats: createQueryBudget(environment, { store, now, fresh }) }
  let repeatsUnderWay = 0
  let overdueCheckedAt: number | null = null
  /** Why jobs wait that were not asked for. */
  let problem = 'the service was not asked in time'
  let isWoken = false
  /** Ends when the answers before have been stored. Only `inTurn` changes it. */
  let lastTurn: Promise<void> = Promise.resolve()
  let resting = new AbortController()

  function wake(): void {
    isWoken = true
    resting.abort()
  }

  async function rest(ms: number): Promise<void> {
    if (isWoken) return
    resting = new AbortController()
    await sleep(Math.min(ms, LONGEST_REST_MS), undefined, { signal: resting.signal }).catch(() => undefined)
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      isWoken = false
      await rest(await pass().catch(storeFailed))
    }
    await Promise.all(underWay.values())
  }

  function storeFailed(error: unknown): number {
    problem = messageOf(error)
    log.delayed(environment, problem)
    hold.failed(hold.current(), null)
    return hold.remainingMs()
  }

  /** Begins the queries that are due. @returns how long there is nothing more to do, in ms */
  async function pass(): Promise<number> {
    await releaseOverdue()
    if (hold.remainingMs() > 0) return hold.remainingMs()
    const { client } = settings()
    const isUsedUp = (budget: QueryBudget) => client !== null && budget.isUsedUp(client.dailyBudget)
    if (isUsedUp(budgets.fresh) && isUsedUp(budgets.repeats)) return LONGEST_REST_MS
    const fresh = isUsedUp(budgets.fresh) ? [] : await listDue(true, PAGE)
    const repeats = isUsedUp(budgets.repeats) ? [] : await listDue(false, PAGE)
    const hasMore = await beginInTurns(fresh, repeats)
    if (hold.remainingMs() > 0) return hold.remainingMs()
    return hasMore ? 0 : untilNextDue()
  }

  /** Every other turn is one of a repeated query. @returns whether more of the fresh ones can begin now */
  async function beginInTurns(fresh: readonly WaitingToken[], repeats: readonly WaitingToken[]): Promise<boolean> {
    const waiting = [...repeats]
    let [canBegin, canRepeat] = [true, true]
    for (let turn = 0; turn < PAGE; turn++) {
      const token = fresh[turn]
      if (token !== undefined && canBegin) canBegin = await beginIn(budgets.fresh, token)
      const repeat = canRepeat && repeatsUnderWay < REPEAT_SLOTS ? waiting.shift() : undefined
      if (repeat !== undefined) canRepeat = await beginIn(budgets.repeats, repeat)
    }
    return fresh.length === PAGE && canBegin
  }

  async function listDue(isFresh: boolean, limit: number): Promise<WaitingToken[]> {
    return (await listOthers({ dueBy: now(), isFresh }, limit)).slice(0, limit)
  }

  /** Jobs without a query under way, also without those whose query ended during the read, which may show them as they were before. */
  async function listOthers(query: Omit<WaitingTokenQuery, 'environment'>, limit: number): Promise<WaitingToken[]> {
    const begun = new Set(underWay.keys())
    const found = await store.listWaitingTokens({ environment, ...query }, limit + begun.size)
    return found.filter(({ id }) => !begun.has(id))
  }

  /** Returns false if no query of such a job may begin now. */
  async function beginIn(budget: QueryBudget, token: WaitingToken): Promise<boolean> {
    await freePlace()
    return (await takeBudget(budget)) && begin(token)
  }

  async function freePlace(): Promise<void> {
    while (underWay.size >= hold.slots()) await Promise.race(underWay.values())
  }

  async function takeBudget(budget: QueryBudget): Promise<boolean> {
    const { client } = settings()
    if (signal.aborted || hold.remainingMs() > 0) return false
    if (client === null || (await budget.take(client.dailyBudget))) return true
    problem = 'the daily budget of queries is used up'
    log.budgetUsedUp(environment, client.dailyBudget)
    return false
  }

  function begin(token: WaitingToken): boolean {
    const repeats = token.attempts === 0 ? 0 : 1
    repeatsUnderWay += repeats
    const ended = query(token)
      .catch(storeFailed)
      .then(() => {
        underWay.delete(token.id)
        repeatsUnderWay -= repeats
        wake()
      })
    underWay.set(token.id, ended)
    return true
  }

  async function query(token: WaitingToken): Promise<void> {
    const begunIn = hold.current()
    const answer = settings().client === null ? NO_CLIENT : await askForEntries(fetchEntries, token, signal)
    if (signal.aborted) return
    if ('entries' in answer) {
      const earlier = lateAnswers.of(token)
      const outcomes = answeredOutcomes(token, { ...answer, earlier, now: now(), readEntry })
      await inTurn(() => settleAll(token, outcomes))
    } else {
      if (!answer.isAboutToken) {
        problem = answer.reason
        hold.failed(begunIn, answer.retryAfterMs)
        log.heldBack(environment, answer.reason, hold.remainingMs())
      }
      await settle(token, failedOutcome(token, answer.reason, circumstances(answer)))
      if (!answer.isAboutToken) return
    }
    if (hold.succeeded()) log.resumed(environment)
  }

  /** One answer at a time is stored: a large one must not fill the memory and the writer's queue beside others. */
  function inTurn(store: () => Promise<void>): Promise<void> {
    const turn = lastTurn.then(store)
    lastTurn = turn.catch(() => undefined)
    return turn
  }

  async function settleAll(token: WaitingToken, outcomes: Iterable<TokenOutcome>): Promise<void> {
    for (const outcome of outcomes) {
      if (signal.aborted) return
      await settle(token, outcome)
    }
  }

  async function settle(token: WaitingToken, outcome: TokenOutcome): Promise<void> {
    const settled = await store.settleToken(outcome)
    lateAnswers.settled(token, outcome, settled)
    if (settled.eventIds.length > 0) onSettled(settled, outcome.at)
    log.settled(token, outcome, settled)
  }

  /** Makes events of the tokens that have waited too long, while they cannot be asked for. Otherwise their own queries do so, if they fail. */
  async function releaseOverdue(): Promise<void> {
    const at = now()
    if (canAskForAll() || (overdueCheckedAt !== null && Math.abs(at - overdueCheckedAt) < OVERDUE_EVERY_MS)) return
    overdueCheckedAt = at
    let found: WaitingToken[]
    do {
      found = await listOverdue(at)
      await Promise.all(found.map((token) => settle(token, releasedOutcome(token, token.lastError ?? problem, now()))))
    } while (found.length >= OVERDUE_PAGE && !signal.aborted)
  }

  function canAskForAll(): boolean {
    const { client } = settings()
    const isUsedUp = (budget: QueryBudget) => client !== null && budget.isUsedUp(client.dailyBudget)
    return hold.remainingMs() === 0 && !isUsedUp(budgets.fresh) && !isUsedUp(budgets.repeats)
  }

  /** Those under way settle themselves. */
  function listOverdue(at: number): Promise<WaitingToken[]> {
    return listOthers({ waitingSinceBy: at - settings().resolveWithinMs }, OVERDUE_PAGE)
  }

  async function untilNextDue(): Promise<number> {
    const [next] = await listOthers({}, 1)
    if (next === undefined) return LONGEST_REST_MS
    // A job that is due already waits for a place, which wakes this worker, or for the budget.
    const waitMs = next.nextAttemptAt - now()
    return waitMs > 0 ? waitMs : RECHECK_MS
  }

  function circumstances({ isAboutToken }: TokenFailure) {
    return { isAboutToken, now: now(), resolveWithinMs: settings().resolveWithinMs, random: random() }
  }

  const running = run()
  return {
    wake,
    renewed() {
      hold.succeeded()
      wake()
    },
    async stop() {
      stopping.abort()
      wake()
      await running
    },
  }
}

/** Counts the answers that did not end a job, since its latest callback. A restart begins at 0, which costs two queries. */
function createLateAnswers() {
  const counts = new Map<number, { readonly version: number; readonly count: number }>()
  const of = ({ id, version }: WaitingToken) => {
    const known = counts.get(id)
    return known?.version === version ? known.count : 0
  }
  return {
    of,
    settled(token: WaitingToken, { error, at }: TokenOutcome, { nextAttemptAt }: SettledToken): void {
      if (nextAttemptAt === null) counts.delete(token.id)
      // A job that is due at once has more entries, or a callback joined it.
      else if (error === null && nextAttemptAt > at)
        counts.set(token.id, { version: token.version, count: of(token) + 1 })
    },
  }
}
