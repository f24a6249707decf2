import type { ApiClient, Page } from './api-client.ts'
import { atMost, type Benchmark, type Figures, figure } from './benchmark.ts'
import { type Payment, paymentOf } from './payments.ts'
import { createFilled } from './search.ts'

const TIMES = 40
const PAGE = 25
/** Pages that a person reads one after the other. */
const PAGES = 10
const STATUSES = ['CRIADO', 'EXECUTADO', 'LIQUIDADO'] as const

/** A page of payments, each with its three events, beside a page of single events. */
export function subjects(stored: number): Benchmark {
  return {
    name: 'subjects',
    what: `pages of ${PAGE} payments among ${stored} events of 1 KB, three a payment, beside pages of ${PAGE} events; p95 in ms of ${TIMES} answers each`,
    promises: [
      atMost(100, 'p95 of the newest payments', (r) => figure(r, 'payments'), 'ms'),
      atMost(100, 'p95 of a page of the slowest filter', (r) => figure(r, 'slowest'), 'ms'),
    ],
    async run(rounds, tell) {
      const payments = Math.ceil(stored / STATUSES.length)
      const filled = await createFilled(stored, (n) => eventOf(n, payments))
      try {
        // The first round compiles the code.
        for (let round = -1; round < rounds; round++) {
          const figures = await measure(filled.client, payments)
          if (round >= 0) tell({ ...figures, slowest: Math.max(...Object.values(figures)) })
        }
      } finally {
        await filled.stop()
      }
    },
  }
}

/** The events of a payment have some hundred others between them. */
function eventOf(n: number, payments: number): Payment {
  const step = n % STATUSES.length
  const payment = Math.max(0, Math.floor(n / STATUSES.length) - 40 * step)
  return { ...paymentOf(payment, payments), status: STATUSES[step] ?? '' }
}

async function measure(client: ApiClient, payments: number): Promise<Figures> {
  const listed: Readonly<Record<string, (payment: Payment) => string>> = {
    events: () => '/v1/events?order=desc&include=deliveries',
    payments: () => '/v1/subjects?',
    status: () => '/v1/subjects?status=LIQUIDADO',
    person: ({ document }) => `/v1/subjects?person=${document}`,
    name: ({ name, surname }) => `/v1/subjects?search=${encodeURIComponent(`${name} ${surname}`)}`,
    common: () => '/v1/subjects?search=loja',
  }
  const took = new Map(Object.keys(listed).map((name) => [name, [] as number[]]))
  for (let time = 0; time < TIMES; time++)
    for (const [name, pathOf] of Object.entries(listed)) {
      const path = `${pathOf(paymentOf((time * 7919) % payments, payments))}&limit=${PAGE}`
      // A page further back at each time, as with "older".
      let after = ''
      for (let page = 0; page < (time % PAGES) + 1; page++) {
        const startedAt = performance.now()
        const { next, more } = await client.get<Page>(`${path}${after}`)
        took.get(name)?.push(performance.now() - startedAt)
        if (!more) break
        after = `&after=${next}`
      }
    }
  return Object.fromEntries([...took].map(([name, ms]) => [name, p95(ms)]))
}

function p95(ms: readonly number[]): number {
  const sorted = ms.toSorted((a, b) => a - b)
  return Math.round((sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN) * 10) / 10
}
