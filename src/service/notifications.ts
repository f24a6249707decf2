import { elementsOf, isArrayAt, locate, type Span } from '../platform/json-text.ts'
import { membersOf } from './answer.ts'
import { garbage } from './call.ts'
import type { ServiceAnswer, ServiceClient } from './client.ts'

/** More entries are no answer of the service: those of six months, at some sixty a day. */
const MOST_ENTRIES = 10_000

/** A status change behind a notification token. */
export interface NotificationEntry {
  /** Rises from 1 per token. */
  readonly id: number
  /** The entry as the service wrote it. */
  readonly bytes: Uint8Array
  readonly json: Readonly<Record<string, unknown>>
}

/**
 * `GET /v1/notification/:token` (service-decisions.md, Callbacks as seen in the field): the entries by ascending id, each once. A failure is not repeated
 * here, because each query counts in the day's budget.
 * @throws ServiceFailure; `refused` with status 404 for a token that the account does not have, `garbage` for an answer of another shape
 */
export async function getNotification(
  client: ServiceClient,
  token: string,
  signal?: AbortSignal,
): Promise<readonly NotificationEntry[]> {
  const path = `/v1/notification/${encodeURIComponent(token)}`
  const answer = await client.request('charges', {
    method: 'GET',
    path,
    isRepeatable: false,
    ...(signal && { signal }),
  })
  const array = dataOf(answer.bytes)
  if (array === null) return fail(client, answer, 'without the array data')
  const elements = membersOf(answer.json).data as readonly unknown[]
  if (elements.length > MOST_ENTRIES) return fail(client, answer, `with more than ${MOST_ENTRIES} entries`)
  const byId = new Map<number, NotificationEntry>()
  for (const [index, span] of elementsOf(answer.bytes, array).entries()) {
    const entry = entryOf(answer.bytes, span, elements[index])
    if (entry === null) return fail(client, answer, `with an entry (number ${index + 1}) that has no id from 1`)
    // The first of equal ids: it may be an event already.
    if (!byId.has(entry.id)) byId.set(entry.id, entry)
  }
  return [...byId.values()].sort((a, b) => a.id - b.id)
}

function dataOf(bytes: Uint8Array): Span | null {
  const array = locate(bytes, { start: 0, end: bytes.length }, ['data'])
  return array !== null && isArrayAt(bytes, array) ? array : null
}

function entryOf(bytes: Uint8Array, { start, end }: Span, value: unknown): NotificationEntry | null {
  const json = membersOf(value)
  const { id } = json
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1) return null
  return { id, json, bytes: bytes.slice(start, end) }
}

function fail({ environment }: ServiceClient, { status }: ServiceAnswer, text: string): never {
  throw garbage({ environment, on: 'charges' }, status, `answered a notification token ${text}`)
}
