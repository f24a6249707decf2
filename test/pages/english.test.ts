import { describe, expect, it } from 'vitest'
import { REFUSAL_CODES } from '../../src/domain/refusal.ts'
import type { Scope } from '../../src/domain/scopes.ts'
import { speaker } from '../../src/messages/speaker.ts'
import { reasonHtml } from '../../src/pages/overview/reasons.ts'
import { PAGES } from '../../src/pages/pages.ts'
import { aCallback, aDestination, aFact, aHeldCallback, aRefusal, NOON } from '../support/builders.ts'
import { startPages, submitted } from './api-pages.ts'
import { englishIn } from './english-words.ts'

const LANGUAGE = '/ui/language'

async function inPortuguese(changes: Parameters<typeof startPages>[0] = {}) {
  const world = await startPages(changes)
  await world.browser.submit('/ui/', LANGUAGE, { language: 'pt', next: '/ui/' })
  return world
}

describe('the words by which English is found', () => {
  it.each([
    ['<p>the destination is paused</p>', ['the destination is paused']],
    ['<p>o destino <b>está pausado</b></p>', []],
    ['<p>erro: <q lang="en">it is gone</q></p>', []],
    ['<div lang="en"><div>it is</div> of it</div><p>fim</p>', []],
    ['<input aria-label="Choose it of all">', ['Choose it of all']],
    ['<a href="/reference" hreflang="en">the reference</a>', []],
  ])('%s', (body, found) => expect(englishIn(body)).toEqual(found))
})

async function withData() {
  const world = await inPortuguese()
  const { store } = world.api
  await store.createDestination(aDestination({ name: 'livros', url: 'https://livros.example/in?token=x' }), NOON)
  await store.createDestination(aDestination({ name: 'loja', kinds: ['payment'], headers: [['x-a', 'b']] }), NOON)
  for (const n of [1, 2, 3, 4])
    await store.storeCallback(
      aCallback({ text: `{"n":${n}}`, receivedAt: NOON + n, facts: [aFact({ subject: '4711', status: `S${n}` })] }),
    )
  const refusals = REFUSAL_CODES.map((code, n) => aRefusal({ code, remoteAddress: '192.0.2.1', refusedAt: NOON + n }))
  await store.recordRefusals({ refusals, probes: [] })
  await store.storeCallback(aHeldCallback('{"conta":"outra"}', []))
  const event = (await store.listEvents({}, 1)).events[0]?.id ?? ''
  await store.seekConsumer({ owner: null, name: 'app' }, 1, NOON)
  await store.createReplay(
    { destinationId: 1, mode: 'all', filter: {}, owner: null, matched: 1, leftOut: 0, upTo: 1 },
    NOON,
  )
  await store.setCircuit(2, NOON)
  const { browser } = world
  await submitted(browser, '/ui/destinations/dst_1', '/ui/destinations/dst_1/pause', { reason: 'obra' })
  await submitted(browser, '/ui/destinations/dst_1', '/ui/deliveries/dlv_1/skip', { destination: 'dst_1' })
  await browser.submit('/ui/clients/new', '/ui/clients/new', {
    name: 'maria',
    environment: 'sandbox',
    scopes: 'events.read',
  })
  const [client] = await store.listClients()
  return { ...world, event, client: client?.id ?? '' }
}

function concrete(path: string, { event, client }: { readonly event: string; readonly client: string }): string {
  const ids: Record<string, string> = {
    destinations: 'dst_1',
    events: event,
    replays: 'rpl_1',
    clients: client,
    quarantine: 'qtn_1',
    refusals: 'rfs_1',
    consumers: 'operator/app',
  }
  return path
    .replace('/consumers/:owner/:name', '/consumers/operator/app')
    .replace(/(\w+)\/:\w+/, (_, noun) => `${noun}/${ids[noun] ?? '1'}`)
}

const ROLES: readonly (readonly [string, readonly Scope[] | null])[] = [
  ['the operator', null],
  ['support', ['support.read', 'support.replay', 'support.unmask']],
  ['who only reads', ['operations.read', 'events.read', 'destinations.read']],
]

it.each(ROLES)('no page with data has English in Portuguese, for %s', { timeout: 60_000 }, async (_, scopes) => {
  const { browser: operator, openAs, ...ids } = await withData()
  const browser = scopes === null ? operator : await openAs(scopes)
  await browser.submit('/ui/', LANGUAGE, { language: 'pt', next: '/ui/' })
  const found: Record<string, unknown> = {}
  let shown = 0
  for (const { page } of PAGES) {
    const path = `/ui${concrete(page.path, ids)}`
    const { status, body } = await browser.get(path)
    const english = englishIn(body)
    if (status === 200) shown++
    if (english.length > 0 || (status !== 200 && (scopes === null || status !== 403)))
      found[path] = [status, ...english]
  }
  expect([found, shown > 1]).toEqual([{}, true])
})

/** Forms that succeed, in the order in which they are sent, with the page that has each. */
const SENT: readonly (readonly [page: string, form: string, fields: Record<string, string>])[] = [
  ['/ui/destinations/dst_2', '/ui/destinations/dst_2/pause', { reason: 'obra' }],
  ['/ui/destinations/dst_2', '/ui/destinations/dst_2/resume', {}],
  ['/ui/destinations/dst_2', '/ui/destinations/dst_2/test', {}],
  ['/ui/destinations/dst_2', '/ui/destinations/dst_2/rotate', { overlap: '24h' }],
  ['/ui/quarantine/qtn_1', '/ui/quarantine/qtn_1/release', { reason: 'é nossa' }],
  ['/ui/consumers/operator/app', '/ui/consumers/operator/app/seek', { to: 'time', time: '2026-01-15 12:00' }],
  ['/ui/replays/rpl_1', '/ui/replays/rpl_1/cancel', {}],
  ['/ui/check', '/ui/check/clock', { reason: 'comparado' }],
]

it('what a page says after a form is Portuguese', { timeout: 60_000 }, async () => {
  const { browser } = await withData()
  const said: Record<string, unknown> = {}
  for (const [page, form, fields] of SENT) {
    const { headers } = await browser.submit(page, form, fields)
    const { body } = await browser.get(String(headers.location ?? page))
    const flash = /<p class="flash (\w+)"[^>]*>(.*?)<\/p>/s.exec(body)
    said[form] = [flash?.[1] ?? 'good', englishIn(body)]
  }
  expect(said).toEqual(Object.fromEntries(SENT.map(([, form]) => [form, ['good', []]])))
})

it('the page to sign in is Portuguese, also after a wrong secret and after the session was lost', async () => {
  const { browser } = await inPortuguese()
  await browser.submit('/ui/', '/ui/sign-out')
  const first = await browser.get('/ui/sign-in')
  const lost = await browser.get('/ui/sign-in?reason=lost')
  const wrong = await browser.signIn({ id: 'cli_1', secret: 'none of it' })
  for (const { body } of [first, lost, wrong])
    expect([englishIn(body), body.includes('name="secret"')]).toEqual([[], true])
  expect(wrong.body).toMatch(/<p class="flash bad"/)
})

it('the reference of the API says that it is English, wherever a page leads to it', async () => {
  const { browser } = await inPortuguese()
  expect((await browser.get('/reference')).body).toContain('<html lang="en">')
  expect((await browser.get('/ui/overview')).body).toContain('<a href="/reference" hreflang="en">')
})

it('the words of a receiver on the overview are marked as English', async () => {
  const reason = {
    severity: 'warning',
    code: 'alarm_failing',
    subject: 'mail',
    about: null,
    value: null,
    until: null,
    others: 0,
    text: '',
    nextStep: '',
  }
  const shown = reasonHtml({ ...reason, detail: 'login_refused: 535 it is not you' } as never, {}, speaker('pt'))
  expect(String(shown)).toContain('<q lang="en">535 it is not you</q>')
  expect(englishIn(String(shown))).toEqual([])
})
