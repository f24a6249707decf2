import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, startBrowser, visit } from '../support/browser.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { accessibilityFindings } from '../support/pages/axe.ts'
import { refusedCall } from '../support/pages/furnish.ts'
import { type SignedIn, stateOf } from '../support/pages/people.ts'
import { type PreparedSite, prepareSite } from '../support/pages/prepared-site.ts'
import { until } from '../support/until.ts'

const TELEPHONE = { width: 390, height: 844 }
const SCREENS = 12
const ROWS = 100

const CLONED = `{
  const body = document.querySelector('tbody')
  while (body.rows.length < ${ROWS}) body.append(body.rows[0].cloneNode(true))
}`

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
    operator = await stateOf(browser, prepared.baseURL, prepared.operator)
  })
  afterAll(async () => {
    await browser.close()
    await prepared.close()
  })

  it.each(['destinations/dst_1?state=exhausted', 'refusals', 'replays', 'gaps'])('%s is short enough', async (path) => {
    const options = { baseURL: prepared.baseURL, storageState: operator, viewport: TELEPHONE }
    await visit(browser, options, async (page) => {
      await page.goto(`/ui/${path}`)
      // A hundred days of gaps take more than a test has.
      if (path === 'gaps') await page.evaluate(CLONED)
      const height = await page.evaluate('document.documentElement.scrollHeight')
      expect(height).toBeLessThanOrEqual(SCREENS * TELEPHONE.height)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(TELEPHONE.width)
      expect(await accessibilityFindings(page)).toEqual([])
    })
  })
})
