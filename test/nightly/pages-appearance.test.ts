import type { Browser, Page, Response } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, startBrowser, visit } from '../support/browser.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { ADDRESSES } from '../support/pages/addresses.ts'
import { appearanceFindings } from '../support/pages/appearance.ts'
import { accessibilityFindings } from '../support/pages/axe.ts'
import { MARKUP, payment } from '../support/pages/callbacks.ts'
import { furnish, type Known } from '../support/pages/furnish.ts'
import { showEvents } from '../support/pages/markup.ts'
import { type SignedIn, stateOf } from '../support/pages/people.ts'
import { type PreparedSite, prepareSite } from '../support/pages/prepared-site.ts'
import { until } from '../support/until.ts'

/** Pages that are no entry of the list. */
const OTHERS: Readonly<Record<string, string>> = {
  'no page': '/no-such-page',
  'an unknown event': '/events/evt_zz_0000000000',
}

/** Pages that show something else than at their plain address. */
const STATES: Readonly<Record<string, (known: Known) => string>> = {
  'a search with every filter set': () =>
    '/?search=1000001&deliveryState=exhausted&destination=erp&status=paid&kind=charge&environment=production&from=2026-01-01T00:00&to=2030-01-01T00:00',
  'a search that finds nothing': () => '/?search=nothing-like-this',
  'a list that is filtered': () => '/audit?target=dst_1&actor=operator',
  'a list of nothing': () => '/destinations?name=nothing-like-this',
  'deliveries that failed': ({ destinationOf }) => `/destinations/${destinationOf('erp')}?state=exhausted`,
  'a destination with a long name and address': ({ destinationOf }) => `/destinations/${destinationOf(LONG_NAME)}`,
  'an event with long values': ({ eventOf }) => `/events/${eventOf(LONG_SUBJECT)}`,
  'an event whose receiver answers at length': ({ eventOf }) => `/events/${eventOf('wordy-1')}`,
  'deliveries of an event whose receiver answers at length': ({ eventOf }) =>
    `/events/${eventOf('wordy-1')}/deliveries`,
  'deliveries of a receiver that answers at length': ({ destinationOf }) =>
    `/destinations/${destinationOf('wordy')}?state=exhausted`,
}

const LONG_NAME = 'reconciliation-of-the-accounts-of-the-head-office-in-production'
const LONG_SUBJECT = `payment-of-a-supplier-with-a-very-long-name-${'0123456789abcdef'.repeat(3)}`
const LONG_URL = `http://127.0.0.1:9/integration/${'tenants/7f3c2c1e-5a1b-4d36-9d6f-9b8b7e6f5a4c/'.repeat(5)}hooks?token=0123456789abcdef`

/** The longest that people and receivers really use: names, addresses, ids, payloads, and answers in every attempt. */
async function addLongData({ ask, send, createDestination, createClient }: PreparedSite): Promise<void> {
  await ask('POST', '/v1/destinations', { name: LONG_NAME, url: LONG_URL, kinds: ['settlement'] })
  await createDestination(
    'wordy',
    { status: 500, body: `<p>${'"An error & its <cause>" '.repeat(40_000)}` },
    { subjects: { exact: [], prefix: ['wordy-'] } },
  )
  await createClient(`${LONG_NAME.slice(0, 50)}-client`, 'any', ['events.read', 'operations.read', 'support.read'])
  await ask('POST', `/v1/consumers/${LONG_NAME.slice(0, 60)}/batches`, { limit: 1 })
  const wordy = [1, 2].map((number) => payment(`wordy-${number}`, 'LIQUIDADO', '10.00'))
  const large = { ...payment(LONG_SUBJECT, 'LIQUIDADO', '1234567890.12'), more: '"<&>\n'.repeat(100_000) }
  await send([...wordy, large].map((body) => ({ path: '/callbacks/payment', body })))
  await until(
    async () => (await ask('GET', '/v1/deliveries?destination=wordy&state=exhausted')).data as unknown[],
    (exhausted) => exhausted.length === wordy.length,
    60_000,
  )
}

const MAX_BYTES = 150_000
const [WIDE, TABLET, NARROW] = [
  { width: 1280, height: 800 },
  { width: 1024, height: 768 },
  { width: 390, height: 740 },
]

describe.skipIf(!hasChromium || !hasOpenssl)('every page in a browser', () => {
  let browser: Browser
  let prepared: PreparedSite
  let known: Known
  let operator: SignedIn
  beforeAll(async () => {
    ;[browser, prepared] = await Promise.all([startBrowser(), prepareSite()])
    await addLongData(prepared)
    ;[known, operator] = await Promise.all([furnish(prepared), stateOf(browser, prepared.baseURL, prepared.operator)])
  })
  afterAll(async () => {
    await browser.close()
    await prepared.close()
  })

  const addressOf = (path: string) => `/ui${(ADDRESSES[path] as (known: Known) => string)(known)}`
  const asOperator = <T>(options: object, use: (page: Page) => Promise<T>) =>
    visit(browser, { baseURL: prepared.baseURL, storageState: operator, viewport: WIDE, ...options }, use)

  it.each(Object.keys(ADDRESSES))(
    '%s: readable in light, in dark and on a telephone, small, and without a fault',
    async (path) => {
      await asOperator({}, async (page) => {
        const bytes = await bytesOf(page, () => page.goto(addressOf(path)))
        expect(await page.locator('h1').count()).toBe(1)
        await expectAccessible(page)
        expect(await page.evaluate('globalThis.harm')).toBeUndefined()
        expect(await markedTabs(page)).toEqual([1, 1])
        expect(bytes).toBeLessThan(MAX_BYTES)
      })
    },
  )

  it.each(Object.keys(STATES))(
    '%s: readable, without a word that is broken or a box that scrolls, and small',
    async (name) => {
      await asOperator({}, async (page) => {
        const bytes = await bytesOf(page, () => page.goto(`/ui${(STATES[name] as (known: Known) => string)(known)}`))
        await expectAccessible(page)
        expect(bytes).toBeLessThan(MAX_BYTES)
      })
    },
  )

  it.each(Object.keys(OTHERS))('%s: a page that says so, and leads back', async (name) => {
    await asOperator({ expected: [/404/] }, async (page) => {
      const response = await page.goto(`/ui${OTHERS[name]}`)
      expect(response?.status()).toBe(404)
      await expectAccessible(page)
      await page.getByRole('main').getByRole('link').first().click()
      await page.waitForURL('**/ui/')
    })
  })

  it('the sign-in: readable, and speaks the language of the browser', async () => {
    await visit(browser, { baseURL: prepared.baseURL, viewport: WIDE, locale: 'pt-BR' }, async (page) => {
      await page.goto('/ui/')
      expect(await page.locator('h1').innerText()).toBe('Entrar')
      expect(await page.locator('html').getAttribute('lang')).toBe('pt-BR')
      await expectAccessible(page)
    })
  })

  it('the API reference: readable, also without a script', async () => {
    await visit(browser, { baseURL: prepared.baseURL, viewport: WIDE }, async (page) => {
      await page.goto('/reference')
      await expectAccessible(page)
    })
    await visit(browser, { baseURL: prepared.baseURL, javaScriptEnabled: false }, async (page) => {
      await page.goto('/reference')
      await page.getByRole('link', { name: 'GET /v1/events', exact: true }).click()
      const operation = page.locator('section', { has: page.locator('#listEvents') })
      await operation.locator('summary', { hasText: 'Example' }).click()
      expect(await operation.locator('pre').innerText()).toContain('"LIQUIDADO"')
    })
  })

  it('markup, scripts and addresses in any payload are shown as text, and do nothing', async () => {
    await asOperator({}, async (page) => {
      const shown = await showEvents(page, prepared.baseURL, known.eventIds)
      for (const text of MARKUP.slice(0, 5)) expect(shown).toContain(text)
    })
  })

  it('every page speaks Portuguese to a browser that does, and English to every other, and both fit', async () => {
    const headings = (locale: string, tag: string) =>
      asOperator({ locale }, async (page) => {
        const all: string[] = []
        for (const path of Object.keys(ADDRESSES)) {
          await page.goto(addressOf(path))
          expect(await page.locator('html').getAttribute('lang')).toBe(tag)
          expect(await appearanceFindings(page), `${page.url()} in ${locale}`).toEqual([])
          all.push(await page.getByRole('navigation').first().innerText(), await page.getByRole('main').innerText())
        }
        return all
      })
    const portuguese = await headings('pt-PT', 'pt-BR')
    const english = await headings('fr-FR', 'en')
    expect(portuguese.filter((text) => english.includes(text))).toEqual([])
  })
})

async function expectAccessible(page: Page): Promise<void> {
  await page.setViewportSize(TABLET)
  expect(await appearanceFindings(page), `${page.url()}, ${TABLET.width} px wide`).toEqual([])
  for (const [colorScheme, viewport] of [
    ['light', WIDE],
    ['dark', NARROW],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(viewport)
    const findings = await accessibilityFindings(page)
    expect(findings, `${page.url()} in ${colorScheme}, ${viewport.width} px wide`).toEqual([])
    expect(await appearanceFindings(page), `${page.url()}, ${viewport.width} px wide`).toEqual([])
  }
  await page.setViewportSize(WIDE)
}

/** How many tabs are marked, and how many of their names are in sight: the tab on a wide screen, the folded menu on a telephone. */
async function markedTabs(page: Page): Promise<[number, number]> {
  const marked = page.locator('nav.pages a[aria-current]')
  const names = await marked.allInnerTexts()
  await page.setViewportSize(NARROW)
  const folded = page.locator('.fold > summary').filter({ hasText: names[0] ?? '', visible: true })
  const counts: [number, number] = [names.length, await folded.count()]
  await page.setViewportSize(WIDE)
  return counts
}

/** Of everything that a page loads, but for streams. */
async function bytesOf(page: Page, open: () => Promise<unknown>): Promise<number> {
  const responses: Response[] = []
  const remember = (response: Response) => void responses.push(response)
  page.on('response', remember)
  await open()
  page.off('response', remember)
  const bodies = responses.filter((response) => response.ok() && !isStream(response))
  const sizes = await Promise.all(bodies.map(async (response) => (await response.body()).length))
  return sizes.reduce((sum, size) => sum + size, 0)
}

function isStream(response: Response): boolean {
  return response.headers()['content-type']?.startsWith('text/event-stream') ?? false
}
