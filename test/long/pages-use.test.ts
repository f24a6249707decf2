import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BrowserSession, hasChromium, openSession, startBrowser, visit } from '../support/browser.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { MARKUP, openBanking } from '../support/pages/callbacks.ts'
import { furnish, type Known } from '../support/pages/furnish.ts'
import { showEvents } from '../support/pages/markup.ts'
import { openAs, type SignedIn, stateOf } from '../support/pages/people.ts'
import { type PreparedSite, prepareSite } from '../support/pages/prepared-site.ts'
import { until } from '../support/until.ts'

const TIME_LIMIT_MS = 20_000

describe.skipIf(!hasChromium || !hasOpenssl)('the pages in use', () => {
  let browser: Browser
  let prepared: PreparedSite
  let known: Known
  let manager: SignedIn
  let session: BrowserSession
  beforeAll(async () => {
    ;[browser, prepared] = await Promise.all([startBrowser(), prepareSite()])
    known = await furnish(prepared)
    manager = await stateOf(browser, prepared.baseURL, known.manager)
    session = await openSession(browser, { baseURL: prepared.baseURL, storageState: manager })
  })
  afterAll(async () => {
    await browser.close()
    await prepared.close()
  })

  const asManager = (use: (page: Page) => Promise<void>, options?: object) =>
    options === undefined
      ? session.use(use)
      : visit(browser, { baseURL: prepared.baseURL, storageState: manager, ...options }, use)

  /** Each text once, and each kind; every event is opened in test/nightly/pages-appearance.test.ts. */
  it('markup, scripts and addresses in payloads are shown as text, and do nothing', async () => {
    await asManager(async (page) => {
      const { data } = await prepared.ask('GET', '/v1/events?limit=1000')
      const events = data as readonly { id: string; kind: string }[]
      const charges = events.filter(({ kind }) => kind === 'charge').map(({ id }) => id)
      const lastOfKinds = new Map(events.map(({ id, kind }) => [kind, id])).values()
      const all = await showEvents(page, prepared.baseURL, [...new Set([...charges, ...lastOfKinds])])
      for (const text of MARKUP.slice(0, 5)) expect(all).toContain(text)
    })
  })

  it('with the keyboard alone: sign in, find, open, send again', async () => {
    await visit(browser, { baseURL: prepared.baseURL }, async (page) => {
      await page.goto('/ui/')
      await tabTo(page, 'textbox', 'Client id')
      await page.keyboard.type(known.manager.id)
      await tabTo(page, 'textbox', 'Secret')
      await page.keyboard.type(known.manager.secret)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Find' }).waitFor()
      await tabTo(page, 'searchbox', 'Search in all events')
      await page.keyboard.type('pedido-2041')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/ui/?*search=pedido-2041*')
      await pressUntilFocused(page, '.lines summary')
      await page.keyboard.press('Enter')
      await tabTo(page, 'link', '1000001')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 2, name: 'Send again' }).waitFor()
      await tabTo(page, 'combobox', 'Destination')
      await page.keyboard.type('books')
      await tabTo(page, 'textbox', 'Reason')
      await page.keyboard.type('the books were closed')
      await page.keyboard.press('Enter')
      await page.getByRole('status').getByText('Deliveries to be sent: 1.').waitFor()
    })
  })

  it('the key / leads to the search from every page, except in fields, and back keeps the search', async () => {
    await asManager(async (page) => {
      await page.goto('/ui/destinations')
      await page.keyboard.press('/')
      await page.waitForURL('**/ui/')
      const box = page.getByLabel('Search in all events')
      await page.locator('#search:focus').waitFor()
      await page.keyboard.type('pedido/2041')
      expect(await box.inputValue()).toBe('pedido/2041')
      await box.fill('1000001')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/ui/?*search=1000001*')
      const found = page.url()
      await page.locator('.lines summary').first().click()
      await page.getByRole('main').getByRole('link', { name: '1000001' }).first().click()
      await page.waitForURL('**/ui/events/**')
      await page.goBack()
      expect([page.url(), await box.inputValue()]).toEqual([found, '1000001'])
      await page.locator('.lines summary').first().waitFor()
      await page.locator('h1').click()
      await page.keyboard.press('/')
      await page.locator('#search:focus').waitFor()
    })
  })

  it('with the keyboard alone: filters and the menu of a telephone open, and Escape folds them', async () => {
    await asManager(
      async (page) => {
        await page.goto('/ui/refusals')
        const menu = page.locator('details.fold')
        await page.keyboard.press('Tab')
        await pressUntilFocused(page, 'details.fold > summary')
        await page.keyboard.press('Enter')
        await pressUntilFocused(page, 'nav.pages a[aria-current]')
        await page.keyboard.press('Escape')
        expect([await menu.getAttribute('open'), await hasFocus(page, 'details.fold > summary')]).toEqual([null, true])
        await pressUntilFocused(page, 'details.card > summary')
        expect(await page.locator('details.card > summary').evaluate(OUTLINE)).toBe('solid')
        await page.keyboard.press('Enter')
        await pressUntilFocused(page, 'details.card select')
        await page.keyboard.press('Escape')
        expect(await page.locator('details.card').getAttribute('open')).toBeNull()
        expect(await hasFocus(page, 'details.card > summary')).toBe(true)
      },
      { viewport: { width: 390, height: 740 } },
    )
  })

  it('chooses all events of a page, or none, with one button', async () => {
    await asManager(async (page) => {
      await page.goto('/ui/?kind=payment&view=events')
      const boxes = page.getByRole('main').locator('input[name=event]')
      const states = async () =>
        new Set(await boxes.evaluateAll((all) => all.map((box) => (box as { checked?: boolean }).checked)))
      await boxes.first().check()
      await page.getByRole('button', { name: 'Choose all of this page' }).click()
      expect(await states()).toEqual(new Set([true]))
      await page.getByRole('button', { name: 'Choose none' }).click()
      expect(await states()).toEqual(new Set([false]))
    })
  })

  it('without JavaScript: sign in, find, open, send again', async () => {
    await visit(browser, { baseURL: prepared.baseURL, javaScriptEnabled: false }, async (page) => {
      await openAs(page, known.manager)
      await page.getByLabel('Search in all events').fill('Conceição 150,10')
      await page.getByRole('button', { name: 'Find', exact: true }).click()
      const found = page.locator('.lines details', { hasText: 'shop7781' })
      await found.locator('summary').click()
      await found.getByRole('link', { name: /shop7781/ }).click()
      const choices = page.getByLabel('Destination')
      const books = choices.getByRole('option', { name: `books: has it already` })
      await choices.selectOption(await books.getAttribute('value'))
      await page.getByLabel('Reason').fill('asked for by the shop')
      await page.getByRole('button', { name: 'Send again' }).click()
      await page.getByRole('status').getByText('Deliveries to be sent: 1.').waitFor()
    })
  })

  it('a person of the support finds an event, and sees no personal data of it', async () => {
    await visit(browser, { baseURL: prepared.baseURL, expected: [/403/] }, async (page) => {
      await openAs(page, known.support)
      await page.getByLabel('Search in all events').fill('1000001')
      await page.keyboard.press('Enter')
      await page.locator('.lines summary', { hasText: '1000001' }).click()
      await page.getByRole('main').getByRole('link', { name: '1000001' }).click()
      await page.getByText('Personal data is masked.').first().waitFor()
      expect(await page.content()).toContain('paid')
      // Of a kind of the operator's own every text is masked.
      await page.goto(`/ui/events/${known.eventOf('E00000000202603021201shop7781wxyz')}`)
      expect(await page.content()).not.toMatch(/Concei|111\.?444/)
      expect((await page.goto('/ui/overview'))?.status()).toBe(403)
      await page.getByText('operations.read').first().waitFor()
    })
  })

  it('the overview follows the gateway without being loaded again', async () => {
    await asManager(async (page) => {
      await page.goto('/ui/overview')
      await page.getByText('The numbers follow the gateway.').waitFor()
      const row = page.locator('[data-part=traffic] tr', { hasText: 'open-banking' })
      const before = Number(await row.locator('td').last().innerText())
      await page.evaluate('globalThis.isSame = true')
      await prepared.send([{ path: '/callbacks/open-banking', body: openBanking('live', 'aceito') }])
      await until(
        async () => Number(await row.locator('td').last().innerText()),
        (count) => count === before + 1,
        TIME_LIMIT_MS,
      )
      expect(await page.evaluate('globalThis.isSame')).toBe(true)
      expect(await row.getByRole('link').getAttribute('href')).toMatch(/^\/ui\/\?kind=/)
    })
  })

  it('times are those of the browser', async () => {
    const timeIn = (timezoneId: string) =>
      visit(browser, { baseURL: prepared.baseURL, storageState: manager, timezoneId }, async (page) => {
        await page.goto(`/ui/events/${known.eventOf('90817')}`)
        const time = page.locator('time[data-local]').first()
        return [await time.getAttribute('datetime'), await time.innerText()] as const
      })
    const [instant, brazilian] = await timeIn('America/Sao_Paulo')
    const [same, japanese] = await timeIn('Asia/Tokyo')
    expect(same).toBe(instant)
    expect(brazilian).not.toBe(japanese)
  })

  it('the validity of a certificate that a caller showed names its days, also today', async () => {
    await asManager(async (page) => {
      await page.goto('/ui/refusals')
      const certificates: string[] = []
      for (const link of await page
        .getByRole('main')
        .locator('tbody a')
        .evaluateAll((all) => all.map(String))) {
        await page.goto(link)
        certificates.push(...(await page.locator('td:has(time[data-limit])').allInnerTexts()))
      }
      expect(certificates).toEqual([expect.stringMatching(/^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) – \d{4}-/)])
    })
  })

  it('a page has one zone: its times, fields, chosen filters, hints and CSV file', async () => {
    const timezoneId = 'Asia/Tokyo'
    const times = new Intl.DateTimeFormat('sv-SE', { timeZone: timezoneId, dateStyle: 'short', timeStyle: 'medium' })
    await asManager(
      async (page) => {
        await page.goto('/ui/?kind=payment&view=events')
        await page.locator('details:has(#from) > summary').click()
        await page.locator('#from').fill('2020-03-01T09:00')
        await page.getByRole('button', { name: 'Find', exact: true }).click()
        await page.waitForURL(/from=2020/)
        expect(new URL(page.url()).searchParams.get('from')).toBe('2020-03-01T00:00Z')
        // The chosen filters are shown below the box, and the list of all filters is closed again.
        await page.locator('details:has(#from) > summary').click()
        expect(await page.locator('#from').inputValue()).toBe('2020-03-01T09:00')
        expect(await page.locator('#from-hint').innerText()).toContain('Asia/Tokyo, UTC+09:00')
        const chip = page.getByRole('link', { name: `Remove the filter Received from: 2020-03-01 09:00:00` })
        expect(await chip.count()).toBe(1)

        const received = await page.locator('tbody time').first().getAttribute('datetime')
        const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('Download as CSV').click()])
        const [head = '', first = ''] = readFileSync(await download.path(), 'utf8').split('\r\n')
        expect(head).toContain('Received (Asia/Tokyo)')
        expect(first).toContain(`,${times.format(new Date(received ?? ''))},`)
      },
      { timezoneId },
    )
  })
})

const OUTLINE = (element: object) =>
  (globalThis as unknown as { getComputedStyle(of: object): { outlineStyle: string } }).getComputedStyle(element)
    .outlineStyle

function hasFocus(page: Page, selector: string): Promise<boolean> {
  return page
    .locator(selector)
    .first()
    .evaluate((element) => element.matches(':focus'))
}

async function pressUntilFocused(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if (await hasFocus(page, selector)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`the keyboard does not reach ${selector}`)
}

/** Presses the tabulator until the element has the focus. @throws when it is out of reach */
async function tabTo(page: Page, role: 'textbox' | 'searchbox' | 'link' | 'combobox', name: string): Promise<void> {
  const target = page.getByRole(role, { name }).first()
  await target.waitFor()
  const isReached = () => target.evaluate((element) => element.matches(':focus'))
  for (let presses = 0; presses < 60; presses++) {
    if (await isReached()) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`the keyboard does not reach ${role} ${name}`)
}
