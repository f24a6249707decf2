import { spawn, spawnSync } from 'node:child_process'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Operation, operationsOf } from '../operations.ts'
import {
  AS,
  expectReadable,
  furnishPlayground,
  inOrder,
  NARROW,
  type RunningPlayground,
  runPlayground,
  sendFilledForm,
  WIDE,
} from '../playground/browser-looks.ts'
import { askPlayground, textsIn } from '../playground/playground-client.ts'
import { leadTo, loadBuild } from '../published-client/builds.ts'
import type { RunningSimulator } from '../running.ts'
import { hasChromium, startBrowser, visit } from '../support/browser.ts'

const hasCurl = spawnSync('curl', ['--version']).status === 0
const hasShell = spawnSync('/bin/sh', ['-c', 'true']).status === 0

/** One endpoint of each shape of command. The form of every endpoint, and its request, is sent in endpoint-forms.test.ts and by a browser in simulator/test/nightly/playground.test.ts. */
const SAMPLE = [
  ...['createKey', 'requestStatement', 'payBill', 'createSimplifiedAccount'],
  ...['putPaymentWebhook', 'payCharge', 'listPlans', 'cancelSubscription'],
]
let running: RunningSimulator
let playground: RunningPlayground
let operations: readonly Operation[]
let sample: readonly Operation[]
beforeAll(async () => {
  playground = await runPlayground()
  running = playground.running
  operations = inOrder(await operationsOf(running))
  sample = operations.filter(({ id }) => SAMPLE.includes(id))
  expect(sample).toHaveLength(SAMPLE.length)
})
afterAll(() => playground.stop())

/** The page of an endpoint whose records are there. */
async function preparedPage({ on, id }: Operation): Promise<string> {
  const open = async () => (await askPlayground(running, 'GET', `/endpoints/${on}/${id}`)).text
  const text = await open()
  if (!text.includes('/playground/prepare')) return text
  const made = await askPlayground(running, 'POST', '/prepare', { body: { as: AS, on, operation: id } })
  expect(made.status, made.text).toBe(200)
  return open()
}

describe.skipIf(!hasCurl || !hasShell)('the curl commands of a sample of the endpoints', () => {
  it('get answers of 2xx when they are pasted into a shell', async () => {
    await running.control('POST', '/reset?environment=sandbox')
    const failed: string[] = []
    for (const operation of [...sample, ...operations.filter(({ on, id }) => on === 'charges' && id === 'token')]) {
      const [curl = ''] = textsIn(await preparedPage(operation))
      const output = await inShell(curl)
      if (!/^HTTP\/1\.1 2\d\d /.test(output)) failed.push(`${operation.id}: ${curl}\n${output}`)
    }
    expect(failed).toEqual([])
  })
})

function inShell(script: string): Promise<string> {
  const child = spawn('/bin/sh', ['-c', script], { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  return new Promise((done) => child.once('close', () => done(output)))
}

describe("the calls of a sample of the endpoints by the service's package", () => {
  it('are programs that the package carries out', async () => {
    await running.control('POST', '/reset?environment=sandbox')
    const authorities = getCACertificates('default')
    setDefaultCACertificates([...authorities, running.simulator.folder.root])
    const build = await loadBuild('esm')
    const restore = leadTo(running, build)
    try {
      for (const operation of sample) {
        const [, program = ''] = textsIn(await preparedPage(operation))
        const [, options = '', method = '', given = ''] =
          /new EfiPay\(([\s\S]*?)\)\nconsole\.log\(await client\.(\w+)\(([\s\S]*)\)\)\n$/.exec(program) ?? []
        const client = new build.Client(new Function(`return ${options}`)())
        const call = client[method]?.(...new Function(`return [${given}]`)())
        await call?.catch((error: unknown) => {
          throw new Error(`${program}\n${JSON.stringify(error)}`, { cause: error })
        })
      }
    } finally {
      restore()
      setDefaultCACertificates(authorities)
    }
  })
})

/** How many lines the first status of the table takes that is a long word. */
const LINES_OF_STATUS = `(() => {
  const range = document.createRange()
  range.selectNodeContents([...document.querySelectorAll('td')].find((one) => one.textContent === 'EM_PROCESSAMENTO'))
  return range.getClientRects().length
})()`

describe.skipIf(!hasChromium)('in a browser', () => {
  let browser: Browser
  let baseURL: string
  beforeAll(async () => {
    browser = await startBrowser()
    baseURL = playground.baseURL
    await furnishPlayground(running)
  })
  afterAll(() => browser.close())

  /** Every page, in both languages and schemes: simulator/test/nightly/playground.test.ts. */
  it('a page of each form is readable, and fits 1280 and 360 px', async () => {
    const look = { locale: 'en-GB', tag: 'en', colorScheme: 'light', viewport: WIDE } as const
    const isWanted = (path: string) => /^\/(?:|endpoints|callbacks|faults|clock|sign-in)$|pay|\/charges\//.test(path)
    expect(await expectReadable(browser, playground, { ...look, isWanted })).toBeGreaterThan(8)
  })

  it('every page can be read without scripts', async () => {
    await visit(browser, { baseURL, javaScriptEnabled: false }, async (page) => {
      await page.goto('/playground/endpoints/charges/payCharge')
      expect(await page.getByRole('main').innerText()).toContain('Sending a form needs them')
      await page.getByRole('link', { name: 'Português' }).click()
      expect(await page.locator('html').getAttribute('lang')).toBe('pt-BR')
      await page.locator('select[name="as"]').selectOption('production 100002')
      await page.getByRole('button', { name: 'Trocar' }).click()
      expect(page.url()).toContain('as=production+100002')
    })
  })

  it('the forms of a sample of the endpoints send their filled examples', async () => {
    await running.control('POST', '/reset?environment=sandbox')
    await visit(browser, { baseURL, viewport: WIDE }, async (page) => {
      for (const operation of sample) await sendFilledForm(page, operation)
    })
  })

  it('a form is limited as its schema, left-out members are not sent, and the programs beside it follow', async () => {
    await visit(browser, { baseURL, viewport: WIDE }, async (page) => {
      await page.goto('/playground/endpoints/charges/createPlan')
      const interval = page.getByLabel('interval')
      await interval.fill('25')
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      expect(await page.locator('input:out-of-range').count()).toBe(1)
      expect(await page.locator('#output').innerText()).toBe('Nothing is sent yet.')

      await page.getByLabel('Send even if a field is wrong').check()
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page.locator('[data-explained]').waitFor()
      expect(await page.locator('[data-explained]').innerText()).toContain('3500034 validation_error')

      await interval.fill('2')
      await page.locator('#code pre').first().getByText('"interval":2').waitFor()
      await page.getByLabel('Name', { exact: false }).first().fill("It's a plan")
      await page.locator('#code pre').first().getByText(`It'\\''s a plan`).waitFor()
    })
  })

  it('one click registers the gateway, and its page shows what arrived', async () => {
    await visit(browser, { baseURL, viewport: NARROW }, async (page) => {
      await page.goto('/playground/')
      await page.getByRole('button', { name: 'Register the local gateway and send a first payment' }).click()
      await page.waitForURL('**/first-payment/*')
      await page.getByText('HTTP 200').nth(2).waitFor()
      expect(await page.locator('tr', { hasText: 'LIQUIDADO' }).innerText()).toContain(
        playground.receiver.urlOf('payments'),
      )
    })
  })

  it('a live page leaves the focus where it is while rows come', async () => {
    await visit(browser, { baseURL, viewport: WIDE }, async (page) => {
      await page.goto('/playground/callbacks')
      const rows = page.locator('[data-region="callbacks"] tbody tr')
      const before = await rows.count()
      const newest = await rows.first().getByRole('link').innerText()
      const link = page.getByRole('link', { name: newest, exact: true })
      await link.focus()
      await askPlayground(running, 'POST', '/first-payment', { body: { as: AS } })
      await expect.poll(() => rows.count(), { timeout: 20_000 }).toBeGreaterThan(before)
      expect(await link.evaluate((one) => one.matches(':focus'))).toBe(true)
    })
  })

  it('a status is not broken within its word, however many columns the table has', async () => {
    await visit(browser, { baseURL, viewport: WIDE }, async (page) => {
      await page.goto('/playground/callbacks')
      expect(await page.evaluate(LINES_OF_STATUS)).toBe(1)
    })
  })

  it('buttons work: the clock advances a month', async () => {
    await visit(browser, { baseURL, viewport: WIDE }, async (page) => {
      await page.goto('/playground/clock')
      const before = running.simulator.sites.sandbox.clock.now()
      await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Advance a month' }).click()])
      expect(running.simulator.sites.sandbox.clock.now() - before).toBeGreaterThan(27 * 86_400_000)
    })
  })
})
