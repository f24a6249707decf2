import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, startBrowser, visit } from '../../../test/support/browser.ts'
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

  it('every page is readable in Portuguese, in dark on a telephone, and fits 1280 and 360 px', async () => {
    await furnishPlayground(playground.running)
    const look = { locale: 'pt-BR', tag: 'pt-BR', colorScheme: 'dark', viewport: NARROW } as const
    await expectReadable(browser, playground, look)
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
