import { expect, it } from 'vitest'
import { aCallback, aDestination, aFact, NOON } from '../support/builders.ts'
import { MARKUP, startPages, submitted, textIn } from './api-pages.ts'

const NEW = '/ui/replays/new'
const COUNT = `${NEW}/count`
const ONE = '/ui/replays/rpl_1'

/** Two payments and a charge from before the destination. */
async function withEvents() {
  const world = await startPages()
  const { store } = world.api
  for (const [n, kind] of ['payment', 'payment', 'charge'].entries())
    await store.storeCallback(aCallback({ text: `${n}`, receivedAt: NOON + n * 1000, facts: [aFact({ kind })] }))
  await store.createDestination(aDestination({ name: 'books' }), NOON)
  return world
}

it('counts first, then starts what was counted', async () => {
  const { api, browser } = await withEvents()
  const asked = { destination: 'books', mode: 'missing', kinds: 'payment', environment: '', subject: '', from: '' }
  const counted = await browser.submit(NEW, COUNT, asked)
  expect(textIn(counted.body)).toContain('2 events would be delivered to books again. Nothing has been sent yet.')
  expect(await api.store.listReplays({}, 9)).toEqual([])
  const fields = { destination: 'books', mode: 'missing', kinds: 'payment', reason: 'lost by the receiver' }
  const started = await submitted(browser, NEW, NEW, fields)
  expect([started.location, started.flash]).toEqual([ONE, expect.stringContaining('good: rpl_1 has started.')])
  expect(await api.store.listReplays({}, 9)).toMatchObject([
    { matched: 2, mode: 'missing', filter: { kinds: ['payment'] } },
  ])
  const { actions } = await api.store.listActions({ action: 'createReplay' }, 9)
  expect(actions.at(-1)).toMatchObject({ reason: 'lost by the receiver', channel: 'page' })
})

it('a link with every field fills the form in, and counts nothing', async () => {
  const { api, browser } = await withEvents()
  const { body } = await browser.get(`${NEW}?destination=books&mode=all&kinds=payment,gone&status=LIQUIDADO&from=soon`)
  expect(body).toContain('<option value="dst_1" selected>books</option>')
  expect(body).toContain('<option value="all" selected>')
  expect([...body.matchAll(/name="kinds" value="(\w+)" checked/g)].map(([, kind]) => kind)).toEqual(['payment', 'gone'])
  expect(body).toContain('<option value="LIQUIDADO" selected>')
  expect((await browser.get(`${NEW}?status=OWN`)).body).toMatch(/id="otherStatus"[^>]* value="OWN"/)
  expect((await api.store.listActions({ action: 'createReplay' }, 9)).actions).toEqual([])
})

it('shows the progress of each replay, and cancels one', async () => {
  const { api, browser } = await withEvents()
  await submitted(browser, NEW, NEW, { destination: 'books' })
  await api.store.advanceReplay({ replayId: 1, from: 0, to: 2, positions: [1, 2] }, NOON)
  const { body } = await browser.get('/ui/replays')
  expect(textIn(body)).toMatch(/rpl_1 books running 0 of 3/)
  expect(body).toContain('<progress max="3" value="0"')
  const request = { destinationId: 1, now: NOON, leaseUntil: NOON + 60_000, limit: 1, backlogLimit: 1, freshSince: 0 }
  const { deliveries } = await api.store.claimDeliveries(request)
  const canceled = await submitted(browser, ONE, `${ONE}/cancel`, { reason: 'enough' })
  expect(canceled.flash).toBe('good: rpl_1 is canceled. Attempts under way, which may still arrive: 1.')
  await api.store.releaseClaims(deliveries)
  expect((await submitted(browser, '/ui/replays', `${ONE}/cancel`)).flash).toBe('good: rpl_1 is canceled.')
  expect(canceled.body).not.toContain('/cancel"')
  expect(await api.store.getReplay(1)).toMatchObject({ state: 'canceled' })
  const gone = await submitted(browser, ONE, '/ui/replays/rpl_9/cancel')
  expect([gone.location, gone.flash]).toEqual(['/ui/replays', 'bad: It does not exist, or no longer.'])
})

it('says how many of how many first, and what the receiver answered, equal answers once', async () => {
  const { api, browser, openAs } = await withEvents()
  await submitted(browser, NEW, NEW, { destination: 'books' })
  await api.store.advanceReplay({ replayId: 1, from: 0, to: 3, positions: [1, 2, 3] }, NOON)
  const request = { destinationId: 1, now: NOON, leaseUntil: NOON + 60_000, limit: 9, backlogLimit: 9, freshSince: 0 }
  const { deliveries } = await api.store.claimDeliveries(request)
  const failed = { attempt: 1, startedAt: NOON, durationMs: 1, status: 422, error: 'status 422' }
  const result = { state: 'exhausted', reason: 'the schedule is used up' } as const
  const answer = Buffer.from('unknown account')
  await api.store.recordAttempts(deliveries.map(({ deliveryId }) => ({ deliveryId, ...failed, answer, result })))
  expect(deliveries.length).toBeGreaterThan(1)
  const text = textIn((await browser.get(ONE)).body)
  expect(text).toMatch(/Replay rpl_1 Progress \d of 3/)
  expect(text.indexOf('of 3')).toBeLessThan(text.indexOf('Which events'))
  expect(text).toContain(`${deliveries.length} deliveries no more tries`)
  expect(text.split('unknown account')).toHaveLength(2)
  const reader = await openAs(['events.read', 'events.replay'])
  expect(textIn((await reader.get(ONE)).body)).not.toContain('unknown account')
})

it('is not done for a person while deliveries of it wait', async () => {
  const { api, browser } = await withEvents()
  await submitted(browser, NEW, NEW, { destination: 'books' })
  await api.store.advanceReplay({ replayId: 1, from: 0, to: 3, positions: [1, 2, 3] }, NOON)
  expect(textIn((await browser.get('/ui/replays')).body)).toMatch(/rpl_1 books sending 0 of 3/)
})

it.each([
  ['an unknown destination', { destination: 'nobody' }, 'There is no such destination.'],
  ['an unknown time', { destination: 'books', from: 'soon' }, 'The beginning of the period cannot be read.'],
])('says what is wrong with %s, and keeps what was typed', async (_, fields: Record<string, string>, words) => {
  const { browser } = await withEvents()
  const { status, body } = await browser.submit(NEW, COUNT, { ...fields, subject: MARKUP })
  expect([status, textIn(body)]).toEqual([200, expect.stringContaining(words)])
  const back = /<a href="(\/ui\/replays\/new[^"]+)"/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const form = await browser.get(back)
  expect(form.body).toContain('&lt;script&gt;')
  expect(form.body).not.toMatch(/<script>alert|<img/)
})

it('takes a status of the list, or another one, and lists the destinations that the viewer may see', async () => {
  const { api, browser, openAs } = await withEvents()
  const { body } = await browser.submit(NEW, COUNT, {
    destination: 'dst_1',
    status: 'LIQUIDADO',
    kinds: 'payment,charge',
  })
  const back = /<a href="(\/ui\/replays\/new[^"]+)"/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? ''
  expect(new URLSearchParams(back.split('?')[1]).get('kinds')).toBe('payment,charge')
  expect((await api.store.listActions({}, 9)).actions.at(-1)).toMatchObject({ details: { status: 'LIQUIDADO' } })
  await submitted(browser, NEW, NEW, { destination: 'dst_1', status: 'LIQUIDADO', otherStatus: 'OWN' })
  expect(await api.store.listReplays({}, 9)).toMatchObject([{ filter: { status: 'OWN' } }])
  const own = await openAs(['events.replay', 'destinations.read', 'events.read'])
  expect((await own.get(NEW)).body).not.toContain('>books</option>')
  const typing = await openAs(['events.replay'])
  expect((await typing.get(NEW)).body).toContain('<input id="destination"')
})

it('has nothing to start where no event matches', async () => {
  const { browser } = await withEvents()
  const { body } = await browser.submit(NEW, COUNT, { destination: 'books', subject: 'nothing' })
  expect(textIn(body)).toContain(
    'There is nothing to deliver: no event matches, or the deliveries of those that match still wait.',
  )
  expect(body).not.toContain(`action="${NEW}"`)
})

it('a viewer without events.replay looks only; the newest replay is first', async () => {
  const { browser, openAs } = await withEvents()
  for (const _ of [1, 2]) await submitted(browser, NEW, NEW, { destination: 'books', mode: 'all' })
  const reader = await openAs(['events.read', 'operations.read'])
  const { body } = await reader.get('/ui/replays')
  expect([...body.matchAll(/>(rpl_\d)</g)].map(([, id]) => id)).toEqual(['rpl_2', 'rpl_1'])
  expect(body).not.toContain(NEW)
  expect((await reader.get(ONE)).body).not.toContain('/cancel"')
  expect((await reader.get(NEW)).status).toBe(403)
})
