import { createHmac } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { publishedEventsOf } from '../../../src/domain/event-bus.ts'
import type { Address } from '../../../src/gateway/addresses.ts'
import { PortariaError } from '../../../src/platform/errors.ts'
import { type RunningApi, startApi } from '../../api/api.ts'
import { aCallback, aFact, NOON } from '../../support/builders.ts'
import { callApi, callBack } from '../../support/calls.ts'
import { IS_FULL } from '../../support/campaign.ts'
import { type Language, type RunningExample, runExample, startExample, THERE } from '../../support/examples.ts'
import { startTestGateway } from '../../support/gateway.ts'
import { startReceiver } from '../../support/receiver.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const LIMIT_MS = 20_000

/** The shell starts openssl and curl for each event: it is tried at night. */
const TRIED = THERE.filter(({ ending }) => IS_FULL || ending !== 'sh')

describe.each(TRIED)('the example in $language', (language) => {
  it('polls, goes on where it was after a kill, and where a 410 tells it to', { timeout: 60_000 }, async () => {
    const api = await startApi()
    const { store } = api
    const cursorFile = join(temporaryFolder(), 'cursor')
    const env = await environmentOf(api, cursorFile)
    const ids: string[] = []
    const receive = async (text: string) => {
      ids.push(...(await store.storeCallback(aCallback({ text, receivedAt: NOON + ids.length }))).eventIds)
    }
    const kept = () => (existsSync(cursorFile) ? readFileSync(cursorFile, 'utf8') : '')
    /** Until it has kept its place behind so many events; what it said of them, in their order. */
    async function run(position: number): Promise<string[]> {
      const example = startExample('poll', language, env)
      await until(() => Buffer.from(kept(), 'base64url').toString().split(':')[1] === `${position}`, Boolean, LIMIT_MS)
      await example.kill()
      return [...example.said().matchAll(/"id": ?"(evt_\w+)"/g)].map(([, id]) => id as string)
    }

    await receive('{"pago":"ação"}')
    await receive('two')
    expect(await run(2)).toEqual(ids)
    await receive('{"next":"three","more":false}')
    expect(await run(3)).toEqual(ids.slice(2))

    for (const text of ['four', 'five']) await receive(text)
    for (const part of ['payload', 'metadata'] as const) {
      const before = NOON + 4
      const found = await store.findRemovable({ part, kind: 'payment', before, after: null }, 100)
      await store.removeAged({ part, before, callbackIds: found.callbacks.map(({ callbackId }) => callbackId) }, NOON)
    }
    expect(await run(5)).toEqual(ids.slice(4))
  })

  it('renews its token before it expires, after a 401, and goes on after 503 and 429', {
    timeout: 60_000,
  }, async () => {
    const clock = { now: NOON }
    const failing: PortariaError[] = []
    const api = await startApi({ now: () => clock.now, tokenLifetimeS: 1, store: { listEvents } })
    async function listEvents(...args: Parameters<typeof api.store.listEvents>) {
      const error = failing.pop()
      if (error !== undefined) throw error
      return api.store.listEvents(...args)
    }
    const tokens = () => api.lines.filter(({ event }) => event === 'token.issued').length
    const cursorFile = join(temporaryFolder(), 'cursor')
    const example = startExample('poll', language, await environmentOf(api, cursorFile))
    const ids: string[] = []
    async function receive(): Promise<void> {
      const callback = aCallback({ text: `{"n":${ids.length}}`, facts: [aFact()] })
      const stored = await api.store.storeCallback(callback)
      ids.push(...stored.eventIds)
      api.bus.publish(publishedEventsOf(callback, stored))
      await until(() => example.said().includes(ids.at(-1) as string), Boolean, LIMIT_MS)
    }

    while (tokens() < 3) await receive()
    expect(api.refused).toEqual([])
    clock.now += 3_600_000
    await receive()
    failing.push(new PortariaError('store_unavailable', 'no'), new PortariaError('too_many_requests', 'no'))
    await receive()
    expect(failing).toEqual([])
    await example.kill()
    expect([...example.said().matchAll(/"id": ?"(evt_\w+)"/g)].map(([, id]) => id)).toEqual(ids)
  })

  it('verifies what is forwarded, also while the secret rotates, and nothing else', { timeout: 60_000 }, async () => {
    const gateway = await startTestGateway()
    const receiver = await startReceiver()
    const secrets = [1, 2, 3].map((n) => `whsec_${Buffer.alloc(24, n).toString('base64')}`) as [string, string, string]
    const post = (path: string, body: object) => callApi(gateway.api, path, { method: 'POST', body })
    await post('/v1/destinations', { name: 'books', url: receiver.url, secret: secrets[0] })
    await post('/v1/destinations/books/rotate-secret', { secret: secrets[1] })
    await callBack(gateway, { body: '{"identificador":"ação 150.10"}' })
    await until(() => receiver.received.length === 1)
    const { headers, body } = receiver.received[0] as (typeof receiver.received)[number]
    const delivery = {
      id: headers['webhook-id'] as string,
      timestamp: headers['webhook-timestamp'] as string,
      signatures: headers['webhook-signature'] as string,
      body,
    }
    expect(delivery.signatures.split(' ')).toHaveLength(2)

    const late = String(Number(delivery.timestamp) - 301)
    const signed = (timestamp: string) => {
      const key = Buffer.from(secrets[0].slice(6), 'base64')
      return `v1,${createHmac('sha256', key).update(`${delivery.id}.${timestamp}.`).update(body).digest('base64')}`
    }
    for (const secret of secrets.slice(0, 2)) expect(await judge(language, secret, [delivery])).toEqual([true])
    const attempts = [
      delivery,
      { ...delivery, signatures: signed(delivery.timestamp) },
      { ...delivery, signatures: `v2,x ${delivery.signatures}` },
      { ...delivery, body: Buffer.from('{"identificador":"ação 250.10"}') },
      { ...delivery, id: 'evt_2_0123456789' },
      { ...delivery, timestamp: late },
      { ...delivery, timestamp: late, signatures: signed(late) },
      { ...delivery, timestamp: 'now' },
      { ...delivery, timestamp: '' },
      { ...delivery, signatures: '' },
      { ...delivery, signatures: delivery.signatures.replaceAll('v1,', 'v2,') },
      { ...delivery, signatures: 'v1,é v1,* v1' },
    ]
    const judged = await judge(language, secrets[0], attempts)
    expect(judged).toEqual(attempts.map((_, index) => index < 3))
    expect(await judge(language, secrets[2], [delivery])).toEqual([false])
  })
})

it.each(['mjs', 'py'])('verify.%s reads no body that is longer than any event', async (ending) => {
  const language = THERE.find((one) => one.ending === ending) as Language
  const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
  const port = await portOf(startExample('verify', language, { WEBHOOK_SECRET: secret, PORT: '0' }))
  const forged = { id: 'evt_1_0123456789', timestamp: `${Math.floor(Date.now() / 1000)}`, signatures: 'v1,x' }
  const huge = await send(port, { ...forged, body: Buffer.alloc(17 * 2 ** 20) }).catch(() => null)
  expect([413, null]).toContain(huge)
  expect(await send(port, { ...forged, body: Buffer.from('{}') })).toBe(401)
})

it.each(['whsec_', 'whsec_!!!', 'whsec_c2hvcnQ=', ''])('the shell takes nothing with the secret "%s"', (secret) => {
  const shell = THERE.find(({ ending }) => ending === 'sh') as Language
  const now = `${Math.floor(Date.now() / 1000)}`
  const ofShortKey = createHmac('sha256', 'short').update(`evt_1.${now}.{}`).digest('base64')
  for (const signature of ['v1,', `v1,${ofShortKey}`]) {
    const options = { args: ['evt_1', now, signature], env: { WEBHOOK_SECRET: secret }, input: Buffer.from('{}') }
    expect(runExample('verify', shell, options)).toBe(2)
  }
})

it('the receiver with Express verifies the raw bytes, and parsed JSON is not these bytes', {
  timeout: 60_000,
}, async () => {
  const node = THERE.find(({ ending }) => ending === 'mjs') as Language
  const gateway = await startTestGateway()
  const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
  const example = startExample('receive-express', node, { WEBHOOK_SECRET: secret, PORT: '0' })
  const port = await portOf(example)
  for (const path of ['hook', 'wrong']) {
    const body = { name: path, url: `http://127.0.0.1:${port}/${path}`, secret }
    await callApi(gateway.api, '/v1/destinations', { method: 'POST', body })
  }
  const sent = ['{"identificador":"1","valor":150.10}', '{"identificador":"2","valor":150.1}']
  for (const body of sent) await callBack(gateway, { body })
  const outcomes = await until(
    () => outcomesOf(gateway.api),
    (all) => all.filter(([, status]) => status !== null).length === 4,
    LIMIT_MS,
  )
  expect(outcomes.sort()).toEqual([
    ['hook', 204, null],
    ['hook', 204, null],
    ['wrong', 204, null],
    ['wrong', 401, 'invalid signature of {"identificador":"1","valor":150.1}'],
  ])
  expect([...example.said().matchAll(/^genuine evt_\S+ (.*)/gm)].map(([, text]) => text).sort()).toEqual(sent)
  const forged = { id: 'evt_1_0123456789', timestamp: `${Math.floor(Date.now() / 1000)}`, signatures: 'v1,x' }
  expect(await send(port, { ...forged, body: Buffer.from('{}') })).toBe(401)
})

/** Of each delivery: its destination, the last status and the last answer. */
async function outcomesOf(api: Address): Promise<unknown[][]> {
  const { data } = JSON.parse((await callApi(api, '/v1/deliveries')).body) as { data: Record<string, unknown>[] }
  return data.map(({ destinationName, lastStatus, lastAnswer }) => [destinationName, lastStatus, lastAnswer])
}

/** A client that may read events, as the environment of a poller. */
async function environmentOf(api: RunningApi, cursorFile: string): Promise<Record<string, string>> {
  const { client, secret } = await api.clients.create({ name: 'shop', environment: 'any', scopes: ['events.read'] })
  return {
    PORTARIA_URL: `http://127.0.0.1:${api.port}`,
    PORTARIA_CLIENT_ID: client.id,
    PORTARIA_CLIENT_SECRET: secret,
    CURSOR_FILE: cursorFile,
  }
}

async function portOf(example: RunningExample): Promise<number> {
  const found = () => /listening (\d+)/.exec(example.said())?.[1]
  return Number(await until(found, Boolean, LIMIT_MS))
}

interface Delivery {
  readonly id: string
  readonly timestamp: string
  readonly signatures: string
  readonly body: Buffer
}

/** Whether the example takes each of them for genuine. */
async function judge(language: Language, secret: string, deliveries: readonly Delivery[]): Promise<boolean[]> {
  const env = { WEBHOOK_SECRET: secret, PORT: '0' }
  if (language.ending === 'sh') {
    return deliveries.map(({ id, timestamp, signatures, body: input }) => {
      return runExample('verify', language, { args: [id, timestamp, signatures], env, input }) === 0
    })
  }
  const example = startExample('verify', language, env)
  const port = await portOf(example)
  const judged: boolean[] = []
  for (const delivery of deliveries) judged.push((await send(port, delivery)) === 204)
  await example.kill()
  return judged
}

function send(port: number, { id, timestamp, signatures, body }: Delivery): Promise<number | undefined> {
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures,
    'content-type': 'application/json',
    'content-length': body.length,
  }
  return new Promise((done, fail) => {
    request({ host: '127.0.0.1', port, path: '/hook', method: 'POST', headers }, (response) => {
      response.resume().once('end', () => done(response.statusCode))
    })
      .on('error', fail)
      .end(body)
  })
}
