import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { generate } from 'selfsigned'
import { expect, it } from 'vitest'
import { COMMAND } from '../../src/platform/installation.ts'
import { TestBrowser } from '../pages/browser.ts'
import { allEvents, callApi, callBack } from '../support/calls.ts'
import { createSite, startTestGateway } from '../support/gateway.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { linesOf, portaria } from './program.ts'

const FORWARDING = { allowedNetworks: ['127.0.0.0/8'], schedule: ['0s'], timeout: '2s' }

it('what failed is looked at, retried, skipped and replayed at the running gateway', async () => {
  const site = await createSite({ forwarding: FORWARDING })
  const gateway = await startTestGateway(site)
  const [receiver, other] = [await startReceiver(), await startReceiver()]
  const run = (...args: string[]) => portaria(site, ...args)
  const ca = join(site.folder, 'ca.pem')
  const made = await generate([{ name: 'commonName', value: 'ca' }], {
    keyType: 'ec',
    extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
  })
  writeFileSync(ca, made.cert)
  receiver.answer(422)
  const books = await run(
    ...['destinations', 'create', receiver.url, '--name', 'books', '--rate-limit', '100', '--schedule', '0s,50ms'],
    ...['--order', 'subject', '--on-exhausted', 'hold', '--ca', ca, '--json'],
  )
  await run('destinations', 'create', other.url, '--name', 'other', '--kind', 'charge')
  expect(linesOf(books)).toMatchObject([
    {
      name: 'books',
      rateLimit: 100,
      scheduleMs: [0, 50],
      order: 'subject',
      onExhausted: 'hold',
      hasAuthorities: true,
      circuit: 'closed',
    },
  ])
  for (const n of [1, 2]) await callBack(gateway, { body: `{"identificador":"a","n":${n}}` })
  await until(() => gateway.lines.some(({ event }) => event === 'delivery.exhausted'))
  const [event, second] = await allEvents(gateway.api)

  const [shown, json, stats, one, list, none] = await Promise.all([
    run('deliveries', 'show', 'dlv_1'),
    run('deliveries', 'show', 'dlv_1', '--json'),
    run('destinations', 'stats'),
    run('destinations', 'stats', 'books', '--json'),
    run('destinations', 'list'),
    run('deliveries', 'show', 'dlv_99'),
  ])
  expect(shown.stdout).toMatch(/^delivery\n.* exhausted\n/s)
  expect(shown.stdout.match(/^ {2}attempt \d .* 422 {2}answered HTTP 422: thanks$/gm)).toHaveLength(2)
  expect(linesOf(json)).toMatchObject([
    { id: 'dlv_1', state: 'exhausted', lastAnswer: 'thanks', latestAttempts: [{ answer: 'thanks' }, { attempt: 2 }] },
  ])
  const cells = (text: string) => text.split('\n').map((line) => line.split(/ {2,}/))
  expect(cells(stats.stdout).slice(0, 2)).toEqual([
    ['name', 'state', 'circuit', 'waiting', 'blocked', 'oldest', 'attempts', 'success', 'p50 ms', 'p95 ms', 'p99 ms'],
    [
      'books',
      'active',
      'closed',
      '0',
      '1',
      expect.stringMatching(/Z$/),
      '2',
      '0 %',
      ...Array(3).fill(expect.any(String)),
    ],
  ])
  expect(linesOf(one)).toMatchObject([{ name: 'books', attempts: 2, successRate: 0, blocked: 1 }])
  expect(cells(list.stdout)[1]).toEqual([
    'dst_1',
    'books',
    'operator',
    'active',
    '0',
    'all',
    'both',
    '1',
    'closed',
    'operator',
    receiver.url,
    '-',
  ])
  expect([none.code, none.stderr]).toEqual([1, 'portaria: there is no delivery dlv_99\n'])

  receiver.answer(200)
  const refused = await Promise.all([
    run('deliveries', 'retry', 'dlv_2'),
    run('deliveries', 'skip', 'dlv_99'),
    run('deliveries', 'retry', 'nonsense'),
    run('events', 'replay', 'evt_1_nonsense'),
    run('events', 'replay', event?.id as string, '--destination', 'nobody'),
    run('destinations', 'stats', 'nobody'),
    run('destinations', 'create', receiver.url, '--schedule', '0s,soon'),
  ])
  expect(refused.map(({ code, stdout }) => [code, stdout])).toEqual([1, 1, 2, 1, 1, 1, 2].map((code) => [code, '']))
  expect(refused[0]?.stderr).toMatch(/dlv_2 waits for another delivery of its subject: retry or skip that one/)

  const left = await run('events', 'replay', second?.id as string)
  const wait = `dlv_2 is pending already and was not changed: see ${COMMAND} deliveries show dlv_2`
  expect([left.code, left.stdout]).toEqual([0, `${wait}\n`])
  await run('destinations', 'pause', 'books')
  const paused = await run('deliveries', 'retry', 'dlv_1')
  expect([paused.code, paused.stdout]).toEqual([0, 'dlv_1 is pending again; it waits: the destination is paused\n'])
  await run('destinations', 'resume', 'books')
  await until(() => receiver.received.length === 4)

  const retried = await run('deliveries', 'retry', 'dlv_1')
  expect([retried.code, retried.stdout]).toEqual([0, 'dlv_1 is due now\n'])
  await until(() => receiver.received.length === 5)
  const [replayed, elsewhere, skipped] = await Promise.all([
    run('events', 'replay', event?.id as string, '--json'),
    run('events', 'replay', event?.id as string, '--destination', 'other'),
    run('deliveries', 'skip', 'dlv_2'),
  ])
  expect(linesOf(replayed)).toMatchObject([{ event: event?.id, deliveries: expect.arrayContaining(['dlv_1']) }])
  expect(elsewhere.stdout).toBe(`${event?.id} is due again: dlv_3\n`)
  expect([skipped.code, skipped.stderr]).toEqual([1, expect.stringMatching(/dlv_2 is delivered already/)])
  const [again] = await until(
    () => other.received,
    (all) => all.length >= 1,
  )
  expect(again?.headers['webhook-id']).toBe(event?.id)
})

it('a delivery behind an open circuit or a paused destination says so instead of its time', async () => {
  const site = await createSite({ forwarding: { ...FORWARDING, circuit: { failures: 1, probeInterval: '1h' } } })
  const gateway = await startTestGateway(site)
  const receiver = await startReceiver()
  receiver.answer(503)
  const run = (...args: string[]) => portaria(site, ...args)
  await run('destinations', 'create', receiver.url, '--name', 'books')
  await callBack(gateway, { body: '{"n":1}' })
  await until(() => gateway.lines.some(({ event }) => event === 'destination.circuit_opened'))
  await until(() => gateway.lines.some(({ event }) => event === 'delivery.attempted'))
  const [event] = await allEvents(gateway.api)
  const shown = () =>
    Promise.all(
      [
        ['deliveries', 'list'],
        ['deliveries', 'show', 'dlv_1'],
        ['events', 'show', event?.id as string],
      ].map(async (args) => (await run(...args)).stdout),
    )
  for (const text of await shown())
    expect(text).toMatch(/books does not accept it \(HTTP 503\), next try \d{4}-\d\d-\d\d \d\d:\d\d/)
  expect(linesOf(await run('deliveries', 'list', '--json'))).toMatchObject([
    { waitsFor: 'circuit', nextProbeAt: expect.stringMatching(/Z$/) },
  ])
  await run('destinations', 'pause', 'books')
  for (const text of await shown()) expect(text).toContain('waits: books is paused')
  await run('destinations', 'resume', 'books')
  await gateway.stop()
  for (const text of await shown()) expect(text).toContain('books does not accept it (HTTP 503)')
})

it('a redirect shows where to: in the test of a destination, its deliveries, the API and the page', async () => {
  const site = await createSite({ forwarding: FORWARDING })
  const gateway = await startTestGateway(site)
  const receiver = await startReceiver()
  receiver.answer(308, { location: '/new?x=1' })
  const run = (...args: string[]) => portaria(site, ...args)
  await run('destinations', 'create', receiver.url, '--name', 'books')
  await callBack(gateway, { body: '{"n":1}' })
  await until(() => gateway.lines.some(({ event }) => event === 'delivery.exhausted'))
  const [event] = await allEvents(gateway.api)
  const [tested, shown] = [await run('destinations', 'test', 'books'), await run('deliveries', 'show', 'dlv_1')]
  const listed = await callApi(gateway.api, '/v1/deliveries')
  const browser = new TestBrowser(gateway)
  await browser.signIn()
  const pages = [
    await browser.get('/ui/destinations/dst_1?state=exhausted'),
    await browser.get(`/ui/events/${event?.id}`),
  ]
  const words = `redirect to http://127.0.0.1:${receiver.port}/new?x=*** is not followed (HTTP 308)`
  for (const text of [tested.stdout + tested.stderr, shown.stdout, listed.body, ...pages.map(({ body }) => body)])
    expect(text).toContain(words)
})

it('of very many attempts the latest are shown, and how many there are', async () => {
  const site = await createSite({ forwarding: { ...FORWARDING, schedule: ['0s', '1h'] } })
  const receiver = await startReceiver()
  const gateway = await startTestGateway(site)
  receiver.answer(422)
  await portaria(site, 'destinations', 'create', receiver.url, '--name', 'books')
  await callBack(gateway, { body: '{"n":1}' })
  await until(() => gateway.lines.some(({ event }) => event === 'delivery.attempted'))
  await gateway.stop()
  const db = new Database(join(site.folder, 'data/portaria.db'))
  db.exec(`
    with recursive number (n) as (select 2 union all select n + 1 from number where n < 520)
    insert into attempts (delivery_id, attempt, started_at, duration_ms, status, error) select 1, n, n, 1, 500, 'x' from number;
    update deliveries set attempts = 520`)
  db.close()
  const [text, json] = await Promise.all([
    portaria(site, 'deliveries', 'show', 'dlv_1'),
    portaria(site, 'deliveries', 'show', 'dlv_1', '--json'),
  ])
  expect(text.stdout).toContain('\n  the latest 500 of 520 attempts\n  attempt 21  ')
  expect(text.stdout).toMatch(/\n {2}attempt 520 .*\n$/)
  const [shown] = linesOf(json) as { attempts: number; latestAttempts: { attempt: number }[] }[]
  expect([shown?.attempts, shown?.latestAttempts.length, shown?.latestAttempts.at(-1)?.attempt]).toEqual([
    520, 500, 520,
  ])
  const [lately, before] = await Promise.all([
    portaria(site, 'deliveries', 'list', '--json', '--from', '1h'),
    portaria(site, 'deliveries', 'list', '--json', '--to', '1h'),
  ])
  expect([linesOf(lately).map(({ id }) => id), linesOf(before)]).toEqual([['dlv_1'], []])
})

it('without a running gateway the same is decided, and done when it starts', async () => {
  const site = await createSite({ forwarding: FORWARDING })
  const receiver = await startReceiver()
  const first = await startTestGateway(site)
  const run = (...args: string[]) => portaria(site, ...args)
  receiver.answer(422)
  await run('destinations', 'create', receiver.url, '--name', 'books')
  for (const n of [1, 2, 3]) await callBack(first, { body: `{"n":${n}}` })
  await until(() => first.lines.filter(({ event }) => event === 'delivery.exhausted').length === 3)
  const events = await allEvents(first.api)
  await first.stop()
  receiver.answer(200)
  const [retried, replayed, stats] = await Promise.all([
    run('deliveries', 'retry', 'dlv_1'),
    run('events', 'replay', events[1]?.id as string),
    run('destinations', 'stats', '--json'),
  ])
  expect([retried.code, replayed.code, stats.code]).toEqual([0, 0, 0])
  expect(linesOf(stats)).toMatchObject([{ name: 'books', attempts: 0, successRate: null, latencyMs: { p50: null } }])
  const skipped = await run('deliveries', 'skip', 'dlv_2', '--json')
  expect(linesOf(skipped)).toEqual([{ skipped: 'dlv_2' }])
  await startTestGateway(site)
  await until(() => receiver.received.length === 4)
  expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(events[0]?.id)
})
