import { expect, it } from 'vitest'
import type { Gaps, GapsQuery } from '../../src/domain/reconcile/gaps.ts'
import { aCallback, aFact } from '../support/builders.ts'
import { MARKUP, PAGE_BYTES, startPages, submitted, textIn } from './api-pages.ts'

const GAPS: Gaps = {
  data: [
    {
      ...{ kind: 'payment', environment: 'bank-a/production', day: '2026-03-04', received: 1200, reconciled: 34 },
      ...{ duplicates: 5, unknown: 2, delay: 12, settledBy: 'question to the service' },
    },
    {
      ...{ kind: 'registration', environment: 'sandbox', day: '2026-03-03', received: 7, reconciled: 0 },
      ...{ duplicates: 0, unknown: 0, delay: null, settledBy: 'GET /v1/:idPagamento' },
    },
  ],
  openings: ['a b&c', MARKUP],
}

/** Pages over these gaps, which are more than a store makes in a second, and the queries that it got. */
async function withGivenGaps(gaps = GAPS) {
  const queries: GapsQuery[] = []
  const listGaps = async (query: GapsQuery) => {
    queries.push(query)
    return gaps
  }
  return { ...(await startPages({ store: { listGaps }, institutions: ['bank-a'] })), queries }
}

it('shows the numbers of each day, what settles a gap, and openings that lead to the search', async () => {
  const { browser } = await withGivenGaps()
  const { body } = await browser.get('/ui/gaps')
  expect(textIn(body)).toContain(
    '2026-03-04 payment bank-a/production 1200 34 5 2 12 s a question to the service 2026-03-03 account opening registration sandbox 7 0 0 GET /v1/:idPagamento',
  )
  expect(body).toContain('<a href="/ui/?search=a+b%26c">')
  expect(body).not.toMatch(/<script>alert|<img/)
  const portuguese = textIn((await browser.get('/ui/gaps', { 'accept-language': 'pt' })).body)
  expect(portuguese).toContain('uma pergunta ao serviço')
  expect(portuguese).toContain('Aberturas em espera ou recusadas')
})

it('filters by day, institution and environment, and says what is wrong with a filter', async () => {
  const { browser, queries } = await withGivenGaps({ data: [], openings: [] })
  const { body } = await browser.get('/ui/gaps?since=2026-03-04&environment=sandbox')
  expect(queries).toEqual([{ since: '2026-03-04', environments: ['sandbox'], limit: 100 }])
  expect(textIn(body)).toContain('No day matches the filters.')
  expect(textIn((await browser.get('/ui/gaps')).body)).toContain('No events, and no gaps.')
  const { status, body: wrong } = await browser.get('/ui/gaps?since=soon')
  expect([status, textIn(wrong)]).toEqual([400, expect.stringMatching(/since: .*Back/)])
})

it('stays small with thousands of openings, and says how many it leaves out', async () => {
  const openings = Array.from({ length: 5_000 }, (_, index) => `${'0'.repeat(28)}${String(index).padStart(8, '0')}`)
  const data = Array.from({ length: 100 }, () => GAPS.data[0] as Gaps['data'][number])
  const { browser, openAs } = await withGivenGaps({ data, openings })
  const { body } = await browser.get('/ui/gaps')
  expect(body.length).toBeLessThan(PAGE_BYTES)
  expect(textIn(body)).toContain('4900 more; to list them, on the machine of the gateway: portaria service gaps')
  const reader = await (await openAs(['operations.read'])).get('/ui/gaps')
  expect(textIn(reader.body)).toMatch(/4900 more, which the operator can list(?!.*portaria service)/)
})

it('shows what the store counts, and without a right to read events no links to them', async () => {
  const { browser, api, openAs } = await startPages()
  await api.store.storeCallback(aCallback({ facts: [aFact({ subject: '4711' })] }))
  await api.store.noteSubjects({
    ...{ from: 0, through: 1, subjects: [] },
    events: [{ kind: 'payment', environment: 'production', day: '2026-01-15', received: 1, reconciled: 0 }],
  })
  expect(textIn((await browser.get('/ui/gaps')).body)).toContain('2026-01-15 payment production 1 0 0')
  const operations = await (await withGivenGaps()).openAs(['operations.read'])
  const { body } = await operations.get('/ui/gaps')
  expect([body.includes('href="/ui/gaps"'), body.includes('?search=')]).toEqual([true, false])
  const support = await openAs(['support.read'])
  expect((await support.get('/ui/gaps')).status).toBe(403)
})

const DAY = '2026-03-04'
const PAYMENTS = { kind: 'payment', environment: 'production' } as const
const OPENING = { kind: 'registration', environment: 'production', subject: MARKUP, type: 'opening' } as const

/** Pages over a store that has them. */
async function withGaps() {
  const world = await startPages()
  const { store } = world.api
  const events = [{ ...PAYMENTS, day: DAY, received: 7, reconciled: 2 }]
  await store.noteSubjects({ from: 0, through: 1, subjects: [], events })
  await store.keepUnknown([{ ...PAYMENTS, day: '2026-03-03', unknown: 3 }])
  return world
}

it('lists the days, the newest first, with what settles a gap', async () => {
  const { browser } = await withGaps()
  const text = textIn((await browser.get('/ui/gaps')).body)
  expect(text).toMatch(/2026-03-04 payment production 7 2 0 .*2026-03-03 payment production 0 0 3/)
  expect(text).toContain('a question to the service')
  expect(text).not.toContain('Openings that wait')
})

it('shows only the environment, or the days, that are asked for', async () => {
  const { browser } = await withGaps()
  expect(textIn((await browser.get('/ui/gaps?environment=sandbox')).body)).toContain('No day matches the filters.')
  const later = textIn((await browser.get(`/ui/gaps?since=${DAY}`)).body)
  expect([later.includes(`${DAY} payment`), later.includes('2026-03-03')]).toEqual([true, false])
})

it('opens with either scope that the API asks for, and with no other', async () => {
  const { openAs } = await withGaps()
  const status = async (scopes: Parameters<typeof openAs>[0]) => (await (await openAs(scopes)).get('/ui/gaps')).status
  expect(await status(['operations.read'])).toBe(200)
  expect(await status(['events.read', 'destinations.read'])).toBe(200)
  expect(await status(['support.read', 'support.unmask', 'support.replay'])).toBe(403)
})

it('leads from an opening that waits to its events, whatever its id is', async () => {
  const { api, browser } = await withGaps()
  await api.store.expectSubjects([OPENING], Date.now())
  const schedule = { everyMs: 3_600_000, giveUpAfterMs: 86_400_000 }
  const answer = { ...PAYMENTS, kind: OPENING.kind, asked: [OPENING], at: Date.now(), told: [], schedule }
  await api.store.settleAnswer({ ...answer, lack: 'undecided' })
  const { body } = await browser.get('/ui/gaps')
  const link = body.match(/href="(\/ui\/\?search=[^"]+)"/)?.[1] ?? ''
  expect(new URL(link, 'http://pages').searchParams.get('search')).toBe(MARKUP)
  expect(body).not.toMatch(/<script>alert|<img/)
})

it.each([
  ['en', 'The service was asked at', 'Ask the service for what was missed', 'good: The service is being asked.'],
  ['pt', 'O serviço foi consultado em', 'Perguntar ao serviço o que faltou', 'good: O serviço está sendo consultado.'],
])('asks the service for what was missed, where the person may, in %s', async (language, asked, button, done) => {
  const kinds = [{ environment: 'sandbox', payments: 'payment', openings: null, charges: null }] as const
  const { api, browser, openAs } = await startPages({ reconcile: { kinds: () => kinds } })
  await browser.submit('/ui/', '/ui/language', { language, next: '/ui/' })
  const page = textIn((await browser.get('/ui/gaps')).body)
  expect([page.includes(asked), page.includes(button)]).toEqual([true, true])
  const { flash } = await submitted(browser, '/ui/gaps', '/ui/gaps/reconcile', { reason: 'after the outage' })
  expect(flash).toMatch(done)
  const { actions } = await api.store.listActions({}, 9)
  expect(actions.map(({ action, reason }) => [action, reason])).toEqual([['startReconcile', 'after the outage']])
  const reader = await openAs(['operations.read'])
  expect((await reader.get('/ui/gaps')).body).not.toContain('/ui/gaps/reconcile')
})

it('has no button where the service is not asked', async () => {
  const { browser } = await startPages({ reconcile: { kinds: () => [] } })
  expect((await browser.get('/ui/gaps')).body).not.toContain('/ui/gaps/reconcile')
})
