import { join } from 'node:path'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import type { Address } from '../../../src/gateway/addresses.ts'
import { allEvents, callApi, callBack, keepAliveAgent } from '../../support/calls.ts'
import { BASE_CALLBACKS, createSite, spawnGateway, startTestGateway, type TestSite } from '../../support/gateway.ts'
import { violationsOf } from '../../support/invariants.ts'
import { type Received, startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

const ALLOWED = { allow: [{ pointers: ['/conta/numero', '/chave'], values: ['012345-6', '777'] }] }

/** Payments are let in about two accounts; everything else as it comes. */
function siteWithAccounts(accounts: object = ALLOWED, folder?: string): Promise<TestSite> {
  const payment = { path: '/callbacks/payment', split: ['/pix'], accounts }
  return createSite({ callbacks: { ...BASE_CALLBACKS, kinds: { ...BASE_CALLBACKS.kinds, payment } } }, folder)
}

interface Quarantined {
  readonly id: string
  readonly reason: string
  readonly state: string
  readonly subject: string | null
  readonly seen: number
  readonly receivedAt: string
  readonly event: string | null
}

async function quarantine(api: Address): Promise<Quarantined[]> {
  return (JSON.parse((await callApi(api, '/v1/quarantine?limit=1000')).body) as { data: Quarantined[] }).data
}

async function createBooks(api: Address, url: string): Promise<string> {
  const answer = await callApi(api, '/v1/destinations', { method: 'POST', body: { url, name: 'books' } })
  return (JSON.parse(answer.body) as { secret: string }).secret
}

const subjectsOf = (received: readonly Received[]) =>
  received.map(({ body }) => (JSON.parse(body.toString()) as { pix: { txid: string }[] }).pix.map(({ txid }) => txid))

const violations = (site: TestSite) =>
  violationsOf(join(site.folder, 'data/portaria.db'), { now: Date.now(), stuckAfterMs: 60_000 })

it('what is one’s own passes; what is somebody else’s is answered 200 and kept, but neither forwarded nor polled', async () => {
  const site = await siteWithAccounts()
  const gateway = await startTestGateway(site)
  const receiver = await startReceiver()
  await createBooks(gateway.api, receiver.url)
  const items = ['{"txid":"own","conta":{"numero":"012345-6"}}', '{"txid":"theirs","chave":"888"}', '{"txid":"none"}']
  const answers = [
    await callBack(gateway, { body: `{"pix":[${items.join()}]}` }),
    await callBack(gateway, { body: '{"pix":[{"txid":"alone","chave":"999","secret":"of theirs"}]}' }),
    await callBack(gateway, { body: 'not JSON' }),
    await callBack(gateway, { body: '{"pix":[{"txid":"last","chave":777}]}' }),
    await callBack(gateway, { path: '/callbacks/registration', body: '{"identificador":"other kind"}' }),
    await callBack(gateway, { body: '{"evento":"teste_webhook"}' }),
  ]
  expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(6).fill([200, '200']))

  expect((await allEvents(gateway.api)).map(({ subject }) => subject)).toEqual(['own', 'last', 'other kind'])
  expect(await allEvents(gateway.api, '&kind=probe')).toHaveLength(1)
  expect((await quarantine(gateway.api)).map(({ subject, reason }) => [subject, reason])).toEqual([
    ['theirs', 'account_foreign'],
    ['none', 'account_missing'],
    ['alone', 'account_foreign'],
    [null, 'account_missing'],
  ])
  const received = await until(
    () => receiver.received,
    (all) => all.length === 3,
  )
  const bodies = received.map(({ body }) => body.toString()).join()
  expect(['own', 'last', 'other kind', 'theirs', 'none', 'alone'].filter((id) => bodies.includes(`"${id}"`))).toEqual([
    ...['own', 'last', 'other kind'],
  ])

  const warnings = gateway.lines.filter(({ event }) => event === 'callback.quarantined')
  expect(warnings).toMatchObject([
    {
      level: 'warn',
      kind: 'payment',
      environment: 'production',
      listener: 'callbacks',
      reasons: ['account_foreign', 'account_missing'],
      quarantined: ['qtn_1', 'qtn_2'],
    },
    { reasons: ['account_foreign'], quarantined: ['qtn_3'] },
    { reasons: ['account_missing'], quarantined: ['qtn_4'] },
  ])
  expect(JSON.stringify(gateway.lines)).not.toMatch(/of theirs|888|999/)
  const [mixed] = gateway.lines.filter(({ event }) => event === 'callback.stored')
  expect(mixed).toMatchObject({ quarantined: ['qtn_1', 'qtn_2'], duplicates: 0, deliveries: 1 })
  expect(violations(site)).toEqual([])
})

it('a released fact goes out signed and once, with the time at which it came, and wakes a caller that waits for it', async () => {
  const gateway = await startTestGateway(await siteWithAccounts())
  const receiver = await startReceiver()
  const secret = await createBooks(gateway.api, receiver.url)
  const body = '{"pix":[{"txid":"A","chave":"888","valor":150.10}]}'
  for (let n = 0; n < 3; n++) await callBack(gateway, { body })
  const [held] = await quarantine(gateway.api)
  expect(held).toMatchObject({ id: 'qtn_1', seen: 3, state: 'quarantined' })
  const poll = callApi(gateway.api, '/v1/events?subject=A&wait=30')

  const release = () => callApi(gateway.api, '/v1/quarantine/qtn_1/release', { method: 'POST' })
  const statuses = (await Promise.all([release(), release()])).map(({ status }) => status)

  expect(statuses.sort()).toEqual([200, 409])
  const [sent] = await until(
    () => receiver.received,
    (all) => all.length > 0,
  )
  expect(sent?.body.toString()).toBe(body)
  expect(sent?.headers).toMatchObject({ 'portaria-received-at': held?.receivedAt, 'portaria-kind': 'payment' })
  expect(new Webhook(secret).verify(body, sent?.headers as Record<string, string>)).toBeTruthy()
  const polled = JSON.parse((await poll).body) as { data: { id: string }[] }
  const [released] = await quarantine(gateway.api)
  expect(released).toMatchObject({ state: 'released', event: sent?.headers['webhook-id'] })
  expect(polled.data.map(({ id }) => id)).toEqual([released?.event])
  expect(await allEvents(gateway.api)).toMatchObject([{ subject: 'A', duplicates: 2 }])
  const again = await callBack(gateway, { body })
  expect([again.status, (await quarantine(gateway.api)).length, receiver.received.length]).toEqual([200, 1, 1])
})

it('what the configuration was wrong about comes in again once it is corrected, and its release then makes no second event', async () => {
  const site = await siteWithAccounts({ allow: [{ pointers: ['/chave'], values: ['1'] }] })
  const first = await startTestGateway(site)
  const body = '{"pix":[{"txid":"A","chave":"777"}]}'
  await callBack(first, { body })
  expect(await quarantine(first.api)).toHaveLength(1)
  await first.stop()

  const second = await startTestGateway(await siteWithAccounts(ALLOWED, site.folder))
  await callBack(second, { body })
  const events = await allEvents(second.api)
  const released = await callApi(second.api, '/v1/quarantine/qtn_1/release', { method: 'POST' })
  expect(JSON.parse(released.body)).toMatchObject({ duplicate: true, event: events[0]?.id })
  expect(await allEvents(second.api)).toMatchObject([{ id: events[0]?.id, duplicates: 1 }])
})

it('keeps what was answered and what was decided across kill -9, and forwards what was just released', async () => {
  const site = await siteWithAccounts()
  const receiver = await startReceiver()
  const first = await spawnGateway(site)
  await createBooks(first.api, receiver.url)
  receiver.answer(503)
  const subjects = ['A', 'B', 'C']
  const items = subjects.map((txid) => `{"txid":"${txid}","chave":"888"}`)
  await callBack({ ...first, site }, { body: `{"pix":[{"txid":"own","chave":"777"},${items.join()}]}` })
  await callApi(first.api, '/v1/quarantine/qtn_1/release', { method: 'POST' })
  await callApi(first.api, '/v1/quarantine/qtn_2/discard', { method: 'POST' })
  first.process.kill('SIGKILL')
  await first.exited
  expect(violations(site)).toEqual([])

  receiver.answer(200)
  const before = receiver.received.length
  const second = await spawnGateway(site)
  expect((await quarantine(second.api)).map(({ subject, state }) => [subject, state])).toEqual([
    ['A', 'released'],
    ['B', 'discarded'],
    ['C', 'quarantined'],
  ])
  expect((await allEvents(second.api)).map(({ subject }) => subject)).toEqual(['own', 'A'])
  const late = await until(
    () => subjectsOf(receiver.received.slice(before)).flat(),
    (got) => got.includes('own') && got.includes('A'),
  )
  expect(late.filter((txid) => ['B', 'C'].includes(txid))).toEqual([])
})

it('answers 200 to whatever comes, and lets in exactly what names an account of one’s own', async () => {
  const site = await siteWithAccounts()
  const gateway = await startTestGateway(site)
  const agent = keepAliveAgent(site)
  const account = fc.constantFrom('"777"', '777', '"012345-6"', '"888"', 'null', '[]', '{}', '1e999', '"\\ud800"')
  const item = account.map((value) => `{"chave":${value},"conta":{"numero":${value}}}`)
  const body = fc.oneof(
    fc.json(),
    fc.string(),
    fc.array(item, { maxLength: 4 }).map((items) => `{"pix":[${items.join()}]}`),
    fc.tuple(item, fc.nat(40)).map(([text, cut]) => text.slice(0, cut)),
  )
  await fc.assert(
    fc.asyncProperty(fc.oneof(body, fc.uint8Array({ maxLength: 60 })), async (sent) => {
      expect((await callBack(gateway, { body: sent, agent })).status).toBe(200)
    }),
    { numRuns: 150 },
  )
  agent.destroy()
  for (const { data } of (await allEvents(gateway.api)) as { data: unknown }[])
    expect(JSON.stringify(data)).toMatch(/"777"|:777|"012345-6"/)
  expect((await quarantine(gateway.api)).length).toBeGreaterThan(10)
  expect(violations(site)).toEqual([])
})
