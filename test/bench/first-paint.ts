import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium } from 'playwright-core'
import { atMost, type Benchmark, type Figures, figure, median } from './benchmark.ts'
import { createFilled } from './search.ts'
import { OPERATOR_TOKEN } from './site.ts'

const EVENTS = 1000
const TIMES_EACH = 5
/** Beside the page of an event: many rows, two plots with their library, many charts, and most fields. */
const HEAVIEST = ['/', '/overview', '/traffic', '/destinations/new']
const CHROMIUM = '/usr/bin/chromium'
const PLAIN = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Plain</title><p>Plain text</p></html>'

/** The heaviest pages in a browser with an empty cache: how long until something is painted, against a page of one line from a bare server. */
export const firstPaint: Benchmark = {
  name: 'first-paint',
  what: `first contentful paint of the heaviest pages among ${EVENTS} events, cache empty; median in ms of ${TIMES_EACH} each`,
  needs: [CHROMIUM],
  promises: [atMost(3, 'the slowest page against a plain page', (r) => figure(r, 'slowest') / figure(r, 'plain'))],
  async run(rounds, tell) {
    const [filled, plain] = await Promise.all([createFilled(EVENTS), servePlain()])
    const isRoot = process.getuid?.() === 0
    const args = isRoot ? ['--no-sandbox'] : []
    const browser = await chromium.launch({ executablePath: CHROMIUM, chromiumSandbox: !isRoot, args })
    try {
      const origin = `http://127.0.0.1:${filled.served.apiPort}`
      await servedLike(plain, `${origin}/ui/`)
      const state = await signedIn(browser, origin)
      const newest = await filled.client.get<{ data: { id: string }[] }>('/v1/events?order=desc&limit=1')
      const addresses = [...HEAVIEST, `/events/${newest.data[0]?.id}`].map((path) => `${origin}/ui${path}`)
      for (let round = 0; round < rounds; round++)
        tell(await measure(browser, { state, plain: urlOf(plain), addresses }))
    } finally {
      await browser.close()
      plain.close()
      await filled.stop()
    }
  },
}

type State = Awaited<ReturnType<typeof signedIn>>

interface Measured {
  readonly state: State
  readonly plain: string
  readonly addresses: readonly string[]
}

/** The pages take turns with the plain one, so that what else the machine does slows both. */
async function measure(browser: Browser, { state, plain, addresses }: Measured): Promise<Figures> {
  const took = new Map([plain, ...addresses].map((address) => [address, [] as number[]]))
  for (let n = 0; n < TIMES_EACH; n++)
    for (const [address, times] of took) times.push(await paintOf(browser, address, state))
  const medians = [...took].map(([address, times]) => [address, rounded(median(times))] as const)
  const [, ...own] = medians.map(([address, ms]) => [new URL(address).pathname, ms] as const)
  return {
    plain: medians[0]?.[1] ?? Number.NaN,
    slowest: Math.max(...own.map(([, ms]) => ms)),
    ...Object.fromEntries(own),
  }
}

/** From the start of the navigation, in ms. */
async function paintOf(browser: Browser, address: string, storageState: State): Promise<number> {
  const context = await browser.newContext({ storageState })
  try {
    const page = await context.newPage()
    await page.goto(address)
    return await page.evaluate<number>(PAINTED)
  } finally {
    await context.close()
  }
}

const PAINTED = `new Promise((done) => new PerformanceObserver((list) => {
  const [entry] = list.getEntriesByName('first-contentful-paint')
  if (entry !== undefined) done(entry.startTime)
}).observe({ type: 'paint', buffered: true }))`

async function signedIn(browser: Browser, origin: string) {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.goto(`${origin}/ui/`)
    await page.locator('#secret').fill(OPERATOR_TOKEN)
    await page.keyboard.press('Enter')
    await page.locator('nav.pages').waitFor({ state: 'attached' })
    return await context.storageState()
  } finally {
    await context.close()
  }
}

async function servePlain(): Promise<Server> {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(PLAIN))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return server
}

/** With the headers of a page: what a browser does for them, such as starting a process of its own, is no matter of the page. */
async function servedLike(plain: Server, page: string): Promise<void> {
  const { headers } = await fetch(page)
  const policies = [...headers].filter(([name]) => /polic|^origin-agent/.test(name))
  plain.prependListener('request', (_, response) => {
    for (const [name, value] of policies) response.setHeader(name, value)
  })
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10
}
