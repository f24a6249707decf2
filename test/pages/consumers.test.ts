import { expect, it } from 'vitest'
import { wallTime } from '../../src/pages/parts/period.ts'
import { aCallback, aFact, NOON } from '../support/builders.ts'
import { PAGE_BYTES, startPages, submitted, textIn } from './api-pages.ts'

const ONE = '/ui/consumers/operator/books'

async function withConsumers() {
  const world = await startPages()
  const { store } = world.api
  for (const n of [1, 2, 3])
    await store.storeCallback(
      aCallback({ text: `${n}`, receivedAt: NOON + n * 1000, facts: [aFact({ subject: `${n}` })] }),
    )
  await store.seekConsumer({ owner: null, name: 'books' }, 0, NOON)
  await store.seekConsumer({ owner: null, name: 'ahead' }, 3, NOON)
  return world
}

const positionOf = async ({ api }: Awaited<ReturnType<typeof withConsumers>>) =>
  (await api.store.getConsumer({ owner: null, name: 'books' }))?.position

it('lists consumers with their lag in events and in time, the last one first', async () => {
  const { browser } = await withConsumers()
  const { body } = await browser.get('/ui/consumers')
  expect(textIn(body)).toMatch(/books the operator 3 \d+ d .* ahead the operator 0 none/)
  expect(body).toContain(`<a href="${ONE}">books</a>`)
  expect(body).not.toContain('<button class="danger">')
})

it('pages through a thousand consumers', async () => {
  const { api, browser } = await startPages()
  for (let n = 0; n < 60; n++) await api.store.seekConsumer({ owner: `cli_${n % 2}`, name: `c${n}` }, 0, NOON)
  const first = await browser.get('/ui/consumers')
  expect([first.body.length < PAGE_BYTES, first.body.match(/href="\/ui\/consumers\/cli/g)?.length]).toEqual([true, 25])
  const second = await browser.get('/ui/consumers?from=50')
  expect(second.body.match(/href="\/ui\/consumers\/cli/g)).toHaveLength(10)
})

it.each([
  ['the end', { to: 'latest' }, 3],
  ['the start', { to: 'start' }, 0],
  ['a time', { to: 'time', time: '2026-01-15T12:00:02Z' }, 1],
  ['behind an event', { to: 'after', after: 'evt_2_0123456789' }, 2],
])('moves a consumer to %s', async (_, fields, position) => {
  const world = await withConsumers()
  await world.api.store.seekConsumer({ owner: null, name: 'books' }, 1, NOON)
  const { flash } = await submitted(world.browser, ONE, `${ONE}/seek`, { ...fields, reason: 'again' })
  expect([flash, await positionOf(world)]).toEqual(['good: books was moved.', position])
})

it.each([
  [{ to: 'time', time: 'soon' }, /^bad: .*time/],
  [{ to: 'after', after: 'x' }, /^bad: .*id of an event, or a cursor/],
  [{ to: 'nowhere' }, /^bad: /],
])('says what is wrong with the place %j', async (fields, words) => {
  const world = await withConsumers()
  expect((await submitted(world.browser, ONE, `${ONE}/seek`, fields)).flash).toMatch(words)
  expect(await positionOf(world)).toBe(0)
})

it('a time to move to is chosen in the control of every page, in the zone of the gateway', async () => {
  const world = await withConsumers()
  const { body } = await world.browser.get(ONE)
  expect(body).toContain('name="time" type="datetime-local"')
  expect(textIn(body)).toContain('In the time zone')
  const time = wallTime(Date.parse('2026-01-15T12:00:02Z'))
  expect(time).toMatch(/^2026-01-15T\d\d:\d\d$/)
  const { flash } = await submitted(world.browser, ONE, `${ONE}/seek`, { to: 'time', time })
  expect([flash, await positionOf(world)]).toEqual(['good: books was moved.', 0])
})

it('deletes a consumer; one that is gone leads back to the list', async () => {
  const world = await withConsumers()
  const deleted = await submitted(world.browser, ONE, `${ONE}/delete`)
  expect([deleted.location, deleted.flash]).toEqual(['/ui/consumers', 'good: books is deleted.'])
  const again = await submitted(world.browser, '/ui/consumers/operator/ahead', `${ONE}/delete`)
  expect([again.location, again.flash]).toEqual(['/ui/consumers', 'bad: It does not exist, or no longer.'])
  expect((await world.browser.get(ONE)).status).toBe(404)
})

it('shows a client its own, with buttons, and others only with operations.read, without', async () => {
  const { api, openAs } = await withConsumers()
  const person = await openAs(['events.read'])
  await api.store.seekConsumer({ owner: person.id, name: 'mine' }, 1, NOON)
  expect(textIn((await person.get('/ui/consumers')).body)).not.toContain('books')
  expect((await person.get(`/ui/consumers/${person.id}/mine`)).body).toContain('/seek"')
  expect((await person.get(ONE)).status).toBe(404)
  const reader = await openAs(['events.read', 'operations.read'])
  const { status, body } = await reader.get(ONE)
  expect([status, body.includes('/seek"'), textIn(body).includes('It belongs to another client')]).toEqual([
    200,
    false,
    true,
  ])
})
