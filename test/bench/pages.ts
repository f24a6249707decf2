import { PAGES } from '../../src/pages/pages.ts'
import type { Page } from './api-client.ts'
import { atMost, type Benchmark, type Figures, figure } from './benchmark.ts'
import { paymentOf } from './payments.ts'
import { createFilled, type Started } from './search.ts'
import { OPERATOR_TOKEN } from './site.ts'

const TIMES_EACH = 30

/** The search page as people use it, with another event each time. */
const SEARCHES: Readonly<Record<string, (payment: ReturnType<typeof paymentOf>) => string>> = {
  findId: ({ endToEndId }) => endToEndId,
  findDocument: ({ document }) => document,
  findNames: ({ name, surname }) => `${name} ${surname.split(' ')[1]}`,
  findAmount: ({ amount, name }) => `R$ ${amount.replace('.', ',')} ${name}`,
  findCommon: () => 'loja pagamento',
  findNothing: ({ txid }) => `${txid.slice(0, 20)}xyz`,
}

/** Every page with so many events of 1 KB, as the operator sees it, over HTTP. */
export function pages(stored: number): Benchmark {
  return {
    name: 'pages',
    what: `every page of /ui/ with ${stored} events, one after the other; p95 in ms of ${TIMES_EACH} answers each`,
    promises: [atMost(200, 'p95 of the slowest page', (r) => figure(r, 'slowest'), 'ms')],
    async run(rounds, tell) {
      const filled = await createFilled(stored)
      try {
        const session = await signIn(filled)
        const [newest] = (await filled.client.get<Page & { data: { id: string }[] }>('/v1/events?order=desc&limit=1'))
          .data
        const addresses = addressesOf(newest?.id ?? '', stored)
        // The first round compiles the code of each page.
        for (let round = -1; round < rounds; round++) {
          const figures = await measure(session, addresses)
          if (round >= 0) tell({ ...figures, slowest: Math.max(...Object.values(figures)) })
        }
      } finally {
        await filled.stop()
      }
    },
  }
}

type Ask = (path: string) => Promise<number>

/** Asks for a page below /ui, and returns how long its whole answer took, in ms. @throws for another status than 200 */
async function signIn({ served }: Started): Promise<Ask> {
  const origin = `http://127.0.0.1:${served.apiPort}`
  const signedIn = await fetch(`${origin}/ui/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin, 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ id: '', secret: OPERATOR_TOKEN, next: '/ui/' }),
  })
  const cookie = signedIn.headers
    .getSetCookie()
    .map((text) => text.split(';')[0])
    .join('; ')
  return async function ask(path) {
    const startedAt = performance.now()
    const response = await fetch(`${origin}/ui${path}`, { headers: { cookie }, redirect: 'manual' })
    await response.text()
    if (response.status !== 200) throw new Error(`/ui${path}: ${response.status}`)
    return performance.now() - startedAt
  }
}

/** By name: the nth address of each page. */
function addressesOf(event: string, stored: number): Readonly<Record<string, (n: number) => string>> {
  const shown = PAGES.map(({ page }) => page.path)
    .filter((path) => !/:(?!id)/.test(path) && (!path.includes(':') || path.startsWith('/events/')))
    .map((path) => [path, () => path.replace(':id', event)] as const)
  const searches = Object.entries(SEARCHES).map(
    ([name, make]) =>
      [name, (n: number) => `/?search=${encodeURIComponent(make(paymentOf((n * 7919) % stored, stored)))}`] as const,
  )
  return Object.fromEntries([...shown, ...searches, ['findStatus', () => '/?status=NAO_REALIZADO']])
}

/** The pages take turns. */
async function measure(ask: Ask, addresses: ReturnType<typeof addressesOf>): Promise<Figures> {
  const took = new Map<string, number[]>(Object.keys(addresses).map((name) => [name, []]))
  for (let n = 0; n < TIMES_EACH; n++)
    for (const [name, addressOf] of Object.entries(addresses)) took.get(name)?.push(await ask(addressOf(n)))
  return Object.fromEntries([...took].map(([name, ms]) => [name, p95(ms)]))
}

function p95(ms: readonly number[]): number {
  const sorted = ms.toSorted((a, b) => a - b)
  return Math.round((sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN) * 10) / 10
}
