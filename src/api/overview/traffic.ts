import { z } from 'zod'
import type { Destination } from '../../domain/destination.ts'
import type { HourSumReads } from '../../domain/overview/hour-sums.ts'
import { barsOf, SPANS, type SummedSeries, seriesOf } from '../../domain/overview/traffic-spans.ts'
import { partsOf } from '../../domain/realm.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { iso } from '../../platform/time.ts'
import { endpoint } from '../http/endpoint.ts'
import { environment, institution, numbered, time } from '../http/schema-parts.ts'

export interface TrafficOptions {
  readonly store: HourSumReads & Pick<StoreReader, 'listDestinations'>
  readonly now: () => number
  /** Adds what was counted until now. */
  readonly sumUp: () => Promise<void>
}

const counts = z.array(z.int().min(0))

const trafficSchema = z
  .strictObject({
    span: z.enum(SPANS),
    starts: z.array(time).describe('When each bar begins; it ends where the next one begins, the last one now'),
    callbacks: z
      .array(
        z
          .strictObject({
            kind: z.string(),
            institution,
            environment,
            accepted: counts.describe('Callbacks of each bar that were answered with 200'),
            failed: counts.describe('Callbacks that were answered with 503'),
          })
          .meta({ id: 'KindTraffic' }),
      )
      .describe('Of each kind that had callbacks'),
    attempts: z
      .array(
        z
          .strictObject({
            destination: numbered('dst'),
            name: z.string(),
            owner: z.string().nullable().describe('Id of the client that owns it; null: the operator'),
            delivered: counts.describe('Attempts of each bar that delivered'),
            failed: counts.describe('Attempts that failed'),
          })
          .meta({ id: 'DestinationTraffic' }),
      )
      .describe('Of each destination to which something was sent, without removed ones'),
  })
  .meta({ id: 'Traffic', description: 'Callbacks and delivery attempts over time.' })

const querySchema = z.strictObject({
  span: z
    .enum(SPANS)
    .default('day')
    .describe('day: 24 hours; week: 7 days; quarter: 13 weeks; year: 52 weeks. Days are those of the gateway'),
})

export function showTraffic({ store, now, sumUp }: TrafficOptions) {
  return endpoint({
    method: 'get',
    access: ['operations.read'],
    tag: 'Operations',
    errors: 'problem',
    path: '/v1/traffic',
    summary: 'Show callbacks and delivery attempts over time',
    description:
      'Sums of hours, over all nodes. They are kept for 400 days. Those of other nodes are up to a minute old.',
    query: querySchema,
    answers: { 200: { description: 'The sums.', schema: trafficSchema } },
    async run({ query: { span } }) {
      await sumUp()
      const bars = barsOf(span, now())
      const [sums, destinations] = await Promise.all([
        store.listHourSums({ from: bars[0] as number, to: now() + 1 }),
        store.listDestinations(),
      ])
      const series = seriesOf(bars, sums)
      const attempts = destinations.flatMap((one) => series.filter(isOf(one)).map((own) => attemptsOf(one, own)))
      return { json: { span, starts: bars.map(iso), callbacks: series.flatMap(callbacksOf), attempts } }
    },
  })
}

function callbacksOf({ environment: realm, kind, succeeded, failed }: SummedSeries) {
  return realm === null ? [] : [{ kind, ...partsOf(realm), accepted: [...succeeded], failed: [...failed] }]
}

function isOf({ id }: Destination) {
  return ({ destinationId }: SummedSeries) => destinationId === id
}

function attemptsOf({ id, name, owner }: Destination, { succeeded, failed }: SummedSeries) {
  return { destination: `dst_${id}`, name, owner, delivered: [...succeeded], failed: [...failed] }
}
