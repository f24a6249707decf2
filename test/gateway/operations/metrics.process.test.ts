import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:tls'
import { expect, it } from 'vitest'
import type { Address } from '../../../src/gateway/addresses.ts'
import { callApi, callBack } from '../../support/calls.ts'
import { BASE_CALLBACKS, createSite, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { hasPromtool, type Samples, scrape } from '../../support/metrics.ts'
import { openRawCaller } from '../../support/raw-calls.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

const PAYMENT = {
  path: '/callbacks/payment',
  split: ['/pix'],
  accounts: { allow: [{ pointers: ['/account'], values: ['own'] }] },
}
const CALLBACKS = { ...BASE_CALLBACKS, kinds: { ...BASE_CALLBACKS.kinds, payment: PAYMENT } }

const own = (id: string) => callerOf(`{"account":"own","identificador":"${id}"}`)
const callerOf = (body: string) => ({ body })

/** Those of a metric, with its name left out. */
function samplesNamed(samples: Samples, name: string): Record<string, number> {
  const named = Object.entries(samples).filter(([key]) => key.startsWith(`${name}{`))
  return Object.fromEntries(named.map(([key, value]) => [key.slice(name.length), value]))
}

const moved = (samples: Record<string, number>) =>
  Object.fromEntries(Object.entries(samples).filter(([, value]) => value > 0))

async function callWithoutCertificate({ port }: Address): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
  await once(socket, 'error')
}

function put(gateway: TestGateway, path: string): Promise<number> {
  return callBack(gateway, { path, method: 'PUT', body: '' }).then(({ status }) => status)
}

it('tells what came, what became of it, and who was refused', async () => {
  const gateway = await startTestGateway(await createSite({ callbacks: CALLBACKS }))
  await callBack(gateway, own('1'))
  await callBack(gateway, own('1'))
  await callBack(gateway, callerOf('{"pix":[{"account":"own","n":1},{"account":"own","n":2},{"account":"theirs"}]}'))
  await callBack(gateway, callerOf('{"account":"theirs"}'))
  await callBack(gateway, { path: '/callbacks/registration', environment: 'sandbox' })
  await callWithoutCertificate(gateway.callbacks)
  expect([await put(gateway, '/callbacks/payment'), await put(gateway, '/elsewhere')]).toEqual([405, 404])
  const samples = await until(
    () => scrape(gateway),
    (all) => all['portaria_refusals_total{listener="callbacks",code="no_certificate"}'] === 1,
  )

  const payment = 'kind="payment",environment="production"'
  expect(moved(samplesNamed(samples, 'portaria_callbacks_total'))).toEqual({
    [`{${payment},result="stored"}`]: 2,
    [`{${payment},result="duplicate"}`]: 1,
    [`{${payment},result="quarantined"}`]: 1,
    '{kind="registration",environment="sandbox",result="stored"}': 1,
  })
  expect(moved(samplesNamed(samples, 'portaria_facts_total'))).toEqual({
    [`{${payment},result="event"}`]: 3,
    [`{${payment},result="duplicate"}`]: 1,
    [`{${payment},result="quarantined"}`]: 2,
    '{kind="registration",environment="sandbox",result="event"}': 1,
  })
  expect(moved(samplesNamed(samples, 'portaria_refusals_total'))).toEqual({
    '{listener="callbacks",code="no_certificate"}': 1,
    '{listener="callbacks",code="wrong_method"}': 1,
    '{listener="callbacks",code="unknown_path"}': 1,
  })
  expect(samples).toMatchObject({
    portaria_acknowledge_seconds_count: 5,
    portaria_commit_callbacks_sum: 5,
    portaria_quarantined_facts: 2,
    portaria_writer_waiting_events: 0,
    portaria_store_readable: 1,
    portaria_ready: 1,
  })
  expect(samples.portaria_commit_seconds_sum).toBeGreaterThan(0)
  expect(samples.portaria_acknowledge_seconds_sum).toBeGreaterThan(samples.portaria_commit_seconds_sum as number)
})

it('tells how each destination does, and what it gets', async () => {
  const [good, bad] = [await startReceiver(), await startReceiver()]
  bad.answer(400)
  const site = await createSite({
    destinations: [
      { name: 'good', url: good.url },
      { name: 'bad', url: bad.url, schedule: ['0s'] },
      { name: 'waiting', url: bad.url },
    ],
  })
  const gateway = await startTestGateway(site)
  await callApi(gateway.api, '/v1/destinations/waiting/pause', { method: 'POST' })
  for (const id of ['1', '2']) await callBack(gateway, { body: `{"identificador":"${id}"}` })
  await callApi(gateway.api, '/v1/consumers/late/seek', { method: 'POST', body: { position: 'start' } })
  await until(() => gateway.lines.filter(({ event }) => event === 'delivery.exhausted').length === 2)
  await until(
    () =>
      gateway.lines.filter(({ event, destination }) => event === 'delivery.attempted' && destination === 'good')
        .length === 2,
  )
  const samples = await scrape(gateway)

  expect(samples).toMatchObject({
    'portaria_delivery_attempts_total{owner="",destination="good",result="delivered"}': 2,
    'portaria_delivery_attempts_total{owner="",destination="good",result="failed"}': 0,
    'portaria_delivery_attempts_total{owner="",destination="bad",result="failed"}': 2,
    'portaria_deliveries_total{owner="",destination="good",outcome="delivered"}': 2,
    'portaria_deliveries_total{owner="",destination="bad",outcome="exhausted"}': 2,
    'portaria_deliveries_total{owner="",destination="waiting",outcome="exhausted"}': 0,
    portaria_delivery_attempt_seconds_count: 4,
    'portaria_destination_paused{owner="",destination="waiting"}': 1,
    'portaria_destination_paused{owner="",destination="good"}': 0,
    'portaria_destination_circuit_open{owner="",destination="bad"}': 0,
    'portaria_backlog_deliveries{owner="",destination="waiting",state="waiting"}': 2,
    'portaria_consumer_lag_events{owner="",consumer="late"}': 2,
  })
  expect(samples['portaria_backlog_age_seconds{owner="",destination="waiting"}']).toBeGreaterThan(0)
  expect(samples['portaria_consumer_lag_seconds{owner="",consumer="late"}']).toBeGreaterThan(0)
})

it('a destination that is removed leaves no series behind', async () => {
  const { url } = await startReceiver()
  const gateway = await startTestGateway()
  await callApi(gateway.api, '/v1/destinations', { method: 'POST', body: { url, name: 'books' } })
  const series = async () =>
    Object.keys(await scrape(gateway)).filter((name) => name.startsWith('portaria_deliveries_total'))
  expect(await series()).toHaveLength(2)
  await callApi(gateway.api, '/v1/destinations/books', { method: 'DELETE' })
  expect(await series()).toEqual([])
})

it('counts what it had to answer with 503', async () => {
  const site = await createSite({
    callbacks: CALLBACKS,
    storage: { url: 'sqlite:data/portaria.db', queue: { events: 1 } },
  })
  const gateway = await startTestGateway(site)
  const caller = await openRawCaller(gateway)
  // The second one comes while the first one waits for the disk.
  const bodies = ['{"account":"own","n":1}', '{"account":"own","n":2}']
  caller.send(
    bodies
      .map(
        (body) =>
          `POST /callbacks/payment HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      )
      .join(''),
  )
  await caller.settled(2)
  const samples = await scrape(gateway)
  expect([
    caller.answers().map(({ status }) => status),
    samples['portaria_callbacks_total{kind="payment",environment="production",result="failed"}'],
  ]).toEqual([[200, 503], 1])
  expect(samples.portaria_acknowledge_seconds_count).toBe(1)
})

it('tells what is left of certificates, of the disk, and what runs here', async () => {
  const gateway = await startTestGateway()
  const samples = await until(
    () => scrape(gateway),
    (all) => 'portaria_certificate_left_seconds{set="server"}' in all,
  )
  expect(samples['portaria_certificate_left_seconds{set="server"}']).toBeGreaterThan(86_400)
  expect(samples['portaria_storage_bytes{file="database"}']).toBeGreaterThan(4096)
  expect(samples.portaria_storage_free_bytes).toBeGreaterThan(0)
  expect(Math.abs((samples.portaria_time_seconds as number) - Date.now() / 1000)).toBeLessThan(60)
  expect(samples).toMatchObject({
    'portaria_ready_check{check="migrations"}': 1,
    'portaria_disk_level{level="ok"}': 1,
    portaria_log_lines_dropped_total: 0,
  })
  expect(Object.keys(samplesNamed(samples, 'portaria_build_info'))).toEqual([
    `{version="0.1.0",node="${process.versions.node}"}`,
  ])
})

const LISTENING = { ...BASE_CALLBACKS.kinds, payment: { path: '/callbacks/payment', alertAfter: '1s' } }

it('tells of a kind that is silent, until a notification of production comes', async () => {
  const gateway = await startTestGateway(await createSite({ callbacks: { ...BASE_CALLBACKS, kinds: LISTENING } }))
  const isInactive = async () => (await scrape(gateway))['portaria_kind_silent{kind="payment"}']
  await until(isInactive, (silent) => silent === 1)
  await callBack(gateway, { environment: 'sandbox', body: '"sandbox"' })
  expect((await scrape(gateway))['portaria_kind_last_received_timestamp_seconds{kind="payment"}']).toBe(0)
  await callBack(gateway, { body: '"production"' })
  expect((await scrape(gateway))['portaria_kind_last_received_timestamp_seconds{kind="payment"}']).toBeGreaterThan(0)
})

it('listens to sandbox where no one calls from production', async () => {
  const trust = BASE_CALLBACKS.trust.filter(({ environment }) => environment === 'sandbox')
  const gateway = await startTestGateway(
    await createSite({ callbacks: { ...BASE_CALLBACKS, trust, kinds: LISTENING } }),
  )
  await callBack(gateway, { environment: 'sandbox', body: '"sandbox"' })
  expect((await scrape(gateway))['portaria_kind_last_received_timestamp_seconds{kind="payment"}']).toBeGreaterThan(0)
})

it('is for everybody on loopback, and for those with a token where it is protected', async () => {
  const open = await startTestGateway()
  expect((await callApi(open.api, '/metrics', { token: null })).status).toBe(200)
  const api = { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token', metrics: 'protected' }
  const guarded = await startTestGateway(await createSite({ api }))
  const statuses = [await callApi(guarded.api, '/metrics', { token: null }), await callApi(guarded.api, '/metrics')]
  expect(statuses.map(({ status }) => status)).toEqual([401, 200])
})

it.skipIf(!hasPromtool)('is what promtool takes for good metrics', async () => {
  const { url } = await startReceiver()
  const gateway = await startTestGateway(await createSite({ destinations: [{ name: 'books', url }] }))
  await callBack(gateway)
  const { body } = await callApi(gateway.api, '/metrics')
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: body, encoding: 'utf8' })
  expect([status, stdout, stderr]).toEqual([0, '', ''])
})
