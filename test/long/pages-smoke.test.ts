import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PAGES } from '../../src/pages/pages.ts'
import { hasChromium, startBrowser, visit } from '../support/browser.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { ADDRESSES } from '../support/pages/addresses.ts'
import { accessibilityFindings } from '../support/pages/axe.ts'
import { furnish, type Known } from '../support/pages/furnish.ts'
import { type SignedIn, stateOf } from '../support/pages/people.ts'
import { type PreparedSite, prepareSite } from '../support/pages/prepared-site.ts'

/** Judged by axe: one page of each form. */
const READ = [
  ...['/', '/events/:id', '/overview', '/traffic', '/destinations/:id', '/destinations/:id/edit'],
  ...['/clients/new', '/certificates/trust', '/audit', '/refusals/:id'],
]

it('every page has an address here', () => {
  expect(Object.keys(ADDRESSES).sort()).toEqual(PAGES.map(({ page }) => page.path).sort())
  expect(READ.filter((path) => !(path in ADDRESSES))).toEqual([])
})

/** In one language, one width and one scheme of colours; every other form is in test/nightly/pages-appearance.test.ts. */
describe.skipIf(!hasChromium || !hasOpenssl)('every page in a browser', () => {
  let browser: Browser
  let prepared: PreparedSite
  let known: Known
  let operator: SignedIn
  beforeAll(async () => {
    ;[browser, prepared] = await Promise.all([startBrowser(), prepareSite()])
    ;[known, operator] = await Promise.all([furnish(prepared), stateOf(browser, prepared.baseURL, prepared.operator)])
  })
  afterAll(async () => {
    await browser.close()
    await prepared.close()
  })

  it('each has its heading and runs nothing foreign, and one of each form can be read by everybody', async () => {
    await visit(browser, { baseURL: prepared.baseURL, storageState: operator }, async (page) => {
      for (const [path, addressOf] of Object.entries(ADDRESSES)) {
        const response = await page.goto(`/ui${addressOf(known)}`)
        expect(response?.status(), path).toBe(200)
        expect(await page.locator('h1').count(), path).toBe(1)
        if (READ.includes(path)) expect(await accessibilityFindings(page), path).toEqual([])
        expect(await page.evaluate('globalThis.harm'), path).toBeUndefined()
      }
    })
  })
})
