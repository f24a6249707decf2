import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PAGE_ROWS } from '../../src/pages/frame/list-slices.ts'
import { hasChromium, startBrowser, visit } from '../support/browser.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { accessibilityFindings } from '../support/pages/axe.ts'
import { instantPayment } from '../support/pages/callbacks.ts'
import { refusedCall } from '../support/pages/furnish.ts'
import { type SignedIn, stateOf } from '../support/pages/people.ts'
import { type PreparedSite, prepareSite } from '../support/pages/prepared-site.ts'
import { until } from '../support/until.ts'

const TELEPHONE = { width: 390, height: 844 }
const SCREENS = 12
/** Destinations that answer, and refuse. */
const FAILING = 10
const ROWS = 100

/** Rows of lists that are long only after months: a hundred days are on one page. */
const CLONED: Readonly<Record<string, number>> = { gaps: ROWS, registrations: PAGE_ROWS, certificates: PAGE_ROWS }

const clonedTo = (rows: number) => `{
  for (const body of document.querySelectorAll('tbody'))
    for (let count = body.rows.length; count < ${rows}; count++) body.append(body.rows[0].cloneNode(true))
}`

/** Below /ui. */
const PAGES = [
  'destinations/dst_1?state=exhausted',
  'refusals',
  'replays',
  'gaps',
  '',
  '?view=events',
  'overview',
  'alarms',
  'destinations',
  'registrations',
  'consumers',
  'clients',
  'quarantine',
  'certificates',
  'audit',
]
describe.skipIf(!hasChromium || !hasOpenssl)('pages with a hundred rows, on a telephone', () => {
  let browser: Browser
  let prepared: PreparedSite
  let operator: SignedIn
  beforeAll(async () => {
    ;[browser, prepared] = await Promise.all([startBrowser(), prepareSite()])
    await prepared.createDestination('erp', { status: 422, body: 'unknown account' })
    await prepared.send(
      Array.from({ length: ROWS }, (_, n) => ({
        path: '/callbacks/payment',
        body: { identificador: `${90_000 + n}`, valor: '1.00', status: { atual: 'LIQUIDADO' } },
      })),
    )
    await until(
      () => prepared.ask('GET', '/v1/destinations/erp/stats'),
      ({ waiting, attempts }) => waiting === 0 && attempts >= ROWS,
    )
    for (let n = 0; n < ROWS; n++) await prepared.ask('POST', '/v1/replays', { destination: 'erp', mode: 'failed' })
    for (let n = 0; n < ROWS; n++) await refusedCall(prepared.gateway.callbacks.port, '/callbacks/payment')
    await addLists(prepared)
    operator = await stateOf(browser, prepared.baseURL, prepared.operator)
  })
  afterAll(async () => {
    await browser.close()
    await prepared.close()
  })

  const telephone = () => ({ baseURL: prepared.baseURL, storageState: operator, viewport: TELEPHONE })

  it.each(PAGES)('/%s is short enough', async (path) => {
    await visit(browser, telephone(), async (page) => {
      await page.goto(`/ui/${path}`)
      const rows = CLONED[path]
      if (rows !== undefined) await page.evaluate(clonedTo(rows))
      await expectShort(page)
      expect(await accessibilityFindings(page)).toEqual([])
    })
  })

  it('an event with a hundred deliveries is short enough, and so are all of their attempts', async () => {
    const [event] = (await prepared.ask('GET', '/v1/events?kind=charge')).data
    await visit(browser, telephone(), async (page) => {
      for (const path of [`events/${event.id}`, `events/${event.id}/deliveries`]) {
        await page.goto(`/ui/${path}`)
        await expectShort(page)
      }
    })
  })
})

async function expectShort(page: Page): Promise<void> {
  const height = (await page.evaluate('document.documentElement.scrollHeight')) as number
  expect(height / TELEPHONE.height).toBeLessThanOrEqual(SCREENS)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(TELEPHONE.width)
}

/** A hundred destinations that are paused or fail, with a delivery each, and a hundred rows of the other lists. */
async function addLists({ ask, send, createDestination, createClient }: PreparedSite): Promise<void> {
  for (let n = 0; n < ROWS; n++) {
    const name = `warehouse-${n}`
    await createDestination(name, { status: 500, body: 'the stock of this article is locked' }, { kinds: ['charge'] })
    if (n >= FAILING) await ask('POST', `/v1/destinations/${name}/pause`)
    await createClient(`app-${n}`, 'any', ['events.read', 'operations.read', 'support.read'])
    await ask('POST', `/v1/consumers/app-${n}/batches`, { limit: 1 })
  }
  await send(
    Array.from({ length: ROWS }, (_, n) => ({
      path: '/callbacks/instant-payment/pix',
      body: { pix: [instantPayment(`shop${n}`, '10.00', { nome: 'Maria' }, 'someone@else.example')] },
    })),
  )
  await send([{ path: '/callbacks/charge', body: { identificador: 'large-1', valor: '1.00' } }])
  await until(
    async () => (await ask('GET', '/v1/deliveries?state=exhausted&limit=1000')).data as { destinationName: string }[],
    (all) => all.filter(({ destinationName }) => destinationName.startsWith('warehouse')).length === FAILING,
  )
}
