import type { Destination } from '../../domain/destination.ts'
import type { Fact } from '../../domain/event.ts'
import { bodyOfState, type SettledAnswer, type SubjectAnswer, type ToldState } from '../../domain/reconcile/answers.ts'
import { type MissedState, missedStates } from '../../domain/reconcile/missed-states.ts'
import type { KnownSubject } from '../../domain/reconcile/subjects.ts'
import { type CallbackWriter, summaryOf } from '../storing/callback-writer.ts'
import type { ReconciledFacts } from '../storing/reconciled-facts.ts'
import type { TokenJobs } from '../storing/token-jobs.ts'
import { subjectAsked, subjectTold } from './known-subjects.ts'

/** Subjects of the kind and environment of an answer, as all events up to now have left them. Inside the transaction. */
export interface SubjectRows {
  get(subject: string): KnownSubject | undefined
  set(row: KnownSubject): void
}

/** Inside the transaction. */
export type SettleAnswer = (
  answer: SubjectAnswer,
  rows: SubjectRows,
  destinations: readonly Destination[],
) => SettledAnswer

export function createAnswerSettling({
  callbacks,
  reconciled,
  tokens,
}: {
  readonly callbacks: Pick<CallbackWriter, 'storeReconciled'>
  readonly reconciled: Pick<ReconciledFacts, 'find'>
  readonly tokens: Pick<TokenJobs, 'hasEntry' | 'addEntries'>
}): SettleAnswer {
  /** Although the row of its subject says nothing of it: that was removed, or is full. */
  function isEvent({ kind, environment }: SubjectAnswer, { subject, status, token, content }: ToldState): boolean {
    if (reconciled.find(environment, { kind, subject, status }) !== null) return true
    return content.sort === 'entry' && token !== null && tokens.hasEntry(environment, token, content.entryId)
  }

  function store(answer: SubjectAnswer, missed: readonly MissedState[], destinations: readonly Destination[]) {
    const { kind, environment, at } = answer
    return missed.map(({ told, previous }) => {
      const fact = factOf(kind, told)
      const body = bodyOfState(told, previous)
      return { fact, ...callbacks.storeReconciled({ environment, at, fact, body }, destinations) }
    })
  }

  return function settleAnswer(answer, rows, destinations) {
    const { environment, at, told, asked } = answer
    const fresh = told.filter((state) => !isEvent(answer, state))
    const missed = missedStates(fresh, rows.get)
    const stored = store(answer, missed, destinations)
    for (const state of told) rows.set(subjectTold(rows.get(state.subject), answer, state, at))
    for (const [token, entryIds] of entriesOf(told)) tokens.addEntries(environment, token, entryIds)
    const news = new Set(missed.map(({ told: { subject } }) => subject))
    for (const { subject } of asked) {
      const row = rows.get(subject)
      if (row !== undefined) rows.set(subjectAsked(row, answer, news.has(subject)))
    }
    return {
      eventIds: stored.map(({ eventId }) => eventId),
      facts: stored.map(({ fact }) => summaryOf(fact)),
      destinationIds: stored.flatMap(({ destinationIds }) => destinationIds),
    }
  }
}

/** Of an event of this state. */
export function factOf(kind: string, { subject, status, references }: ToldState): Fact {
  const fact = { kind, subject, status, hash: null, span: null, part: 1, parts: 1 }
  return references === null ? fact : { ...fact, references }
}

/** The ids of the entries of each token. */
function entriesOf(told: readonly ToldState[]): Map<string, number[]> {
  const ids = new Map<string, number[]>()
  for (const { token, content } of told)
    if (token !== null && content.sort === 'entry') ids.set(token, [...(ids.get(token) ?? []), content.entryId])
  return ids
}
