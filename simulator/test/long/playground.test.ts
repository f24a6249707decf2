import { spawn, spawnSync } from 'node:child_process'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, startBrowser, visit } from '../../../test/support/browser.ts'
import { accessibilityFindings } from '../../../test/support/pages/axe.ts'
import { PAGES } from '../../src/playground/sections.ts'
import { validRequests } from '../any-request/valid-requests.ts'
import { type Operation, operationsOf } from '../operations.ts'
import { askPlayground, textsIn } from '../playground/playground-client.ts'
import { leadTo, loadBuild } from '../published-client/builds.ts'
import { type Receiver, receiverCaFile, startReceiver } from '../receiver.ts'
import { type RunningSimulator, runSimulator } from '../running.ts'

const hasCurl = spawnSync('curl', ['--version']).status === 0
const hasShell = spawnSync('/bin/sh', ['-c', 'true']).status === 0

const AS = 'sandbox 200001'
/** One endpoint of each shape of command. The form of every endpoint, and its request, is sent in endpoint-forms.test.ts and by the browser below. */
const SAMPLE = [
  ...['createKey', 'requestStatement', 'payBill', 'createSimplifiedAccount'],
  ...['putPaymentWebhook', 'payCharge', 'listPlans', 'cancelSubscription'],
]
/** Endpoints that remove what others need come last. */
const REMOVING = ['removeKey', 'deletePaymentWebhook', 'deleteRegistrationWebhook', 'cancelCharge', 'deletePlan']
const [WIDE, NARROW] = [
  { width: 1280, height: 800 },
  { width: 360, height: 740 },
]

let running: RunningSimulator
let receiver: Receiver
let operations: Operation[]
let sample: Operation[]
beforeAll(async () => {
  running = await runSimulator({ servicePathSegment: 'gn' }, { receiverCaFile: receiverCaFile() })
  receiver = await startReceiver({ chain: running.simulator.folder.environments.sandbox.chain })
  const [payment, registration] = ['payments', 'registration'].map((path) => receiver.urlOf(path))
  await running.control('PUT', '/gateway', { payment, registration, charges: 'http://localhost:9/charges' })
  const orderOf = ({ id }: Operation) => REMOVING.indexOf(id)
  operations = (await operationsOf(running)).toSorted((one, other) => orderOf(one) - orderOf(other))
  sample = operations.filter(({ id }) => SAMPLE.includes(id))
  expect(sample).toHaveLength(SAMPLE.length)
})
afterAll(async () => {
  await running.stop()
  await receiver.stop()
})

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

describe.skipIf(!hasChromium)('in a browser', () => {
  let browser: Browser
  let baseURL: string
  beforeAll(async () => {
    browser = await startBrowser()
    baseURL = `http://localhost:${running.simulator.controlPort}`
    await running.control('POST', '/reset?environment=sandbox')
    await running.control('PUT', '/clock', { now: '2026-03-02T15:00:00Z', frozen: true })
    await running.control('POST', '/faults', { on: 'callback', fault: 'duplicate' })
    await validRequests(running)
    await askPlayground(running, 'POST', '/first-payment', { body: { as: AS } })
  })
  afterAll(() => browser.close())

  /** Every list, a record of each kind, and a form of each shape. */
  async function addresses(): Promise<string[]> {
    const lists = PAGES.map((name) => (name === 'start' ? '/' : `/${name}`))
    const records: string[] = []
    for (const list of lists) {
      const { text } = await askPlayground(running, 'GET', list)
      const [, address] = new RegExp(`href="/playground(${list}/[\\w-]+)"`).exec(text) ?? []
      if (list !== '/' && list !== '/endpoints' && address !== undefined) records.push(address)
    }
    const payment = running.simulator.sites.sandbox.collection<{ id: number }>('payments').list().at(-1)
    const forms = ['charges/payCharge', 'account/putAccountSettings', 'open-banking/putOpenBankingSettings']
    const others = ['registration/createSimplifiedAccount', 'payment/listPaymentWebhooks', 'account/token']
    return [
      ...lists,
      ...records,
      ...[...forms, ...others].map((one) => `/endpoints/${one}`),
      `/first-payment/${payment?.id}`,
      '/sign-in',
    ]
  }

  // The colours are the same in both languages, and the widths of the words are not: each page is checked by axe once in each scheme.
  it.each([
    { locale: 'en-GB', tag: 'en', colorScheme: 'light', viewport: WIDE },
    { locale: 'pt-BR', tag: 'pt-BR', colorScheme: 'dark', viewport: NARROW },
  ] as const)('every page is readable in $locale and $colorScheme, and fits 1280 and 360 px', async (look) => {
    const { locale, tag, colorScheme, viewport } = look
    const all = await addresses()
    expect(all.length).toBeGreaterThan(25)
    await visit(browser, { baseURL, locale, colorScheme, viewport }, async (page) => {
      for (const path of all) {
        await page.goto(`/playground${path}`)
        expect(await page.locator('html').getAttribute('lang')).toBe(tag)
        expect(await page.locator('h1').count()).toBe(1)
        // A closed part is looked at too.
        await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
        const findings = await accessibilityFindings(page)
        expect(findings, `${page.url()} in ${colorScheme}, ${viewport.width} px wide`).toEqual([])
        await expectToFit(page)
        await page.setViewportSize(viewport)
      }
    })
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

  it('the form of every endpoint sends its filled example', async () => {
    await running.control('POST', '/reset?environment=sandbox')
    await visit(browser, { baseURL, viewport: WIDE }, async (page) => {
      for (const { on, id } of operations) {
        await page.goto(`/playground/endpoints/${on}/${id}`)
        const make = page.getByRole('button', { name: 'Make what it needs' })
        if ((await make.count()) > 0) {
          await Promise.all([page.waitForEvent('load'), make.click()])
          expect(await make.count(), id).toBe(0)
        }
        await page.getByRole('button', { name: 'Send', exact: true }).click()
        const status = await page.locator('#output [data-status]').innerText()
        expect(`${id} ${status} ${await page.locator('#output').innerText()}`).toMatch(new RegExp(`^${id} 2\\d\\d `))
      }
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
      expect(await page.locator('tr', { hasText: 'LIQUIDADO' }).innerText()).toContain(receiver.urlOf('payments'))
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

  it('buttons work: the clock advances a month', async () => {
    await visit(browser, { baseURL, viewport: WIDE }, async (page) => {
      await page.goto('/playground/clock')
      const before = running.simulator.sites.sandbox.clock.now()
      await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Advance a month' }).click()])
      expect(running.simulator.sites.sandbox.clock.now() - before).toBeGreaterThan(27 * 86_400_000)
    })
  })
})

async function expectToFit(page: Page): Promise<void> {
  for (const viewport of [WIDE, NARROW]) {
    await page.setViewportSize(viewport)
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    expect(overflow, `${page.url()} is wider than ${viewport.width} px`).toBe(0)
  }
}
