import { setTimeout as sleep } from 'node:timers/promises'
import type { Realm } from '../../domain/realm.ts'
import type { Answered, Questions } from '../../jobs/reconcile/questions.ts'
import type { ServiceClient } from '../../service/client.ts'
import { isAboutSubject, ServiceFailure } from '../../service/failure.ts'
import { getNotification } from '../../service/notifications.ts'
import { askChargeRecord, askOpening, askPayment, askPaymentSummary } from '../../service/questions.ts'
import { askStatement } from '../../service/statement.ts'
import type { ServiceClients } from '../service-clients.ts'

/** The service takes some 30 s for a statement (Document 1, endpoints 7 and 8). */
const STATEMENT_WAIT_MS = 30_000
const STATEMENT_TRIES = 4
/** Instant payments that the account received. */
const RECEIVED = 'pixRecebido'

/** Asks the service what it has of a subject. @param segment `api.servicePathSegment` */
export function createServiceQuestions(clients: Pick<ServiceClients, 'of'>, segment: string): Questions {
  async function answered<T>(environment: Realm, ask: (client: ServiceClient) => Promise<T>): Promise<Answered<T>> {
    const client = clients.of(environment)
    if (client === null)
      return { failure: { reason: NO_CLIENT, isAboutSubject: false, isFinal: true, retryAfterMs: null } }
    try {
      return { answer: await ask(client) }
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error
      return {
        failure: {
          reason: error.message,
          isAboutSubject: isAboutSubject(error),
          isFinal: error.isFinal,
          retryAfterMs: error.retryAfterMs,
        },
      }
    }
  }

  return {
    payment: (environment, id, signal) => answered(environment, (client) => askPayment(client, id, signal)),
    summary: (environment, first, last, signal) =>
      answered(environment, (client) => askPaymentSummary(client, first, last, signal)),
    opening: (environment, id, signal) => answered(environment, (client) => askOpening(client, id, signal)),
    record: (environment, type, id, signal) =>
      answered(environment, (client) => askChargeRecord(client, type, id, signal)),
    entries: (environment, token, signal) => answered(environment, (client) => entriesOf(client, token, signal)),
    received: (environment, day, signal) =>
      answered(environment, (client) => countReceived(client, segment, day, signal)),
  }
}

async function entriesOf(client: ServiceClient, token: string, signal: AbortSignal) {
  try {
    const entries = await getNotification(client, token, signal)
    return { sort: 'entries', entries: entries.map(({ id, bytes }) => ({ entryId: id, bytes })) } as const
  } catch (error) {
    if (error instanceof ServiceFailure && error.code === 'refused' && error.status === 404)
      return { sort: 'unknown' } as const
    throw error
  }
}

async function countReceived(
  client: ServiceClient,
  segment: string,
  day: string,
  signal: AbortSignal,
): Promise<number> {
  for (let tries = 1; ; tries++) {
    const answer = await askStatement(client, { segment, day, records: [RECEIVED] }, signal)
    if (answer.sort === 'told') return answer.kinds.get(RECEIVED)?.count ?? 0
    if (tries === STATEMENT_TRIES) throw notReady(client, day)
    await sleep(STATEMENT_WAIT_MS, undefined, { signal })
  }
}

function notReady({ environment }: ServiceClient, day: string): ServiceFailure {
  const words = `the service has not made the statement of ${day} within two minutes: it is asked for again later`
  return new ServiceFailure('garbage', words, { environment, on: 'account' })
}

const NO_CLIENT = 'the section service has no entry for this environment'
