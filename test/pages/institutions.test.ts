import { expect, it } from 'vitest'
import type { Realm } from '../../src/domain/realm.ts'
import {
  aCallback,
  aDestination,
  aFact,
  aHeldCallback,
  aRefusal,
  aWatchedCertificate,
  NOON,
} from '../support/builders.ts'
import { startPages, textIn } from './api-pages.ts'

const REALMS = ['production', 'bank-a/production', 'bank-a/sandbox'] as const satisfies Realm[]

/** In each realm a payment, a fact in quarantine and a refusal; the subject of an event is its realm. */
async function withBank(institutions: string[]) {
  const kinds = [{ kind: 'payment', environment: 'bank-a/production', lastReceivedAt: NOON, isInactive: true } as const]
  const certificates = [aWatchedCertificate({ set: 'service-chain', environment: 'bank-a/sandbox' })]
  const world = await startPages({ institutions, overview: { kinds, certificates } })
  const { store } = world.api
  for (const environment of REALMS) {
    await store.storeCallback(
      aCallback({ text: `"${environment}"`, environment, facts: [aFact({ subject: environment })] }),
    )
    await store.storeCallback(aHeldCallback('{"account":"theirs"}', [], { environment }))
  }
  await store.recordRefusals({ refusals: REALMS.map((environment) => aRefusal({ environment })), probes: [] })
  await store.createDestination(aDestination({ institutions: ['bank-a'] }), NOON)
  const text = async (path: string, language = 'en') =>
    textIn((await world.browser.get(path, { 'accept-language': language })).body)
  return { ...world, text }
}

/** Each with what its query begins with. */
const LISTS = ['/ui/?view=events&', '/ui/quarantine?', '/ui/refusals?']
it('lists show the institution beside the environment, and select one', async () => {
  const { browser, text } = await withBank(['bank-a', 'bank-b'])
  for (const list of LISTS) {
    const { body } = await browser.get(list)
    expect(body.match(/<select id="institution"/g), list).toHaveLength(1)
    expect(body).toContain('<option value="bank-b">bank-b</option>')
    const cells = async (query: string) => {
      const rows = (await browser.get(`${list}${query}`)).body.split('<tbody>')[1] ?? ''
      return new Set([...rows.matchAll(/>((?:bank-a\/)?(?:production|sandbox))</g)].map(([, cell]) => cell))
    }
    expect(await cells(''), list).toEqual(new Set(REALMS))
    expect(await cells('institution=bank-a'), list).toEqual(new Set(REALMS.slice(1)))
    expect(await cells('institution=bank-a&environment=sandbox'), list).toEqual(new Set(REALMS.slice(2)))
    expect(await cells('institution=bank-b'), list).toEqual(new Set())
    const chosen = await browser.get(`${list}institution=bank-b`)
    expect(chosen.body).toContain('<option value="bank-b" selected>bank-b</option>')
    expect(await text(`${list}institution=bank-a`, 'pt')).toMatch(
      /Instituição todas as instituições .*bank-a\/produção/,
    )
  }
})

it('an event, a fact, a refusal, a destination and the overview name the institution', async () => {
  const { browser, text, api } = await withBank(['bank-a'])
  const [, event] = (await api.store.listEvents({}, 9)).events
  const page = (await browser.get(`/ui/events/${event?.id}`)).body
  expect(page).toContain('>bank-a/production</span>')
  expect(textIn(page)).toContain('Institution bank-a')
  expect(await text('/ui/quarantine/qtn_3')).toContain('Environment bank-a/sandbox')
  expect(await text('/ui/refusals/rfs_2')).toContain('Environment bank-a/production')
  expect(await text('/ui/destinations/dst_1')).toContain('Institutions bank-a Environments every environment')
  const overview = await text('/ui/overview')
  expect(overview).toMatch(/Last callback bank-a\/payment 2026-01-15/)
  expect(overview).toMatch(/Chains of the service bank-a\/sandbox/)
})

it('the test call that an event shows is of the same institution', async () => {
  const { browser, api } = await withBank(['bank-a'])
  const probe = async (environment: Realm, n: number) => {
    const facts = [aFact({ kind: 'probe' })]
    const { eventIds } = await api.store.storeCallback(
      aCallback({ text: `probe ${environment} ${n}`, environment, facts, receivedAt: NOON - 1000 + n }),
    )
    return eventIds[0]
  }
  const [own, ofBank] = [await probe('production', 1), await probe('bank-a/production', 2)]
  const [first, second] = (await api.store.listEvents({ kinds: ['payment'] }, 9)).events
  const { body } = await browser.get(`/ui/events/${first?.id}`)
  expect([body.includes(`${own}`), body.includes(`${ofBank}`)]).toEqual([true, false])
  expect((await browser.get(`/ui/events/${second?.id}`)).body).toContain(ofBank)
})

it('a replay of one institution is counted and shown', async () => {
  const { browser, text } = await withBank(['bank-a'])
  const fields = { destination: 'books', mode: 'all', institution: 'bank-a', environment: 'production' }
  const counted = await browser.submit('/ui/replays/new', '/ui/replays/new/count', fields)
  expect(textIn(counted.body)).toMatch(/1 event would be .*Institution bank-a Environment production/)
  expect(counted.body).toContain('<input type="hidden" name="institution" value="bank-a">')
  await browser.submit('/ui/replays/new', '/ui/replays/new', fields)
  expect(await text('/ui/replays/rpl_1')).toContain('Institution bank-a Environment production')
})

it('without named institutions nothing asks for one, unless a link does', async () => {
  const { browser } = await withBank([])
  for (const page of [...LISTS, '/ui/replays/new?']) {
    expect((await browser.get(page)).body, page).not.toContain('Institution')
    expect((await browser.get(`${page}institution=bank-a`)).body, page).toContain('<option value="bank-a" selected')
  }
})
