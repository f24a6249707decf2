import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, startBrowser, visit } from '../support/browser.ts'
import { operationsOf } from '../operations.ts'
import {
  expectReadable,
  furnishPlayground,
  inOrder,
  NARROW,
  type RunningPlayground,
  runPlayground,
  sendFilledForm,
  WIDE,
} from '../playground/browser-looks.ts'

/** What simulator/test/long/playground.test.ts leaves to the night. */
describe.skipIf(!hasChromium)('the playground in a browser', () => {
  let browser: Browser
  let playground: RunningPlayground
  beforeAll(async () => {
    ;[browser, playground] = await Promise.all([startBrowser(), runPlayground()])
  })
  afterAll(async () => {
    await browser.close()
    await playground.stop()
  })

  // The colours are the same in both languages, and the widths of the words are not: each page is checked by axe once in each scheme.
  it.each([
    { locale: 'en-GB', tag: 'en', colorScheme: 'light', viewport: WIDE },
    { locale: 'pt-BR', tag: 'pt-BR', colorScheme: 'dark', viewport: NARROW },
  ] as const)('every page is readable in $locale and $colorScheme, and fits 1280 and 360 px', async (look) => {
    await furnishPlayground(playground.running)
    expect(await expectReadable(browser, playground, look)).toBeGreaterThan(25)
  })

  it('the form of every endpoint sends its filled example', async () => {
    await playground.running.control('POST', '/reset?environment=sandbox')
    const operations = inOrder(await operationsOf(playground.running))
    expect(operations.length).toBeGreaterThan(40)
    await visit(browser, { baseURL: playground.baseURL, viewport: WIDE }, async (page) => {
      for (const operation of operations) await sendFilledForm(page, operation)
    })
  })
})
