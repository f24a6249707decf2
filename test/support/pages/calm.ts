import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'yaml'
import { until } from '../until.ts'
import { ORDINARY } from './callbacks.ts'
import type { PreparedSite } from './prepared-site.ts'

const SHIPPED = resolve(import.meta.dirname, '../../../config/development.yaml')

/** Of the configuration that `npm start` uses. */
export function shippedKinds(): Record<string, { path: string }> {
  return parse(readFileSync(SHIPPED, 'utf8')).callbacks.kinds
}

/** An installation without a problem: callbacks of the shipped kinds, all delivered. */
export async function furnishCalmly({ ask, send, createDestination }: PreparedSite): Promise<{ eventOf: EventOf }> {
  const paths = Object.values(shippedKinds()).map(({ path }) => path)
  await createDestination('books', { status: 200 })
  await createDestination('erp', { status: 200 }, { kinds: ['charge'] })
  // One after the other, so that lists have one order.
  for (const callback of ORDINARY) if (paths.includes(callback.path)) await send([callback])
  for (const consumer of ['books', 'reports']) await ask('POST', `/v1/consumers/${consumer}/batches`, { limit: 5 })
  await until(
    async () => (await ask('GET', '/v1/deliveries?state=pending')).data as unknown[],
    (pending) => pending.length === 0,
    20_000,
  )
  await until(
    () => ask('GET', '/v1/search'),
    ({ lagEvents }) => lagEvents === 0,
  )
  const { data: events } = (await ask('GET', '/v1/events?limit=1000')) as { data: { id: string; subject: string }[] }
  return { eventOf: (subject) => events.find((event) => event.subject === subject)?.id ?? '' }
}

type EventOf = (subject: string) => string
