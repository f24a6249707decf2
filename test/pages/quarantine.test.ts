import { expect, it } from 'vitest'
import { aHeldCallback } from '../support/builders.ts'
import { MARKUP, startPages, submitted, textIn } from './api-pages.ts'

const ONE = '/ui/quarantine/qtn_1'
const BODY = `{"amount":150.10,"account":"theirs","name":${JSON.stringify(MARKUP)}}`

async function withFacts() {
  const world = await startPages()
  for (const text of [BODY, '{"account":"other"}']) await world.api.store.storeCallback(aHeldCallback(text, []))
  return world
}

const states = async ({ api }: Awaited<ReturnType<typeof withFacts>>) =>
  (await api.store.listQuarantine({}, 9)).map(({ state }) => state)

it('lists what waits for a decision, and shows a fact with its payload as it was received', async () => {
  const { browser } = await withFacts()
  const list = textIn((await browser.get('/ui/quarantine')).body)
  expect(list).toMatch(/qtn_1 waits for a decision .* qtn_2 waits for a decision/)
  const { body } = await browser.get(ONE)
  expect(textIn(body)).toMatch(/"amount": 150\.10, .*"name": "<script>/)
  expect(body).not.toMatch(/<script>alert|<img/)
})

it('says of a body in ISO-8859-1 why no account was found in it', async () => {
  const { api, browser } = await startPages()
  await api.store.storeCallback(aHeldCallback(Buffer.from('{"account":"own","nome":"João"}', 'latin1')))
  const text = textIn((await browser.get(ONE)).body)
  expect(text).toContain('Why its body is not UTF-8, and its content type names no charset')
  expect(text).not.toContain('it names no account')
})

it('releases a fact with a reason; a second decision is refused in words', async () => {
  const world = await withFacts()
  const released = await submitted(world.browser, ONE, `${ONE}/release`, { reason: 'ours since May' })
  expect(released.flash).toMatch(/^good: qtn_1 is released\. It is the event evt_1_\w+\.$/)
  expect(released.body).toMatch(/href="\/ui\/events\/evt_1_\w+"/)
  expect(released.body).not.toContain(`${ONE}/discard`)
  expect(await states(world)).toEqual(['released', 'quarantined'])
  const again = await submitted(world.browser, ONE.replace('1', '2'), `${ONE}/discard`, { reason: 'late' })
  expect([again.location, again.flash]).toEqual([ONE, expect.stringMatching(/^bad: /)])
  const { actions } = await world.api.store.listActions({}, 9)
  expect(actions.map(({ action, reason, refersTo }) => [action, reason, refersTo])).toEqual([
    ['releaseQuarantined', 'ours since May', null],
    ['discardQuarantined', 'late', null],
    ['discardQuarantined', 'late', 2],
  ])
})

it('discards a fact, which stays visible', async () => {
  const world = await withFacts()
  expect((await submitted(world.browser, ONE, `${ONE}/discard`, { reason: 'not ours' })).flash).toBe(
    'good: qtn_1 is discarded.',
  )
  expect(await states(world)).toEqual(['discarded', 'quarantined'])
  expect(textIn((await world.browser.get('/ui/quarantine')).body)).not.toContain('qtn_1')
  expect(textIn((await world.browser.get('/ui/quarantine?state=any&reason=&environment=')).body)).toContain(
    'qtn_1 discarded',
  )
})

it('asks for a reason, and has no button for viewers who may not decide', async () => {
  const { browser, openAs } = await withFacts()
  expect((await browser.get(ONE)).body.match(/name="reason" maxlength="200" required/g)).toHaveLength(2)
  const reader = await openAs(['operations.read'])
  const { body } = await reader.get(ONE)
  expect([body.includes('/release"'), textIn(body).includes('that needs the scope operations.write')]).toEqual([
    false,
    true,
  ])
})

it('leads back from a fact that is not there', async () => {
  const { browser } = await withFacts()
  const { location, flash } = await submitted(browser, ONE, '/ui/quarantine/qtn_9/release', { reason: 'x' })
  expect([location, flash]).toEqual(['/ui/quarantine', 'bad: It does not exist, or no longer.'])
  expect((await browser.get('/ui/quarantine/qtn_9')).status).toBe(404)
})
