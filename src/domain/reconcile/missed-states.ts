import type { ToldState } from './answers.ts'
import { type KnownSubject, lastStatus, rankOf } from './subjects.ts'

/** A state that is to become an event, and the last status before it. */
export interface MissedState {
  readonly told: ToldState
  readonly previous: string | null
}

/**
 * The states of an answer that are not known, in their order. Of a single state only a more advanced one than the last is news; entries of a token tell
 * the steps between, too.
 */
export function missedStates(
  told: readonly ToldState[],
  rowOf: (subject: string) => KnownSubject | undefined,
): MissedState[] {
  const statuses = new Map<string, readonly string[]>()
  return told.flatMap((state) => {
    const { type, subject, status } = state
    const known = statuses.get(subject) ?? rowOf(subject)?.statuses ?? []
    const previous = lastStatus({ type, statuses: known })
    if (known.includes(status)) return []
    const isBehind = previous !== null && rankOf(type, status) <= rankOf(type, previous)
    if (isBehind && state.content.sort !== 'entry') return []
    statuses.set(subject, [...known, status])
    return [{ told: state, previous }]
  })
}
