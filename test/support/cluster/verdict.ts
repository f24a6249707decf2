import type { Scene } from './faults.ts'
import type { PostgresPair } from './postgres-pair.ts'
import { type Arrival, arrivedOutOfOrder, type ClusterReceiver } from './receivers.ts'

/** Every list is empty for sound nodes. */
export interface Verdict {
  /** Acknowledged and not stored. */
  readonly lost: readonly string[]
  readonly storedTwice: readonly string[]
  /** Positions below the last one that no event and no removal has. */
  readonly missing: readonly number[]
  readonly undelivered: readonly string[]
  readonly outOfOrder: readonly string[]
  /** Came again, although no attempt is on record that a fault interrupted, and PostgreSQL had not forgotten the claim. */
  readonly repeated: readonly string[]
}

interface Stored {
  readonly key: string
  readonly position: number
}

/** Every event that is no operator's, in order. */
export async function storedEvents({ query }: PostgresPair): Promise<Stored[]> {
  const rows = await query<{ key: string; position: string }>(`
    select convert_from(c.body, 'UTF8')::jsonb->>'key' as key, e.id as position
    from events e join callbacks c on c.callback_id = e.callback_id where e.kind <> 'operator' order by e.id`)
  return rows.map(({ key, position }) => ({ key, position: Number(position) }))
}

/** A claim is not synced, nor is a lease of a consumer: a crash of PostgreSQL undoes what is so old at most. */
export const UNSYNCED_MS = 2000

export async function judge(
  postgres: PostgresPair,
  { callers: { sent }, receivers, crashes }: Pick<Scene, 'callers' | 'receivers' | 'crashes'>,
): Promise<Verdict> {
  const stored = await storedEvents(postgres)
  const byKey = Map.groupBy(stored, ({ key }) => key)
  const acknowledged = sent.filter(({ endedAt }) => endedAt !== null).map(({ key }) => key)
  const interruptions = await interruptionsOf(postgres)
  return {
    lost: acknowledged.filter((key) => !byKey.has(key)),
    storedTwice: [...byKey].filter(([, all]) => all.length > 1).map(([key]) => key),
    missing: await missingPositions(postgres),
    undelivered: receivers.flatMap(({ name, arrivals }) => {
      const accepted = new Set(arrivals.filter(({ isAccepted }) => isAccepted).map(({ position }) => position))
      return stored.filter(({ position }) => !accepted.has(position)).map(({ position }) => `${name}: ${position}`)
    }),
    outOfOrder: receivers.filter(({ order }) => order === 'subject').flatMap(arrivedOutOfOrder),
    repeated: receivers.flatMap((receiver) => repeatedBy(receiver, interruptions, crashes)),
  }
}

/** Accepted once more than interruptions and crashes explain. */
function repeatedBy(
  { name, arrivals }: ClusterReceiver,
  interruptions: ReadonlyMap<string, number>,
  crashes: readonly number[],
): string[] {
  const isForgotten = ({ at }: Arrival) => crashes.some((crash) => Math.abs(at - crash) < UNSYNCED_MS)
  const accepted = Map.groupBy(
    arrivals.filter(({ isAccepted }) => isAccepted),
    ({ position }) => position,
  )
  return [...accepted]
    .filter(([position, all]) => {
      const explained = (interruptions.get(`${name}: ${position}`) ?? 0) + all.filter(isForgotten).length
      return all.length - 1 > explained
    })
    .map(
      ([position, all]) => `${name}: ${position} came ${all.length} times, attempts ${all.map((one) => one.attempt)}`,
    )
}

/** By destination and position: how many attempts a fault interrupted. */
async function interruptionsOf({ query }: PostgresPair): Promise<Map<string, number>> {
  const rows = await query<{ name: string; position: string; count: string }>(`
    select t.name, d.event_id as position, count(*) as count
    from attempts a join deliveries d on d.id = a.delivery_id join destinations t on t.id = d.destination_id
    where a.error like 'interrupted%' group by 1, 2`)
  return new Map(rows.map(({ name, position, count }) => [`${name}: ${position}`, Number(count)]))
}

async function missingPositions({ query }: PostgresPair): Promise<number[]> {
  const rows = await query<{ position: string }>(`
    select number as position from head, generate_series(1, head.position) as number
    where not exists (select from events where id = number) and not exists (select from removed_events where position = number)`)
  return rows.map(({ position }) => Number(position))
}

/** Deliveries that have not ended. */
export async function waitingDeliveries({ query }: PostgresPair): Promise<number> {
  const [row] = await query<{ count: string }>("select count(*) from deliveries where state <> 'delivered'")
  return Number(row?.count)
}
