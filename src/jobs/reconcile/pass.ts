import { setTimeout as sleep } from 'node:timers/promises'
import type { Realm } from '../../domain/realm.ts'
import type { SettledAnswer, SubjectAnswer } from '../../domain/reconcile/answers.ts'
import { missedStates } from '../../domain/reconcile/missed-states.ts'
import type { KnownSubject } from '../../domain/reconcile/subjects.ts'
import type { QuestionPurpose } from '../../domain/service/question-purpose.ts'
import type { Store } from '../../domain/store.ts'
import type { QuestionPermits } from './permits.ts'
import type { RunningProgress } from './progress.ts'
import type { Answered } from './questions.ts'
import type { ReconcileSettings, SettingsOf } from './settings.ts'
import { type QuestionParts, questionAbout } from './subject-questions.ts'
import { takeUpEvents } from './take-up.ts'

export interface PassParts {
  readonly store: Pick<
    Store,
    | 'listEvents'
    | 'subjectsThrough'
    | 'noteSubjects'
    | 'listOpenSubjects'
    | 'getKnownSubject'
    | 'settleAnswer'
    | 'countPayments'
    | 'keepUnknown'
  >
  readonly settingsOf: SettingsOf
  readonly questions: QuestionParts['questions']
  readonly readEntry: QuestionParts['readEntry']
  readonly now: () => number
  /** New events are committed, at that time. */
  readonly onStored: (environment: Realm, settled: SettledAnswer, at: number) => void
}

/** One time through an environment. */
export interface Pass extends PassParts {
  readonly environment: Realm
  readonly settings: ReconcileSettings
  readonly permits: QuestionPermits
  readonly progress: RunningProgress
  readonly isDryRun: boolean
  /** Only subjects known since then, in ms since 1970; null: all. */
  readonly since: number | null
  /** The local days whose payments are compared, and whose statements; both ends belong to it. */
  readonly days: { readonly first: string; readonly last: string }
  /** Only subjects whose next question is due by then; null: all that are asked for at all. */
  readonly dueBy: number | null
  /** Purposes that this pass asks nothing more for: their budget is used up, or only the operator can mend what is wrong. */
  readonly stopped: Set<QuestionPurpose | null>
  readonly signal: AbortSignal
}

/** The service may ask for a short wait, which a pass waits for. */
const LONGEST_WAIT_MS = 30_000
const PAGE = 200

/** A pass asks no more: the service is away, or the gateway stops. */
export function isOver({ permits, signal }: Pick<Pass, 'permits' | 'signal'>): boolean {
  return signal.aborted || permits.circuit.waitMs() > (permits.circuit.isAway() ? 0 : LONGEST_WAIT_MS)
}

/**
 * Asks one question, if the circuit and the budget permit it. null: it was not asked, or it failed; the counts of the pass tell.
 * @param purpose null: the question counts in no budget
 */
export async function askOnce<T>(
  pass: Pass,
  purpose: QuestionPurpose | null,
  ask: () => Promise<Answered<T>>,
): Promise<T | null> {
  const { permits, settings, progress, stopped, signal } = pass
  progress.planned++
  if (!isOver(pass) && !stopped.has(purpose)) await permits.pace(signal)
  await waitFor(pass)
  if (isOver(pass) || stopped.has(purpose)) {
    progress.left++
    return null
  }
  if (purpose !== null && !(await permits.take(purpose, settings))) {
    stopped.add(purpose)
    progress.left++
    return null
  }
  progress.asked++
  const asked = await ask()
  if (signal.aborted) return null
  if ('answer' in asked) {
    permits.circuit.succeeded()
    return asked.answer
  }
  const { reason, isAboutSubject, isFinal, retryAfterMs } = asked.failure
  progress.failed++
  progress.problem = reason
  if (isFinal) stopped.add(purpose)
  else if (isAboutSubject) permits.circuit.succeeded()
  else permits.circuit.failed(retryAfterMs)
  return null
}

/** While the service wants no questions for a short time. */
async function waitFor(pass: Pass): Promise<void> {
  const waitMs = pass.permits.circuit.waitMs()
  if (waitMs > 0 && !isOver(pass)) await sleep(waitMs, undefined, { signal: pass.signal }).catch(() => undefined)
}

/** At the beginning of a pass that does not wait for its turn: the next question shows whether the service is back. */
export async function waitForCircuit({ permits, signal }: Pick<Pass, 'permits' | 'signal'>): Promise<void> {
  const waitMs = Math.min(permits.circuit.waitMs(), LONGEST_WAIT_MS)
  if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => undefined)
}

/** Asks for every open subject of a kind, the newest first, a few at the same time. Counts those that are left. */
export async function askForSubjects(pass: Pass, kind: string): Promise<void> {
  const { store, environment, since, dueBy, permits } = pass
  const range = { kind, environment, ...(since !== null && { since }), ...(dueBy !== null && { dueBy }) }
  const tokens = new Set<string>()
  let after: KnownSubject | undefined
  for (;;) {
    const page = await store.listOpenSubjects({ ...range, ...(after && { after }) }, PAGE)
    pass.progress.subjects += page.length
    const waiting = page.filter((subject) => isNew(tokens, subject))
    while (waiting.length > 0)
      await Promise.all(waiting.splice(0, permits.circuit.slots()).map((subject) => askForSubject(pass, subject)))
    after = page.at(-1)
    if (after === undefined || page.length < PAGE || pass.signal.aborted) return
  }
}

/** A token is asked for once, whatever subjects it tells of. */
function isNew(tokens: Set<string>, { token }: KnownSubject): boolean {
  if (token === null) return true
  const isFirst = !tokens.has(token)
  tokens.add(token)
  return isFirst
}

export async function askForSubject(pass: Pass, subject: KnownSubject): Promise<void> {
  const { settings, questions, readEntry, now, signal, progress } = pass
  const { everyMs, giveUpAfterMs } = settings
  const parts = { questions, readEntry, schedule: { everyMs, giveUpAfterMs } }
  const { purpose, ask } = questionAbout(subject, !pass.stopped.has('notifications'), parts)
  const answer = await askOnce(pass, purpose, () => ask(now, signal))
  if (answer === null) return
  if (answer.lack === 'unknown') progress.unknown++
  if (answer.lack === 'undecided') progress.undecided++
  if (!pass.isDryRun) return settle(pass, answer)
  // Not added in one step: other questions count while this one waits.
  const missed = await countMissed(pass, answer)
  progress.found += missed
}

/** What a run that stores would store. */
async function countMissed({ store, environment }: Pass, { kind, told }: SubjectAnswer): Promise<number> {
  const known = new Map<string, KnownSubject>()
  for (const subject of new Set(told.map((state) => state.subject))) {
    const row = await store.getKnownSubject({ kind, environment, subject })
    if (row !== null) known.set(subject, row)
  }
  return missedStates(told, (subject) => known.get(subject)).length
}

async function settle(pass: Pass, answer: SubjectAnswer): Promise<void> {
  const { store, environment, progress, onStored, signal } = pass
  for (;;) {
    const settled = await store.settleAnswer(answer)
    if (settled !== null) {
      progress.found += settled.eventIds.length
      if (settled.eventIds.length > 0) onStored(environment, settled, answer.at)
      return
    }
    if (signal.aborted) return
    await takeUpEvents(pass, signal)
  }
}
