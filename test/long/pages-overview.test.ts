import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, startBrowser, visit } from '../support/browser.ts'
import { callBack } from '../support/calls.ts'
import { accessibilityFindings } from '../support/pages/axe.ts'
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

  /** With these numbers of the last minutes: the page brings what its plots begin with. */
  async function openWith(
    page: Page,
    counts: readonly number[],
    p99PerMinute: readonly (number | null)[],
    waiting = p99PerMinute,
  ) {
    const state = JSON.stringify({
      at: '2026-01-15T12:00:30Z',
      callbacksPerMinute: { payment: counts },
      waitingPerMinute: waiting,
      acknowledgeLatency: { p50: null, p99: null, p99PerMinute },
    })
    await page.route('**/ui/overview', async (route) => {
      const body = await (await route.fetch()).text()
      await route.fulfill({
        body: body.replace(/data-state="[^"]*"/, `data-state="${state.replaceAll('"', '&quot;')}"`),
      })
    })
    await page.route('**/overview/stream', () => undefined)
    await page.goto('/ui/overview')
  }

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
      // A minute has passed at most, or two.
      await page.locator('[data-few="callbacks"]:not([hidden]), [data-plot="callbacks"] canvas').waitFor()
      const before = await countOf(page, 'payment')
      await callBack({ ...prepared.gateway, site: prepared.site }, { body: '{"identificador":"live"}' })
      await expect.poll(() => countOf(page, 'payment'), { timeout: LIMIT_MS }).toBe(before + 1)

      const name = 'live-destination'
      await prepared.createDestination(name, { status: 200 })
      await prepared.ask('POST', `/v1/destinations/${name}/pause`)
      const reason = page.locator('[data-reasons] li').filter({ hasText: `the destination ${name} is paused` })
      await reason.getByRole('link', { name: 'destination_paused' }).waitFor({ timeout: LIMIT_MS })
      await page.locator('[data-part="destinations"]').getByText('paused').first().waitFor()
    })
  })

  it('says the value under the pointer and by the arrow keys, has a table, and no empty frame for one value', async () => {
    await visit(browser, { baseURL: prepared.baseURL, storageState: operator }, async (page) => {
      await openWith(page, [3, 7, 5], [null, 12.5, 8], [0, 250, 40])
      const plot = page.locator('[data-plot="callbacks"]')
      await plot.locator('canvas').waitFor()
      const value = page.locator('[data-value-of="callbacks"]')
      await plot.focus()
      await page.keyboard.press('End')
      expect(await value.textContent()).toMatch(/:00 · payment: 5$/)
      await page.keyboard.press('ArrowLeft')
      expect(await value.textContent()).toMatch(/:59 · payment: 7$/)
      const box = await plot.locator('.u-over').boundingBox()
      await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) - 1, (box?.y ?? 0) + 20)
      await expect.poll(() => value.textContent()).toMatch(/:00 · payment: 5$/)
      await page.locator('[data-numbers="latency"] summary').click()
      const latencies = page.locator('[data-numbers="latency"] tbody td')
      await expect.poll(() => latencies.allTextContents()).toEqual(['8', '12.5'])
      await page.locator('[data-plot="waiting"]').focus()
      await page.keyboard.press('End')
      expect(await page.locator('[data-value-of="waiting"]').textContent()).toMatch(/:00 · Waiting deliveries: 40$/)
      expect(await accessibilityFindings(page)).toEqual([])

      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await openWith(page, [3], [null])
      for (const name of ['callbacks', 'latency', 'waiting']) {
        await page.locator(`[data-few="${name}"]:not([hidden])`).waitFor()
        expect(await page.locator(`[data-plot="${name}"]`).isVisible()).toBe(false)
      }
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    })
  })

  it('says the value of a bar of the traffic under the pointer and by the arrow keys', async () => {
    await visit(browser, { baseURL: prepared.baseURL, storageState: operator }, async (page) => {
      await page.goto('/ui/traffic')
      const bars = page.locator('[data-bars]').first()
      const value = page.locator('[data-value]').first()
      await bars.focus()
      await page.keyboard.press('End')
      expect(await value.textContent()).toMatch(/ · Accepted: [1-9]\d* · Failed: 0$/)
      const box = await bars.boundingBox()
      await page.mouse.move((box?.x ?? 0) + 2, (box?.y ?? 0) + 20)
      await expect.poll(() => value.textContent()).toMatch(/ · Accepted: 0 · Failed: 0$/)
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
        reasons.filter({ hasText: text }).getByRole('link', { name: 'Resume' }),
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
      await openWith(page, [3, 7, 5], [null, 12.5, 8])
      await page.locator('[data-plot="callbacks"] canvas').waitFor()
      const pixels = async () => (await page.locator('[data-plot="callbacks"]').screenshot()).toString('base64')
      const light = await pixels()
      await page.emulateMedia({ colorScheme: 'dark' })
      await expect.poll(pixels, { timeout: LIMIT_MS }).not.toBe(light)
      await page.unrouteAll({ behavior: 'ignoreErrors' })
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
