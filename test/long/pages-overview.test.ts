import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, startBrowser, visit } from '../support/browser.ts'
import { callBack } from '../support/calls.ts'
import { type SignedIn, stateOf } from '../support/pages/people.ts'
import { type PreparedSite, prepareSite } from '../support/pages/prepared-site.ts'

const LIMIT_MS = 20_000

describe.skipIf(!hasChromium)('the overview in a browser', () => {
  let browser: Browser
  let prepared: PreparedSite
  let operator: SignedIn
  beforeAll(async () => {
    ;[browser, prepared] = await Promise.all([startBrowser(), prepareSite()])
    operator = await stateOf(browser, prepared.baseURL, prepared.operator)
  })
  afterAll(async () => {
    await browser.close()
    await prepared.close()
  })

  const countOf = (page: Page, kind: string) => {
    const row = page.locator('[data-part="traffic"] tr').filter({ has: page.getByText(kind, { exact: true }) })
    return row.locator('td').last().textContent().then(Number)
  }

  it('draws its plots, and follows callbacks, reasons and destinations without a click', {
    timeout: 60_000,
  }, async () => {
    await visit(browser, { baseURL: prepared.baseURL, storageState: operator }, async (page) => {
      await page.goto('/ui/overview')
      await page.getByText('The numbers follow the gateway.').waitFor()
      for (const name of ['callbacks', 'latency']) await page.locator(`[data-plot="${name}"] canvas`).waitFor()
      const before = await countOf(page, 'payment')
      await callBack({ ...prepared.gateway, site: prepared.site }, { body: '{"identificador":"live"}' })
      await expect.poll(() => countOf(page, 'payment'), { timeout: LIMIT_MS }).toBe(before + 1)

      const name = 'live-destination'
      await prepared.createDestination(name, { status: 200 })
      await prepared.ask('POST', `/v1/destinations/${name}/pause`)
      await page.getByText(`the destination ${name} is paused`).waitFor({ timeout: LIMIT_MS })
      await page.locator('[data-part="destinations"]').getByText('paused').first().waitFor()
    })
  })

  it('leaves the focus and the selected text where they are while rows and reasons come, change and go', {
    timeout: 60_000,
  }, async () => {
    for (const name of ['kept', 'zz-after', 'aa-before']) await prepared.createDestination(name, { status: 200 })
    await prepared.ask('POST', '/v1/destinations/kept/pause')
    const text = 'the destination kept is paused'
    await visit(browser, { baseURL: prepared.baseURL, storageState: operator }, async (page) => {
      await page.goto('/ui/overview')
      await page.getByText('The numbers follow the gateway.').waitFor()
      const reasons = page.locator('[data-reasons] li')
      const places = [
        reasons.filter({ hasText: text }).getByRole('link'),
        page.locator('[data-part="destinations"]').getByRole('link', { name: 'kept', exact: true }),
        page.locator('[data-part="traffic"]').getByRole('link', { name: 'payment', exact: true }),
      ]
      for (const [index, place] of places.entries()) {
        await place.focus()
        await reasons.filter({ hasText: text }).selectText()
        const selected = await page.evaluate('String(getSelection())')
        expect(selected).toContain(text)
        const before = await countOf(page, 'payment')
        const [verb, other] = [index % 2 === 0 ? 'pause' : 'resume', index === 2 ? 'zz-after' : 'aa-before']
        await prepared.ask('POST', `/v1/destinations/${other}/${verb}`)
        await callBack({ ...prepared.gateway, site: prepared.site }, { body: `{"identificador":"focus-${index}"}` })
        await expect.poll(() => countOf(page, 'payment'), { timeout: LIMIT_MS }).toBe(before + 1)
        const changed = reasons.filter({ hasText: `the destination ${other} is paused` })
        await expect.poll(() => changed.count(), { timeout: LIMIT_MS }).toBe(verb === 'pause' ? 1 : 0)
        expect(await place.evaluate((link) => link.matches(':focus'))).toBe(true)
        expect(await page.evaluate('String(getSelection())')).toBe(selected)
      }
    })
  })

  it('draws the plots again where the colours of the system change', { timeout: 60_000 }, async () => {
    await visit(browser, { baseURL: prepared.baseURL, storageState: operator }, async (page) => {
      await page.goto('/ui/overview')
      const pixels = async () => (await page.locator('[data-plot="callbacks"]').screenshot()).toString('base64')
      await page.getByText('The numbers follow the gateway.').waitFor()
      const light = await pixels()
      await page.emulateMedia({ colorScheme: 'dark' })
      await expect.poll(pixels, { timeout: LIMIT_MS }).not.toBe(light)
    })
  })

  it('says that its numbers are old where the stream ends', { timeout: 60_000 }, async () => {
    // The stream is refused from then on.
    const expected = [/overview\/stream/, /Failed to load resource/]
    const other = await stateOf(browser, prepared.baseURL, prepared.operator)
    await visit(browser, { baseURL: prepared.baseURL, storageState: other, expected }, async (page) => {
      await page.goto('/ui/overview')
      await page.getByText('The numbers follow the gateway.').waitFor()
      const token = (await page.locator('input[name="token"]').first().getAttribute('value')) ?? ''
      const headers = { origin: prepared.baseURL, 'sec-fetch-site': 'same-origin' }
      await page.request.post('/ui/sign-out', { form: { token }, headers, maxRedirects: 0 })
      await page.getByText('The connection to the gateway is lost').waitFor({ timeout: LIMIT_MS })
    })
  })
})
