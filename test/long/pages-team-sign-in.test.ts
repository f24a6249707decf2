import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { type Gateway, startGateway } from '../../src/gateway/gateway.ts'
import { speaker } from '../../src/messages/speaker.ts'
import { TEAM_REFUSALS } from '../../src/pages/frame/sign-in-page.ts'
import { hasChromium, startBrowser, visit } from '../support/browser.ts'
import { createSite, recordingLog } from '../support/gateway.ts'
import { startOidcProvider, TEAM_CLIENT, TEAM_SECRET, type TestProvider } from '../support/oidc-provider.ts'
import { appearanceFindings } from '../support/pages/appearance.ts'
import { accessibilityFindings } from '../support/pages/axe.ts'
import { reservePorts } from '../support/ports.ts'

const ANA = { sub: 'ana', claims: { name: 'Ana Lima', groups: ['support'] } }
const BIA = { sub: 'bia', claims: { name: 'Bia Reis', groups: ['others'] } }
/** The provider is another site, on purpose; a refusal is an answer with an error status. */
const EXPECTED = [/another origin: https:/, /status of (?:403|503)/]

describe.skipIf(!hasChromium)('the sign-in at an OpenID provider, in Chromium', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
  let browser: Browser
  let provider: TestProvider
  let gateway: Gateway
  let baseURL: string
  let host: string
  beforeAll(async () => {
    const [port, providerPort] = (await reservePorts(2)) as [number, number]
    host = `localhost:${providerPort}`
    const oidc = {
      issuer: `https://${host}`,
      clientId: TEAM_CLIENT,
      clientSecretFile: 'oidc-secret',
      authorities: 'certs/server-ca.crt',
      roles: [{ value: 'support', scopes: ['operations.read'] }],
    }
    const api = { host: '127.0.0.1', port, operatorTokenFile: 'operator-token', oidc }
    const site = await createSite({ api }, folder)
    writeFileSync(join(folder, 'oidc-secret'), TEAM_SECRET, { mode: 0o600 })
    baseURL = `http://localhost:${port}`
    provider = await startOidcProvider({ certs: site.certs, port: providerPort, gateway: baseURL })
    for (const account of [ANA, BIA]) provider.accounts.set(account.sub, account)
    ;[gateway, browser] = await Promise.all([
      startGateway(loadConfig(site.configFile), { log: recordingLog([]), onLost: () => undefined }),
      startBrowser(),
    ])
  })
  afterAll(async () => {
    await browser.close()
    await gateway.stop()
    await provider.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(() => {
    provider.account = ANA
    provider.intercept = undefined
  })

  const open = (options: object, use: (page: Page) => Promise<void>) =>
    visit(browser, { baseURL, expected: EXPECTED, ...options }, use)
  const press = (page: Page, t = speaker('en')) =>
    page.getByRole('link', { name: t`Sign in at ${{ provider: host }}` }).click()

  it.each([true, false])('leads to the page that was asked for, with the name (JavaScript: %s)', async (scripts) => {
    await open({ javaScriptEnabled: scripts }, async (page) => {
      await page.goto('/ui/audit?action=prune')
      await press(page)
      await page.getByRole('heading', { name: 'Log of actions' }).waitFor()
      expect(page.url()).toBe(`${baseURL}/ui/audit?action=prune`)
      expect(await page.locator('header').innerText()).toContain('Ana Lima')
      const cookies = await page.context().cookies(`${baseURL}/ui/oidc/`)
      expect(cookies.map(({ name }) => name)).toContain('portaria_session')
      expect(cookies.map(({ name }) => name)).not.toContain('portaria_begun')
      await page.reload()
      expect(page.url()).toBe(`${baseURL}/ui/audit?action=prune`)
    })
  })

  it('ends when the person signs out at the provider, and when the person signs out here', async () => {
    await open({}, async (page) => {
      await page.goto('/ui/audit')
      await press(page)
      await page.getByRole('heading', { name: 'Log of actions' }).waitFor()
      await provider.logout()
      await page.reload()
      await page.getByText('Your session has ended. Sign in again to continue where you were.').waitFor()
      await press(page)
      await page.getByRole('heading', { name: 'Log of actions' }).waitFor()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByText('You are signed out.').waitFor()
    })
  })

  it.each(['en', 'pt'] as const)(
    'tells a person without a role, and one whom it cannot lead there, in words (%s)',
    async (language) => {
      const t = speaker(language)
      await open({ ...LOOKS[language], locale: language === 'pt' ? 'pt-BR' : 'en-GB' }, async (page) => {
        await page.goto('/ui/')
        await expectGood(page)
        provider.account = BIA
        await press(page, t)
        await page
          .getByRole('alert')
          .getByText(t.of(TEAM_REFUSALS.role(host, 'Bia Reis')))
          .waitFor()
        await expectGood(page)
        expect((await page.context().cookies(baseURL)).map(({ name }) => name)).not.toContain('portaria_session')
        await page.goto(`/ui/sign-in?reason=unreachable&next=/ui/audit`)
        await page
          .getByRole('alert')
          .getByText(t.of(TEAM_REFUSALS.unreachable(host, '')))
          .waitFor()
        await expectGood(page)
      })
    },
  )
})

/** One look in each language: the colours are the same in both, and the widths of the words are not. */
const LOOKS = {
  en: { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  pt: { colorScheme: 'dark', viewport: { width: 390, height: 740 } },
} as const

async function expectGood(page: Page): Promise<void> {
  expect(await accessibilityFindings(page)).toEqual([])
  expect(await appearanceFindings(page)).toEqual([])
}
