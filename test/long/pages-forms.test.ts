import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ACTIONS } from '../../src/pages/pages.ts'
import { type BrowserSession, hasChromium, openSession, startBrowser } from '../support/browser.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { furnish, type Known } from '../support/pages/furnish.ts'
import { openAs } from '../support/pages/people.ts'
import { type Credentials, type PreparedSite, prepareSite } from '../support/pages/prepared-site.ts'

const REASON = 'the accountant asked <b>twice</b>'

interface Pressed {
  /** Page below /ui that has the form. */
  readonly at: (known: Known) => string
  /** Forms that are sent before, with their fields. */
  readonly first?: readonly (readonly [path: string, fields: Readonly<Record<string, string>>])[]
  /** What the person fills in, by the names of the fields; a reason is filled in everywhere. */
  readonly fields?: Readonly<Record<string, string>> | ((known: Known) => Readonly<Record<string, string>>)
  /** Entries of the log of actions; default: one. */
  readonly entries?: number
  /** Text of the page that follows. */
  readonly shows: string | RegExp
  /** Default: the operator. */
  readonly by?: 'unmasker'
}

const destination = (name: string) => (known: Known) => `/destinations/${known.destinationOf(name)}`
const operatorsConsumer = (name: string) => () => `/consumers/operator/${name}`

/** Every form of `src/pages/pages.ts`, in the order in which they are sent. */
const FORMS: Readonly<Record<string, Pressed>> = {
  '/events/:id/replay': {
    at: ({ eventOf }) => `/events/${eventOf('1000001')}`,
    fields: { destination: 'books' },
    shows: 'Deliveries to be sent: 1.',
  },
  '/events/:id/unmask': {
    at: ({ eventOf }) => `/events/${eventOf('90817')}`,
    shows: 'This page shows personal data. It was recorded that you saw it.',
    by: 'unmasker',
  },
  '/destinations/:id/pause': { at: destination('books'), shows: 'books is paused. Its deliveries wait.' },
  '/destinations/:id/resume': { at: destination('books'), shows: 'books is resumed.' },
  '/destinations/:id/test': { at: destination('books'), shows: /accepted: HTTP 200/ },
  '/destinations/:id/rotate': {
    at: destination('books'),
    fields: { overlap: '1h' },
    shows: 'books has a new secret. It is shown only now. Copy it before you leave this page.',
  },
  '/deliveries/:id/retry': { at: (known) => `${destination('erp')(known)}?state=exhausted`, shows: /is due now/ },
  '/deliveries/:id/skip': { at: destination('archive'), shows: /is canceled/ },
  '/consumers/:owner/:name/seek': {
    at: operatorsConsumer('books'),
    fields: { to: 'start' },
    shows: 'books was moved.',
  },
  '/consumers/:owner/:name/delete': { at: operatorsConsumer('books'), shows: 'books is deleted.' },
  '/replays/new/count': {
    at: () => '/replays/new',
    fields: { destination: 'books', mode: 'all', kinds: 'charge' },
    shows: /would be delivered/,
  },
  '/replays/new': {
    at: () => '/replays/new',
    first: [['/replays/new/count', { destination: 'books', mode: 'all', kinds: 'charge' }]],
    shows: /has started/,
  },
  '/replays/:id/cancel': { at: () => '/replays/rpl_2', shows: 'rpl_2 is canceled.' },
  '/replays/selected': { at: () => '/?view=events', shows: 'No event was chosen. Nothing was sent.', entries: 0 },
  '/replays/selected/all': { at: () => '/', shows: /events are chosen/, entries: 0 },
  '/replays/selected/count': {
    at: () => '/',
    first: [['/replays/selected/all', {}]],
    fields: { target: 'books' },
    shows: /would be delivered/,
    // What was chosen, and what the destination does not have of it.
    entries: 2,
  },
  '/replays/selected/start': {
    at: () => '/',
    first: [
      ['/replays/selected/all', {}],
      ['/replays/selected/count', { target: 'books' }],
    ],
    shows: /has started/,
  },
  '/alarms/test': { at: () => '/alarms', shows: 'team: the test was sent.' },
  '/alarms/mute': { at: () => '/alarms', fields: { alarm: 'space_short' }, shows: 'The alarms are muted.' },
  '/alarms/unmute': {
    at: () => '/alarms',
    first: [['/alarms/mute', { alarm: 'all' }]],
    shows: 'The mute is ended. What it has held back and is still open is sent.',
  },
  '/quarantine/:id/release': { at: () => '/quarantine/qtn_1', shows: /is released/ },
  '/quarantine/:id/discard': { at: () => '/quarantine/qtn_2', shows: 'qtn_2 is discarded.' },
  '/destinations/new': {
    at: () => '/destinations/new',
    fields: { url: 'http://127.0.0.1:9/new', name: 'new-one' },
    shows:
      'new-one receives events that are stored from now on. Its secret verifies the signatures. It is shown only now. Copy it before you leave this page.',
  },
  '/destinations/:id/edit': {
    at: (known) => `${destination('archive')(known)}/edit`,
    fields: { prefixes: 'order-' },
    shows: 'archive is changed.',
  },
  '/destinations/:id/delete': { at: destination('ledger'), shows: 'ledger is deleted.' },
  '/registrations/new': {
    at: () => '/registrations/new',
    fields: { client: 'checkout', kind: 'payment', url: 'http://127.0.0.1:9/more' },
    shows: /is registered/,
  },
  '/clients/new': {
    at: () => '/clients/new',
    fields: { name: 'maria', environment: 'production' },
    shows: 'maria is created. Its secret is shown only now. Copy it before you leave this page.',
  },
  '/clients/:id/rotate': {
    at: ({ sandbox }) => `/clients/${sandbox.id}`,
    fields: { grace: '1h' },
    shows: 'tests has a new secret. It is shown only now. Copy it before you leave this page.',
  },
  '/clients/:id/revoke': { at: ({ sandbox }) => `/clients/${sandbox.id}`, shows: 'tests is revoked.' },
  '/check': { at: () => '/check', shows: 'The check has run.', entries: 0 },
  '/check/clock': { at: () => '/check', shows: 'The clock is confirmed.' },
  '/certificates/trust': {
    at: () => '/certificates/trust',
    fields: ({ chain }) => ({ pem: chain, environment: 'production', activation: 'instead' }),
    shows: 'Result of the comparison',
    entries: 0,
  },
}

/** They need a service that answers: test/pages/gaps.test.ts. */
const ELSEWHERE = ['/gaps/reconcile']

it('every form is sent', () => {
  expect([...Object.keys(FORMS), ...ELSEWHERE].sort()).toEqual(ACTIONS.map(({ path }) => path).sort())
})

describe.skipIf(!hasChromium || !hasOpenssl)('every form in a browser', () => {
  let browser: Browser
  let prepared: PreparedSite
  let known: Known
  let sessions: Readonly<Record<'operator' | 'unmasker', BrowserSession>>
  beforeAll(async () => {
    ;[browser, prepared] = await Promise.all([startBrowser(), prepareSite()])
    known = await furnish(prepared)
    const signedIn = async (person: Credentials) => {
      const session = await openSession(browser, { baseURL: prepared.baseURL })
      await session.use((page) => openAs(page, person))
      return session
    }
    sessions = { operator: await signedIn(prepared.operator), unmasker: await signedIn(known.unmasker) }
  })
  afterAll(async () => {
    await browser.close()
    await prepared.close()
  })

  it.each(Object.keys(FORMS))('%s does what it says, and is recorded with its reason', async (path) => {
    const { at, first, fields = {}, shows, entries = 1, by = 'operator' } = FORMS[path] as Pressed
    await sessions[by].use(async (page) => {
      await page.goto(`/ui${at(known)}`)
      for (const form of first ?? []) {
        await send(page, ...form)
        await page
          .getByText((FORMS[form[0]] as Pressed).shows)
          .first()
          .waitFor()
      }
      const before = await recorded(prepared)
      const { hasReason } = await send(page, path, typeof fields === 'function' ? fields(known) : fields)
      await page.getByText(shows).first().waitFor()
      const entry = { channel: 'page', ...(hasReason && { reason: REASON }) }
      const added = (await recorded(prepared)).slice(before.length)
      expect(added).toMatchObject(Array.from({ length: entries }, () => entry))
    })
  })
})

/** As a person: opens what hides the form, fills it in, presses its button. */
async function send(
  page: Page,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<{ hasReason: boolean }> {
  const action = new RegExp(`^/ui${path.replaceAll(/:\w+/g, '[^/]+')}$`)
  const forms = page.locator('main form[method=post]')
  const actions = await forms.evaluateAll((all) => all.map((form) => form.getAttribute('action') ?? ''))
  const place = actions.findIndex((one) => action.test(one))
  if (place < 0) throw new Error(`${page.url()} has no form for ${path}, only for ${actions.join(', ')}`)
  const form = forms.nth(place)
  const hidden = page.locator('details:not([open])', { has: page.locator(`form[action="${actions[place]}"]`) })
  // One may be in another: the outer one comes first.
  while ((await hidden.count()) > 0) await hidden.first().locator('summary').first().click()
  for (const [name, value] of Object.entries(fields)) await fill(form.locator(`[name="${name}"]`).first(), value)
  const reason = form.locator('[name=reason]')
  const hasReason = (await reason.count()) > 0
  if (hasReason) await reason.fill(REASON)
  await form.locator('button').click()
  return { hasReason }
}

async function fill(field: ReturnType<Page['locator']>, value: string): Promise<void> {
  const kind = await field.evaluate((element) => element.getAttribute('type') ?? element.tagName.toLowerCase())
  if (kind === 'select') await field.selectOption(await optionOf(field, value))
  else if (kind === 'radio' || kind === 'checkbox')
    await field
      .page()
      .locator(`[name="${await field.getAttribute('name')}"][value="${value}"]`)
      .check()
  else await field.fill(value)
}

/** By its value, or by the name that its text begins with, as of a destination whose state follows. */
async function optionOf(field: ReturnType<Page['locator']>, value: string): Promise<object> {
  const options = await field
    .locator('option')
    .evaluateAll((all) => all.map((one) => [one.getAttribute('value') ?? '', one.textContent ?? ''] as const))
  const found =
    options.find(([own]) => own === value) ?? options.find(([, text]) => text.split(':')[0] === value) ?? expect.fail()
  return { value: found[0] }
}

interface Entry {
  readonly id: string
  readonly channel: string
  readonly reason: string | null
}

/** The log of actions, oldest first. */
async function recorded({ ask }: PreparedSite): Promise<readonly Entry[]> {
  const { data } = (await ask('GET', '/v1/audit?limit=1000')) as { data: Entry[] }
  return data.toSorted((a, b) => Number(a.id.slice(4)) - Number(b.id.slice(4)))
}
