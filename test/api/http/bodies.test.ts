import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { startApiListener } from '../../../src/api/listening/listener.ts'
import { OPERATOR_TOKEN } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { API_LIMITS, ask, startApi } from '../api.ts'

/** As many bodies as there is room for, where each may become as large as one may be. */
const MOST = 256
const POST = { method: 'POST', headers: { 'content-type': 'application/json' } }
const ENDPOINTS = [
  { path: '/oauth/token', authorization: null, body: '{"grant_type":"client_credentials"}', good: 401 },
  { path: '/v1/clients', authorization: `Bearer ${OPERATOR_TOKEN}`, body: '{}', good: 400 },
] as const

interface Stalled {
  readonly socket: Socket
  answer: string
}

/** A request whose body begins and does not go on. */
async function stall(
  port: number,
  { path, authorization }: (typeof ENDPOINTS)[number],
  localAddress: string,
): Promise<Stalled> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  onTestFinished(() => void socket.destroy())
  const stalled = { socket, answer: '' }
  socket.on('data', (chunk: Buffer) => {
    stalled.answer += chunk.toString('latin1')
  })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const known = authorization === null ? '' : `authorization: ${authorization}\r\n`
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\n${known}content-type: application/json\r\n`
  socket.write(`${head}transfer-encoding: chunked\r\n\r\n1\r\n{\r\n`)
  return stalled
}

const stallMany = (port: number, endpoint: (typeof ENDPOINTS)[number]) =>
  Promise.all(Array.from({ length: MOST }, (_, i) => stall(port, endpoint, `127.0.0.${2 + (i % 32)}`)))

it.each(ENDPOINTS)('stalled bodies at $path keep no room from others, there and elsewhere', async (endpoint) => {
  const api = await startApi()
  const { path, authorization, body, good } = endpoint
  const other = ENDPOINTS.find((some) => some !== endpoint) as (typeof ENDPOINTS)[number]
  const stalled = await stallMany(api.port, endpoint)
  const elsewhere = await ask(api, other.path, { ...POST, authorization: other.authorization, body: other.body })
  expect(elsewhere.status).toBe(other.good)

  const statuses = new Set<number>()
  await until(async () => {
    const answer = await ask(api, path, { ...POST, authorization, body })
    statuses.add(answer.status)
    if (answer.status === 503) expect(answer.headers['retry-after']).toBe('5')
    return answer.status === good
  })
  expect([...statuses].filter((status) => status !== good && status !== 503)).toEqual([])

  const givenUp = await until(
    () => stalled.filter(({ answer }) => answer !== ''),
    (some) => some.length > 0,
  )
  for (const part of [/^HTTP\/1\.1 503 /, /^retry-after: 5\r$/im, /^connection: close\r$/im])
    expect(givenUp[0]?.answer).toMatch(part)
  await until(() => givenUp[0]?.socket.closed)
})

it('bodies that no one may send take no room', async () => {
  const api = await startApi()
  await stallMany(api.port, { ...ENDPOINTS[1], authorization: 'Bearer wrong' } as never)
  expect((await ask(api, '/v1/clients', { ...POST, body: '{}' })).status).toBe(400)
})

it('room comes back with every body that ends, however it ends', async () => {
  const api = await startApi()
  const [endpoint] = ENDPOINTS
  for (let round = 0; round < 2; round++) {
    const stalled = await stallMany(api.port, endpoint)
    const [broken, ...gone] = stalled
    broken?.socket.write('zz\r\n')
    for (const { socket } of gone) socket.destroy()
    await until(
      async () => (await ask(api, endpoint.path, { ...POST, authorization: null, body: '{}' })).status === 400,
    )
    expect(gone.map(({ answer }) => answer).join('')).toBe('')
  }
})

it('a request that announces no body is read to its end before it is served', async () => {
  const ends: string[] = []
  const listener = await startApiListener(
    ({ method, readableEnded }, response) => {
      ends.push(`${method} ${readableEnded}`)
      response.end()
    },
    {
      host: '127.0.0.1',
      port: 0,
      tls: null,
      limits: API_LIMITS,
      proxyProtocol: [],
      isOwn: () => false,
      onRefused: () => undefined,
    },
  )
  onTestFinished(listener.stop)
  for (const request of [{}, { method: 'POST', body: '{}' }]) await fetch(`http://127.0.0.1:${listener.port}/`, request)
  expect(ends).toEqual(['GET true', 'POST false'])
})

it('a POST that announces no body is served as one with an empty body', async () => {
  const { port } = await startApi()
  const socket = connect(port, '127.0.0.1')
  const head = `POST /v1/consumers/one/batches HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${OPERATOR_TOKEN}\r\n`
  socket.write(`${head}connection: close\r\n\r\n`)
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 .*"batch":null/s)
})
