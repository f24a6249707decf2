import type { Destination } from '../../domain/destination.ts'
import type { Fact, OwnEvent } from '../../domain/event.ts'
import type { RaisedWarning } from '../../domain/event-record.ts'
import type { Realm } from '../../domain/realm.ts'
import type { CallbackValues } from './event-rows.ts'
import type { EventWriter } from './event-writer.ts'
import type { ReconciledFacts } from './reconciled-facts.ts'

/** Events that no callback brought. Inside the transaction. */
export interface EventsWithoutCaller {
  /** An event of kind `operator`. */
  storeOwn(event: OwnEvent, destinations: readonly Destination[]): RaisedWarning
  /** An event that the service was asked for, because its callback had not come. */
  storeReconciled(event: ReconciledEvent, destinations: readonly Destination[]): RaisedWarning
}

export interface ReconciledEvent {
  readonly environment: Realm
  readonly at: number
  readonly fact: Fact
  readonly body: Uint8Array
}

type Values = Pick<CallbackValues, 'environment' | 'receivedAt' | 'authentication' | 'body'>

export function createEventsWithoutCaller(
  { insertCallback, insertEvent }: EventWriter,
  reconciled: Pick<ReconciledFacts, 'add'>,
): EventsWithoutCaller {
  /** With a callback of its own. */
  function store(values: Values, fact: Fact, destinations: readonly Destination[]) {
    const { environment, receivedAt } = values
    const callback = { ...WITHOUT_CALLER, ...values, kind: fact.kind, facts: [fact] }
    const targets = { destinations, at: receivedAt }
    const { position, id, deliveries } = insertEvent(
      { environment, receivedAt },
      insertCallback(callback, true),
      fact,
      targets,
    )
    return { position, raised: { eventId: id, destinationIds: deliveries.destinationIds } }
  }

  return {
    storeOwn({ environment, madeAt: receivedAt, subject, status, body }, destinations) {
      const fact: Fact = { kind: 'operator', subject, status, hash: null, span: null, part: 1, parts: 1 }
      return store({ environment, receivedAt, authentication: 'none', body: Buffer.from(body) }, fact, destinations)
        .raised
    },

    storeReconciled({ environment, at: receivedAt, fact, body }, destinations) {
      const values = { environment, receivedAt, authentication: 'service', body } as const
      const { position, raised } = store(values, fact, destinations)
      reconciled.add(environment, fact, position)
      return raised
    },
  }
}

const WITHOUT_CALLER = {
  listener: null,
  peer: null,
  remoteAddress: null,
  target: null,
  tlsVersion: null,
  cipher: null,
  contentType: 'application/json',
  headers: '[]',
  mark: null,
} as const satisfies Partial<CallbackValues>
