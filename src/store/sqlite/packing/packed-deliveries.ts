import type { AttemptOutcome, Claim, ClaimedDelivery } from '../../../domain/delivery.ts'

/**
 * Claims and outcomes on their way between main thread and writer: a row of values each, because JSON without names takes half of the CPU at both
 * ends. Bodies travel beside them, in the same order.
 */

type Bytes = Uint8Array

/** In place of the result of almost every outcome. */
const DELIVERED = 0

type Result = AttemptOutcome['result']

/** `answer` is the length of the response body. */
type OutcomeRow = readonly [
  deliveryId: number,
  attempt: number,
  startedAt: number,
  durationMs: number,
  status: number | null,
  answer: number,
  error: string | null,
  result: Exclude<Result, { readonly state: 'delivered' }> | typeof DELIVERED,
]

/** @param chunks gets the response bodies */
export function packOutcomes(outcomes: readonly AttemptOutcome[], chunks: Bytes[]): string {
  const rows = outcomes.map((outcome): OutcomeRow => {
    const { deliveryId, attempt, startedAt, durationMs, status, answer, error, result } = outcome
    if (answer.length > 0) chunks.push(answer)
    const packedResult = result.state === 'delivered' ? DELIVERED : result
    return [deliveryId, attempt, startedAt, durationMs, status, answer.length, error, packedResult]
  })
  return JSON.stringify(rows)
}

export function unpackOutcomes(text: string, take: (length: number) => Bytes): AttemptOutcome[] {
  return (JSON.parse(text) as OutcomeRow[]).map(
    ([deliveryId, attempt, startedAt, durationMs, status, answer, error, packedResult]) => {
      const result: Result = packedResult === DELIVERED ? { state: 'delivered' } : packedResult
      return { deliveryId, attempt, startedAt, durationMs, status, answer: take(answer), error, result }
    },
  )
}

type SentEvent = ClaimedDelivery['event']

type EventRow = readonly [
  id: string,
  kind: string,
  environment: SentEvent['environment'],
  authentication: SentEvent['authentication'],
  source: SentEvent['source'],
  subject: string | null,
  status: string | null,
  receivedAt: number,
  part: number,
  parts: number,
]

/** `body` is its length. */
type ClaimRow = readonly [
  deliveryId: number,
  destinationId: number,
  attempt: number,
  retriesUsed: number,
  dueAt: number,
  agesFrom: number,
  hasOrderKey: boolean,
  isBacklog: boolean,
  isReplay: boolean,
  contentType: string | null,
  loop: string | null,
  body: number,
  event: EventRow,
]

interface PackedClaim extends Omit<Claim, 'deliveries'> {
  readonly rows: readonly ClaimRow[]
}

/** Without the bodies of its deliveries. */
export function packClaim({ deliveries, ...rest }: Claim): string {
  return JSON.stringify({ ...rest, rows: deliveries.map(rowOf) } satisfies PackedClaim)
}

export function unpackClaim(text: string, take: (length: number) => Bytes): Claim {
  const { rows, ...rest } = JSON.parse(text) as PackedClaim
  return { ...rest, deliveries: rows.map((row) => deliveryOf(row, take)) }
}

function rowOf(delivery: ClaimedDelivery): ClaimRow {
  const { deliveryId, destinationId, attempt, retriesUsed, dueAt, agesFrom, body } = delivery
  const { hasOrderKey, isBacklog, isReplay, contentType, loop = null, event } = delivery
  const { id, kind, environment, authentication, source, subject, status, receivedAt, part, parts } = event
  return [
    deliveryId,
    destinationId,
    attempt,
    retriesUsed,
    dueAt,
    agesFrom,
    hasOrderKey,
    isBacklog,
    isReplay,
    contentType,
    loop,
    body.length,
    [id, kind, environment, authentication, source, subject, status, receivedAt, part, parts],
  ]
}

function deliveryOf(row: ClaimRow, take: (length: number) => Bytes): ClaimedDelivery {
  const [deliveryId, destinationId, attempt, retriesUsed, dueAt, agesFrom] = row
  const [, , , , , , hasOrderKey, isBacklog, isReplay, contentType, loop, bodyLength, eventRow] = row
  const [id, kind, environment, authentication, source, subject, status, receivedAt, part, parts] = eventRow
  const event = { id, kind, environment, authentication, source, subject, status, receivedAt, part, parts }
  const body = take(bodyLength)
  const delivery = {
    deliveryId,
    destinationId,
    attempt,
    retriesUsed,
    dueAt,
    agesFrom,
    hasOrderKey,
    isBacklog,
    isReplay,
    event,
    contentType,
    body,
  }
  return loop === null ? delivery : { ...delivery, loop }
}
