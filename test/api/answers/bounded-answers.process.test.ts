import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished, vi } from 'vitest'
import { cursorAfter } from '../../../src/domain/public-id.ts'
import { aCallback, aFact } from '../../support/builders.ts'
import { until } from '../../support/until.ts'
import { asClient, ask, type RunningApi, startApi } from '../api.ts'

const MIB = 1024 ** 2
const PAGE = '/v1/events?limit=2'

/** Four events of 1 MiB. */
async function withLargeEvents(limitBytes = 8 * MIB) {
  const api = await startApi({ answers: { limitBytes } })
  for (let n = 0; n < 4; n++)
    await api.store.storeCallback(aCallback({ text: `"${n}${'x'.repeat(MIB)}"`, facts: [aFact({ subject: `${n}` })] }))
  return api
}

async function firstEventOf(api: RunningApi): Promise<string> {
  return JSON.parse((await ask(api, '/v1/events?limit=1')).body).data[0].id
}

/** Sends requests on one connection; nothing is read until somebody does. */
async function send(api: RunningApi, authorization: string, paths: readonly string[]): Promise<Socket> {
  const socket = connect({ port: api.port, host: '127.0.0.1' })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined).pause()
  await once(socket, 'connect')
  socket.write(paths.map((path) => requestOf(path, authorization)).join(''))
  return socket
}

const requestOf = (path: string, authorization: string) =>
  `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${authorization}\r\n\r\n`

const pages = (count: number, path = PAGE) => Array.from({ length: count }, () => path)

it.each([
  ['pages', async () => PAGE],
  ['bodies as they came', async (api: RunningApi) => `/v1/events/${await firstEventOf(api)}/original`],
])(
  'a client that reads no %s gets 503 beyond its half of the room, and other clients get their answers',
  async (_, pathOf) => {
    const api = await withLargeEvents()
    const path = await pathOf(api)
    const [silent, other] = [
      await asClient(api, ['events.read'], { name: 'silent' }),
      await asClient(api, ['events.read']),
    ]
    const sockets: Socket[] = []
    const refused = await until(
      async () => {
        // The kernel takes the first ones.
        sockets.push(await send(api, silent.authorization, pages(9, path)))
        return ask(api, PAGE, { authorization: silent.authorization })
      },
      ({ status }) => status === 503,
    )
    expect(refused.headers['retry-after']).toBe('5')
    expect(JSON.parse(refused.body)).toMatchObject({ code: 'queue_full', detail: expect.stringContaining('read them') })
    expect(api.options.answers.bytes()).toBeLessThanOrEqual(5 * MIB)
    expect((await ask(api, PAGE, { authorization: other.authorization })).status).toBe(200)
    for (const socket of sockets) socket.destroy()
    await until(() => api.options.answers.bytes() === 0)
    expect((await ask(api, PAGE, { authorization: silent.authorization })).status).toBe(200)
  },
)

it('large pipelined answers come whole and in their order, with the length that they announce', async () => {
  const api = await withLargeEvents(64 * MIB)
  const { authorization } = await asClient(api, ['events.read'])
  const expected = (await ask(api, PAGE, { authorization })).body
  const socket = await send(api, authorization, [PAGE, '/v1/events?limit=1&kind=none', PAGE])
  socket.end()
  const bodies = (await text(socket)).split(/HTTP\/1\.1 200 OK\r\n.*?\r\n\r\n/s)
  expect(bodies.map((body) => body.length)).toEqual([0, expected.length, bodies[2]?.length, expected.length])
  expect([bodies[1] === expected, bodies[3] === expected]).toEqual([true, true])
  await until(() => api.options.answers.bytes() === 0)
})

it('a request behind one that waits is served after it', async () => {
  const api = await withLargeEvents()
  const { authorization } = await asClient(api, ['events.read'])
  const reads = vi.spyOn(api.options.store, 'listEvents')
  const none = Array.from({ length: 40 }, () => '/v1/events?kind=none')
  const socket = await send(api, authorization, [await waitingPath(api, 1), ...none])
  await until(() => reads.mock.calls.length > 0)
  const before = reads.mock.calls.length
  expect(before).toBeLessThan(3)
  socket.end()
  expect((await text(socket)).split('HTTP/1.1 200 OK')).toHaveLength(1 + 41)
  expect(reads.mock.calls.length).toBeGreaterThanOrEqual(before + 40)
  expect(api.options.answers.bytes()).toBe(0)
})

const waitingPath = async ({ store }: RunningApi, seconds: number) =>
  `/v1/events?wait=${seconds}&after=${cursorAfter(await store.latestPosition())}`

it('a stream that is not read counts, and is cut for another reader of its client once it has stalled', async () => {
  const api = await withLargeEvents()
  const { authorization } = await asClient(api, ['events.read'])
  const streams = await Promise.all(pages(6).map(() => send(api, authorization, ['/v1/events/stream'])))
  const closed = streams.map((socket) => once(socket, 'close'))
  for (const socket of streams) socket.on('end', () => socket.destroy())
  await until(() => api.options.answers.bytes() > 0)
  expect(api.options.answers.bytes()).toBeLessThanOrEqual(8 * MIB)
  for (const socket of streams) socket.destroy()
  await Promise.all(closed)
  await until(() => api.options.answers.bytes() === 0)
})

it('an answer to HEAD, an error and a page of the API are counted no longer than they take', async () => {
  const api = await withLargeEvents()
  const { authorization } = await asClient(api, ['events.read'])
  for (const [path, method, status] of [
    [PAGE, 'HEAD', 200],
    ['/v1/events/evt_1_0000000000', 'GET', 404],
    ['/openapi.json', 'GET', 200],
    ['/v1/events?limit=x', 'GET', 400],
  ] as const)
    expect([path, (await ask(api, path, { method, authorization })).status]).toEqual([path, status])
  await until(() => api.options.answers.bytes() === 0)
})
