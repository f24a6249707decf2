import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, startBrowser, visit } from '../support/browser.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { ORDINARY } from '../support/pages/callbacks.ts'
import { createMovableClock, hasFaketime, type MovableClock } from '../support/pages/movable-clock.ts'
import { openAs, signIn } from '../support/pages/people.ts'
import { type Credentials, OVER_TLS, type PreparedSite, prepareSite } from '../support/pages/prepared-site.ts'
import { until } from '../support/until.ts'

describe.skipIf(!hasChromium || !hasOpenssl || !hasFaketime)('sessions over TLS', () => {
  let browser: Browser
  let clock: MovableClock
  let prepared: PreparedSite
  let people: Readonly<Record<'production' | 'sandbox', Credentials>>
  let events: readonly { id: string; environment: string }[]
  beforeAll(async () => {
    clock = createMovableClock()
    ;[browser, prepared] = await Promise.all([
      startBrowser(),
      prepareSite({ ...OVER_TLS, pagesIdleEnd: '1m' }, clock.wrapper),
    ])
    await prepared.send(ORDINARY)
    people = {
      production: await prepared.createClient('shop', 'production', ['events.read']),
      sandbox: await prepared.createClient('tests', 'sandbox', ['events.read']),
    }
    events = (await prepared.ask('GET', '/v1/events')).data
  })
  afterAll(async () => {
    await browser.close()
    await prepared.close()
  })

  const eventOf = (environment: string) =>
    events.find((event) => event.environment === environment)?.id ?? expect.fail()

  /** The gateway reads its clock's offset once a second; its answers show the time. */
  async function setClock(offset: string, isSet: (aheadMs: number) => boolean): Promise<void> {
    clock.set(offset)
    await until(async () => {
      const { headers } = await send(prepared.baseURL, 'GET', '/healthz')
      return isSet(Date.parse(headers.date ?? '') - Date.now())
    })
  }

  it('a page asks for the sign-in first, refuses a wrong secret in words, and shows the page that was asked for', async () => {
    const path = `/ui/events/${eventOf('production')}`
    await visit(browser, { baseURL: prepared.baseURL, expected: [/403/] }, async (page) => {
      await page.goto(path)
      expect(new URL(page.url()).pathname).toBe('/ui/sign-in')
      await page.getByLabel('Client id').fill(people.production.id)
      await page.getByLabel('Secret').fill('wrong')
      await page.keyboard.press('Enter')
      await page
        .getByRole('alert')
        .getByText('There is no client with this id and secret. Check both, and try again.')
        .waitFor()
      expect(await page.content()).not.toContain('wrong"')
      await signIn(page, people.production)
      expect(new URL(page.url()).pathname).toBe(path)
    })
  })

  it('the cookie is out of reach of scripts and of other sites, and goes over TLS only', async () => {
    await visit(browser, { baseURL: prepared.baseURL }, async (page) => {
      await openAs(page, people.production)
      const cookies = await page.context().cookies()
      const expected = { name: 'portaria_session', httpOnly: true, secure: true, sameSite: 'Strict', path: '/ui' }
      expect(cookies.filter(({ name }) => name === expected.name)).toMatchObject([expected])
      expect(await page.evaluate('document.cookie')).not.toContain('portaria_session')
    })
  })

  it.each([
    ['sandbox', 'production'],
    ['production', 'sandbox'],
  ] as const)('a session of %s sees nothing of %s', async (own, other) => {
    await visit(browser, { baseURL: prepared.baseURL, expected: [/40[34]/] }, async (page) => {
      await openAs(page, people[own])
      const hidden = events.filter(({ environment }) => environment === other)
      for (const address of [
        '/ui/',
        '/ui/?search=Maria',
        `/ui/?search=${hidden[0]?.id}`,
        `/ui/?environment=${other}`,
      ]) {
        await page.goto(address)
        const results = await page
          .getByRole('main')
          .getByRole('link')
          .evaluateAll((links) => links.map(String))
        // The search itself is in the links that keep it.
        expect(hidden.filter(({ id }) => results.some((link) => new URL(link).pathname.includes(id)))).toEqual([])
      }
      const response = await page.goto(`/ui/events/${hidden[0]?.id}`)
      expect(response?.status()).toBe(404)
      expect((await page.goto(`/ui/events/${eventOf(own)}`))?.status()).toBe(200)
      const passed = await page.evaluate<string>('fetch("/ui/api/v1/events?limit=1000").then((r) => r.text())')
      expect(JSON.parse(passed).data.map((event: { environment: string }) => event.environment)).not.toContain(other)
    })
  })

  it('a session that was idle for too long ends: the sign-in says so, and leads back', async () => {
    const path = `/ui/events/${eventOf('production')}`
    try {
      await visit(browser, { baseURL: prepared.baseURL }, async (page) => {
        await openAs(page, people.production)
        await setClock('+2m', (aheadMs) => aheadMs > 60_000)
        await page.goto(path)
        expect(new URL(page.url()).pathname).toBe('/ui/sign-in')
        expect(await page.getByRole('status').innerText()).toBe(
          'Your session has ended. Sign in again to continue where you were.',
        )
        await signIn(page, people.production)
        expect(new URL(page.url()).pathname).toBe(path)
      })
    } finally {
      await setClock('+0', (aheadMs) => aheadMs < 60_000)
    }
  })

  it('signing out ends the session, also for a copy of its cookie', async () => {
    await visit(browser, { baseURL: prepared.baseURL }, async (page) => {
      await openAs(page, people.production)
      const stolen = await page.context().cookies()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('status').getByText('You are signed out.').waitFor()
      await page.context().addCookies(stolen)
      await page.goto('/ui/')
      expect(new URL(page.url()).pathname).toBe('/ui/sign-in')
    })
  })

  it('revoking a client ends its sessions at once', async () => {
    const brief = await prepared.createClient('brief', 'production', ['events.read'])
    await visit(browser, { baseURL: prepared.baseURL }, async (page) => {
      await openAs(page, brief)
      await prepared.ask('POST', `/v1/clients/${brief.id}/revoke`)
      await page.reload()
      expect(await page.getByRole('status').innerText()).toBe(
        'Your session has ended. Sign in again to continue where you were.',
      )
    })
  })

  it('a form of another site changes nothing, whatever cookies it brings', async () => {
    await visit(browser, { baseURL: prepared.baseURL }, async (page) => {
      await openAs(page, people.production)
      const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
      const type = 'application/x-www-form-urlencoded'
      const headers = { cookie, origin: 'https://harm.example', 'content-type': type }
      const { statusCode } = await send(prepared.baseURL, 'POST', '/ui/sign-out', headers)
      expect(statusCode).toBe(403)
      await page.reload()
      expect(new URL(page.url()).pathname).toBe('/ui/')
    })
  })

  it('a gateway that stops meanwhile: the page says so and is kept; after the start the sign-in leads back', async () => {
    await visit(browser, { baseURL: prepared.baseURL, expected: [/ERR_CONNECTION_REFUSED/] }, async (page) => {
      await openAs(page, people.production)
      await prepared.stop()
      for (const press of [
        () => page.getByRole('navigation').getByRole('link', { name: 'Find' }).click(),
        () => page.getByRole('button', { name: 'Sign out' }).click(),
      ]) {
        await press()
        await page
          .getByRole('alert')
          .getByText(
            'The gateway does not answer. It may be restarting. Nothing was sent, and this page is kept: try again in a moment.',
          )
          .waitFor()
        expect(await page.locator('h1').innerText()).toBe('Find')
        await page.evaluate('document.getElementById("unreachable").textContent = ""')
      }
      await prepared.start()
      await page.getByRole('navigation').getByRole('link', { name: 'Find' }).click()
      await page
        .getByRole('status')
        .getByText('Your session has ended. Sign in again to continue where you were.')
        .waitFor()
      await signIn(page, people.production)
      expect(await page.locator('h1').innerText()).toBe('Find')
    })
  })
})

function send(
  origin: string,
  method: 'GET' | 'POST',
  path: string,
  headers: Record<string, string> = {},
): Promise<IncomingMessage> {
  return new Promise((done, fail) => {
    request(`${origin}${path}`, { method, headers, rejectUnauthorized: false }, (response) => {
      response.resume()
      done(response)
    })
      .on('error', fail)
      .end('')
  })
}
