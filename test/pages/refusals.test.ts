import { expect, it } from 'vitest'
import { REFUSAL_CODES, REFUSAL_REASONS } from '../../src/domain/refusal.ts'
import { knownText } from '../../src/messages/say.ts'
import { aRefusal, NOON } from '../support/builders.ts'
import { MARKUP, PAGE_BYTES, startPages, textIn } from './api-pages.ts'

const PEER = { subject: `CN=${MARKUP}`, issuer: 'CN=ca', fingerprint: 'ab'.repeat(32), notBefore: NOON, notAfter: null }

async function withRefusals() {
  const world = await startPages()
  const refusals = [
    aRefusal({ code: 'unknown_issuer', remoteAddress: '2001:db8::1', chain: [PEER], detail: MARKUP, refusedAt: NOON }),
    aRefusal({ code: 'expired', environment: 'sandbox', refusedAt: NOON + 60_000 }),
    aRefusal({ code: 'left_out', count: 7, listener: 'charges', refusedAt: NOON + 120_000 }),
  ]
  await world.api.store.recordRefusals({ refusals, probes: [] })
  return world
}

const listed = (body: string) => [...body.matchAll(/href="\/ui\/refusals\/(rfs_\d+)"/g)].map(([, id]) => id)

it('lists refusals newest first, with the reason in words and nothing of the caller as markup', async () => {
  const { browser } = await withRefusals()
  const { body } = await browser.get('/ui/refusals')
  expect(listed(body)).toEqual(['rfs_3', 'rfs_2', 'rfs_1'])
  expect(textIn(body)).toContain(
    'its certificate comes from no installed authority (unknown issuer) 1 2026-01-15 12:00:00 2001:db8::1',
  )
  expect(textIn(body)).toContain('7 callers, not recorded one by one')
  expect(body).not.toMatch(/<script>alert|<img/)
  const portuguese = await browser.get('/ui/refusals', { 'accept-language': 'pt' })
  expect(textIn(portuguese.body)).toContain('o certificado venceu')
})

it.each([
  ['reason=expired', ['rfs_2']],
  ['listener=charges', ['rfs_3']],
  ['environment=sandbox', ['rfs_2']],
  ['address=2001:db8::1', ['rfs_1']],
  ['from=2026-01-15T12:01:00Z&to=2026-01-15T12:02:00Z', ['rfs_2']],
  ['from=2026-01-15+12:01Z', ['rfs_3', 'rfs_2']],
  ['reason=expired&listener=charges&environment=&address=', []],
])('filters by %s', async (query, ids) => {
  const { browser } = await withRefusals()
  const { body } = await browser.get(`/ui/refusals?${query}`)
  expect(listed(body)).toEqual(ids)
  if (ids.length === 0) expect(textIn(body)).toContain('No refusal matches the filters.')
})

it('says what is wrong with a filter, and leads back', async () => {
  const { browser } = await withRefusals()
  const { status, body } = await browser.get('/ui/refusals?from=soon')
  expect([status, textIn(body)]).toEqual([400, expect.stringMatching(/from: .*Back/)])
})

it('keeps pages of ten thousand refusals small', async () => {
  const { api, browser } = await startPages()
  const refusals = Array.from({ length: 120 }, (_, n) => aRefusal({ detail: `${n}${'&'.repeat(500)}` }))
  await api.store.recordRefusals({ refusals, probes: [] })
  const { body } = await browser.get('/ui/refusals')
  expect(body.length).toBeLessThan(PAGE_BYTES)
  const next = /rel="next" href="([^"]+)"/.exec(body)?.[1] ?? ''
  expect(listed((await browser.get(next)).body)[0]).toBe('rfs_20')
})

it('counts refusals that differ in time and address once, with links to each', async () => {
  const { api, browser } = await startPages()
  const refusals = [0, 1, 2, 3, 4].map((n) =>
    aRefusal({ remoteAddress: `192.0.2.${n}`, detail: n === 4 ? 'other' : 'same', refusedAt: NOON + n * 60_000 }),
  )
  await api.store.recordRefusals({ refusals, probes: [] })
  const { body } = await browser.get('/ui/refusals')
  expect(textIn(body)).toMatch(
    / 4 2026-01-15 12:00:00 – 2026-01-15 12:03:00 192\.0\.2\.3 192\.0\.2\.2 192\.0\.2\.1 \+ 1 /,
  )
  expect([...new Set(listed(body))].sort()).toEqual(['rfs_1', 'rfs_2', 'rfs_3', 'rfs_4', 'rfs_5'])
})

it('shows a refusal with the certificates that the caller showed', async () => {
  const { browser } = await withRefusals()
  const { body } = await browser.get('/ui/refusals/rfs_1')
  expect(textIn(body)).toContain(`CN=${MARKUP} CN=ca 2026-01-15 12:00:00 – `)
  expect(body).toContain(`title="${PEER.fingerprint}"`)
  expect(body).not.toMatch(/<script>alert|<img/)
  expect(textIn((await browser.get('/ui/refusals/rfs_2')).body)).toContain('The caller showed no certificate')
  expect((await browser.get('/ui/refusals/rfs_99')).status).toBe(404)
})

it('needs operations.read', async () => {
  const { openAs } = await withRefusals()
  const person = await openAs(['events.read'])
  const { status, body } = await person.get('/ui/refusals')
  expect([status, textIn(body)]).toEqual([403, expect.stringContaining('operations.read')])
  expect(body).not.toContain('href="/ui/refusals"')
})

it('has words for every code in Portuguese', async () => {
  expect(REFUSAL_CODES.filter((code) => knownText(REFUSAL_REASONS[code], 'pt') === null)).toEqual([])
})
