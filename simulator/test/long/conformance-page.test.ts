import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, startBrowser, visit } from '../support/browser.ts'
import { accessibilityFindings } from '../support/axe.ts'
import { htmlOf } from '../../src/conformance/report/html.ts'
import { jsonOf } from '../../src/conformance/report/json.ts'
import { CALLBACK_SCENARIOS } from '../../src/conformance/scenarios/all.ts'
import { LANGUAGES } from '../../src/conformance/text.ts'

const VERDICTS = ['fail', 'warn', 'pass', 'skip'] as const
const REASON = { en: '<img src=x onerror=alert(1)>', pt: '<script>alert(1)</script>' }
const results = CALLBACK_SCENARIOS.map((scenario, index) => ({
  scenario,
  verdict: VERDICTS[index % VERDICTS.length] as (typeof VERDICTS)[number],
  reason: REASON,
}))
const report = {
  url: 'https://localhost/a',
  preset: 'open-finance',
  at: '2026-11-30T12:00:00.000Z',
  issuer: 'CN=a',
  ok: false,
  results,
}

describe.skipIf(!hasChromium)('the page of a conformance report', () => {
  let browser: Awaited<ReturnType<typeof startBrowser>>
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser.close())

  it.each(LANGUAGES)(
    'in %s keeps its own policy, is readable at every width, and shows hostile words as words',
    async (language) => {
      const server = createServer((_request, response) => {
        response.setHeader('content-type', 'text/html').end(htmlOf(jsonOf(report, language), language))
      })
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      try {
        // `visit` fails on a violation of the policy, an error of the console and a further request.
        for (const colorScheme of ['light', 'dark'] as const)
          await visit(browser, { baseURL, colorScheme, viewport: { width: 360, height: 800 } }, async (page) => {
            await page.goto('/')
            expect(await accessibilityFindings(page)).toEqual([])
            expect(await page.evaluate('document.documentElement.scrollWidth <= 360')).toBe(true)
            expect(await page.evaluate("getComputedStyle(document.querySelector('article')).borderLeftStyle")).toBe(
              'solid',
            )
            await page.getByRole('listitem').first().getByRole('link').click()
            expect(new URL(page.url()).hash).toBe(`#${results[0]?.scenario.id}`)
            expect(await page.getByText(REASON[language]).count()).toBe(results.length)
          })
      } finally {
        server.close()
        server.closeAllConnections()
      }
    },
  )
})
