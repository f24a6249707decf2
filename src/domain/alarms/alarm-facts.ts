import type { DeliveryRecord } from '../delivery.ts'
import type { EventWithBody } from '../event-record.ts'
import { numberedId } from '../public-id.ts'
import { amountIn, type Decimal } from '../search/event-amount.ts'
import type { StoreReader } from '../store-reader.ts'
import { type Whereabouts, whereaboutsOf } from '../whereabouts.ts'
import { type Alarm, type AlarmCode, type AlarmReason, keyOfAlarm } from './alarm.ts'

/** What a person needs beside the reason to decide whether it can wait. Nothing of it tells whose payments they are. */
export interface AlarmFacts {
  /** null: nothing waits. */
  readonly waiting: Waiting | null
  /** Where the oldest delivery is that failed, or else that waits; null: there is none. */
  readonly oldest: Pick<Whereabouts, 'standing' | 'names' | 'status'> | null
  /** The latest attempt of a delivery that failed; null: none is known. */
  readonly lastAnswer: LastAnswer | null
}

export interface Waiting {
  /** Subjects with an amount: payments and charges. */
  readonly payments: number
  /** The sum of their newest amounts. */
  readonly cents: number
  /** Events about anything else. */
  readonly others: number
  /** More than `MOST_EVENTS` wait: these are the newest. */
  readonly isMore: boolean
}

export interface LastAnswer {
  /** HTTP; null: no answer came. */
  readonly status: number | null
  readonly error: string | null
  readonly at: number
}

const MOST_EVENTS = 1000
/** Alarms whose facts are read at a time. */
export const MOST_FACTS = 20
const OF_DESTINATIONS: readonly AlarmCode[] = ['backlog_old', 'circuit_open', 'destination_paused', 'subjects_held']

type Reader = Pick<StoreReader, 'listEvents' | 'listDeliveries' | 'listAttempts'>

/** Of open alarms that the store keeps, by `keyOfAlarm`. Of a name that destinations of two owners have, nothing is known. */
export async function readKeptFacts(
  store: Reader & Pick<StoreReader, 'listDestinations'>,
  alarms: readonly Alarm[],
): Promise<ReadonlyMap<string, AlarmFacts>> {
  const open = alarms.filter(({ code, endedAt }) => endedAt === null && OF_DESTINATIONS.includes(code))
  const destinations = open.length === 0 ? [] : await store.listDestinations()
  const facts = new Map<string, AlarmFacts>()
  for (const alarm of open.slice(0, MOST_FACTS)) {
    const [one, other] = destinations.filter(({ name }) => name === alarm.subject)
    const about = one === undefined || other !== undefined ? null : numberedId('dst', one.id)
    const read = await readAlarmFacts(store, { ...alarm, about })
    if (read !== null) facts.set(keyOfAlarm(alarm), read)
  }
  return facts
}

/** null: it is not about a destination. */
export async function readAlarmFacts(
  store: Reader,
  { code, about = null }: Pick<AlarmReason, 'code' | 'about'>,
): Promise<AlarmFacts | null> {
  const destinationId = Number(/^dst_(\d+)$/.exec(about ?? '')?.[1])
  if (about === null || !Number.isSafeInteger(destinationId)) return null
  const delivery = { destination: about, states: ['failing', 'waiting'] as const }
  const [page, failed, pending] = await Promise.all([
    store.listEvents({ delivery, newestFirst: true }, MOST_EVENTS),
    store.listDeliveries({ destinationId, state: code === 'subjects_held' ? 'exhausted' : 'failing' }, 1),
    store.listDeliveries({ destinationId, state: 'pending' }, 1),
  ])
  const [attempt] = failed[0] === undefined ? [] : await store.listAttempts(failed[0].deliveryId, 1)
  const oldest = failed[0] ?? pending[0]
  return {
    waiting: page.events.length === 0 ? null : sumOf(page.events, page.more),
    oldest: oldest === undefined ? null : whereOf(oldest),
    lastAnswer: attempt ? { status: attempt.status, error: attempt.error, at: attempt.startedAt } : null,
  }
}

/** Without the times: they have passed when the message is read. */
function whereOf(delivery: DeliveryRecord): AlarmFacts['oldest'] {
  const [where] = whereaboutsOf([{ ...delivery, nextAttemptAt: null, nextProbeAt: null }])
  return where ? { standing: where.standing, names: where.names, status: where.status } : null
}

/** Each subject counts once, with its newest amount: an event may be one without. @param events newest first */
function sumOf(events: readonly EventWithBody[], isMore: boolean): Waiting {
  const keyOf = ({ id, kind, environment, subject }: EventWithBody) =>
    subject === null ? id : JSON.stringify([kind, environment, subject])
  const amounts = [...Map.groupBy(events, keyOf).values()].map(newestAmount)
  const known = amounts.filter((amount) => amount !== null)
  const cents = known.reduce((sum, amount) => sum + Math.round(Number(amount) * 100), 0)
  return { payments: known.length, cents, others: amounts.length - known.length, isMore }
}

function newestAmount(events: readonly EventWithBody[]): Decimal | null {
  for (const event of events) {
    const amount = amountIn({ kind: event.kind, data: dataOf(event) })
    if (amount !== null) return amount
  }
  return null
}

function dataOf({ body }: EventWithBody): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'))
  } catch {
    return null
  }
}
