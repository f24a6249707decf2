import type { Destination } from '../../domain/destination.ts'
import type { EventSource, Fact } from '../../domain/event.ts'
import type { SettledToken, TokenEntry, TokenOutcome } from '../../domain/service/notification-token.ts'
import type { EventRows } from './event-rows.ts'
import type { CallbackRow, EventWriter } from './event-writer.ts'
import type { ReconciledFacts } from './reconciled-facts.ts'
import { newEntries, type TokenJobs, type WaitingJob } from './token-jobs.ts'

/** Inside the transaction. */
export type SettleToken = (outcome: TokenOutcome, destinations: readonly Destination[]) => SettledToken

const NOTHING: SettledToken = { eventIds: [], facts: [], destinationIds: [], nextAttemptAt: null }

export interface TokenSettlingParts {
  readonly writer: EventWriter
  readonly tokens: TokenJobs
  readonly rows: Pick<EventRows, 'countDuplicate'>
  readonly reconciled: Pick<ReconciledFacts, 'find'>
  /** What an event has beside its callback. */
  readonly insertBody: (position: number, source: EventSource, body: Uint8Array | null) => void
}

export function createTokenSettling({ writer, tokens, rows, reconciled, insertBody }: TokenSettlingParts): SettleToken {
  /** Those that are no event that the service was asked for; of the others counts one more. */
  function unknownOf({ environment }: WaitingJob, entries: readonly TokenEntry[], at: number): TokenEntry[] {
    return entries.filter((entry) => {
      const original = reconciled.find(environment, entry)
      if (original !== null) rows.countDuplicate(original, at)
      return original === null
    })
  }

  /** What became of a token's callback: events in the order of the answer. */
  function eventsOf(job: WaitingJob, outcome: TokenOutcome, entries: readonly TokenEntry[]): NewTokenEvent[] {
    const callbackRow = writer.findCallback(job.callbackId)
    const resolved = entries.map(({ entryId: _id, body, ...traits }): NewTokenEvent => {
      const callback = { ...callbackRow.callback, ...RESOLVED }
      return { source: 'resolved', callbackRow: { ...callbackRow, callback, body }, fact: factOf(traits) }
    })
    if (!outcome.isUnresolved || job.isUnresolved) return resolved
    const fact = factOf({ kind: callbackRow.callback.kind, subject: job.token, status: null })
    return [{ source: 'unresolved', callbackRow, fact }, ...resolved]
  }

  return function settleToken(outcome, destinations) {
    const { tokenId, at } = outcome
    const job = tokens.findWaiting(tokenId)
    if (job === null) return NOTHING
    const entries = newEntries(job, outcome.entries)
    const events = eventsOf(job, outcome, unknownOf(job, entries, at))
    const eventIds: string[] = []
    const destinationIds: number[] = []
    for (const { source, callbackRow, fact } of events) {
      const from = { environment: job.environment, receivedAt: at }
      const { position, id, deliveries } = writer.insertEvent(from, callbackRow, fact, { destinations, at })
      insertBody(position, source, source === 'resolved' ? callbackRow.body : null)
      eventIds.push(id)
      destinationIds.push(...deliveries.destinationIds)
    }
    const facts = events.map(({ fact: { kind, subject, status } }) => ({ kind, subject, status }))
    return { eventIds, facts, destinationIds, nextAttemptAt: tokens.settle(job, outcome, entries) }
  }
}

interface NewTokenEvent {
  readonly source: EventSource
  /** The token's callback; of a resolved event with the fields and the body that differ. */
  readonly callbackRow: CallbackRow
  readonly fact: Fact
}

/** The hashed fields of the callback that a resolved event replaces. `audit-rows.ts` reads them back in the same way. */
const RESOLVED = { authentication: 'service', contentType: 'application/json' } as const

function factOf(traits: Pick<Fact, 'kind' | 'subject' | 'status' | 'references'>): Fact {
  return { ...traits, hash: null, span: null, part: 1, parts: 1 }
}
