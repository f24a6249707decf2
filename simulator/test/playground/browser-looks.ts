import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { visit } from '../support/browser.ts'
import { accessibilityFindings } from '../support/axe.ts'
import { PAGES } from '../../src/playground/sections.ts'
import { validRequests } from '../any-request/valid-requests.ts'
import type { Operation } from '../operations.ts'
import { type Receiver, receiverCaFile, startReceiver } from '../receiver.ts'
import { type RunningSimulator, runSimulator } from '../running.ts'
import { askPlayground } from './playground-client.ts'

export const AS = 'sandbox 200001'
export const [WIDE, NARROW] = [
  { width: 1280, height: 800 },
  { width: 360, height: 740 },
]

/** Endpoints that remove what others need come last. */
const REMOVING = ['removeKey', 'deletePaymentWebhook', 'deleteRegistrationWebhook', 'cancelCharge', 'deletePlan']
const orderOf = ({ id }: Operation) => REMOVING.indexOf(id)
export const inOrder = (operations: readonly Operation[]) =>
  operations.toSorted((one, other) => orderOf(one) - orderOf(other))

export interface RunningPlayground {
  readonly running: RunningSimulator
  readonly receiver: Receiver
  readonly baseURL: string
  stop(): Promise<void>
}

/** With a receiver that both kinds of callbacks are registered for. */
export async function runPlayground(): Promise<RunningPlayground> {
  const running = await runSimulator({ servicePathSegment: 'gn' }, { receiverCaFile: receiverCaFile() })
  const receiver = await startReceiver({ chain: running.simulator.folder.environments.sandbox.chain })
  const [payment, registration] = ['payments', 'registration'].map((path) => receiver.urlOf(path))
  await running.control('PUT', '/gateway', { payment, registration, charges: 'http://localhost:9/charges' })
  return {
    running,
    receiver,
    baseURL: `http://localhost:${running.simulator.controlPort}`,
    async stop() {
      await running.stop()
      await receiver.stop()
    },
  }
}

/** Records of each kind, among them callbacks that failed. */
export async function furnishPlayground(running: RunningSimulator): Promise<void> {
  await running.control('POST', '/reset?environment=sandbox')
  await running.control('PUT', '/clock', { now: '2026-03-02T15:00:00Z', frozen: true })
  await running.control('POST', '/faults', { on: 'callback', fault: 'duplicate' })
  await validRequests(running)
  await askPlayground(running, 'POST', '/first-payment', { body: { as: AS } })
}

/** Every list, a record of each kind, and a form of each shape. */
async function addressesOf(running: RunningSimulator): Promise<string[]> {
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

export interface Look extends Required<Pick<BrowserContextOptions, 'locale' | 'colorScheme'>> {
  /** By the address below /playground; default: every page. */
  readonly isWanted?: (path: string) => boolean
  /** Language of the pages. */
  readonly tag: string
  readonly viewport: { readonly width: number; readonly height: number }
}

/** By axe as it is shown, and by its width on both screens. Returns how many pages were opened. */
export async function expectReadable(
  browser: Browser,
  { running, baseURL }: RunningPlayground,
  { tag, isWanted = () => true, ...look }: Look,
): Promise<number> {
  const all = (await addressesOf(running)).filter(isWanted)
  await visit(browser, { baseURL, ...look }, async (page) => {
    for (const path of all) {
      await page.goto(`/playground${path}`)
      expect(await page.locator('html').getAttribute('lang')).toBe(tag)
      expect(await page.locator('h1').count()).toBe(1)
      // A closed part is looked at too.
      await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
      const findings = await accessibilityFindings(page)
      expect(findings, `${page.url()} in ${look.colorScheme}, ${look.viewport.width} px wide`).toEqual([])
      await expectToFit(page)
      await page.setViewportSize(look.viewport)
    }
  })
  return all.length
}

async function expectToFit(page: Page): Promise<void> {
  for (const viewport of [WIDE, NARROW]) {
    await page.setViewportSize(viewport)
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    expect(overflow, `${page.url()} is wider than ${viewport.width} px`).toBe(0)
  }
}

/** Makes what the endpoint needs, and sends the form as it is filled. */
export async function sendFilledForm(page: Page, { on, id }: Operation): Promise<void> {
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
