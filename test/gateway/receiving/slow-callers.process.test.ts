import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { allEvents, callBack } from '../../support/calls.ts'
import { BASE_CALLBACKS, createSite, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { openRawCaller, type RawCaller } from '../../support/raw-calls.ts'
import { until } from '../../support/until.ts'

const PATH = '/callbacks/payment'
const HEAD = `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\n`
const post = (body: string) => `${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`
/** What a limit of 500 ms may take: Node looks at the limits of requests once a second. */
const [SHORT, SOONEST_MS, LATEST_MS] = ['500ms', 450, 4000]

async function startWithLimits(limits: Record<string, unknown>): Promise<TestGateway> {
  return startTestGateway(await createSite({ callbacks: { ...BASE_CALLBACKS, limits } }))
}

/** A TCP connection on which nothing of TLS is said. */
async function halfOpen(gateway: TestGateway): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: gateway.callbacks.port })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

let number = 0
const goodCall = async (gateway: TestGateway) =>
  (await callBack(gateway, { body: `{"identificador":"${++number}"}` }).catch(() => ({ status: 'no answer' }))).status

/** How long it takes until it is over, while good callers go on being answered. */
async function timeOf(gateway: TestGateway, isOver: () => boolean): Promise<number> {
  const started = performance.now()
  while (!isOver() && performance.now() - started < 10_000) expect(await goodCall(gateway)).toBe(200)
  return performance.now() - started
}

const expectInTime = (ms: number) => {
  expect(ms).toBeGreaterThan(SOONEST_MS)
  expect(ms).toBeLessThan(LATEST_MS)
}

describe('who is too slow is cut off, and good callers are answered meanwhile', () => {
  it.each([
    ['says nothing', Buffer.alloc(0)],
    ['begins a TLS record', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01])],
  ])('in the handshake: %s', async (_what, bytes) => {
    const gateway = await startWithLimits({ handshakeTimeout: SHORT })
    const socket = await halfOpen(gateway)
    socket.write(bytes)
    expectInTime(await timeOf(gateway, () => socket.readyState === 'closed' || socket.destroyed))
    const refused = gateway.lines.filter((line) => line.event === 'caller.refused')
    expect(refused.map((line) => line.reason)).toEqual(['stalled handshake'])
  })

  it.each([
    ['before the first byte', '', { headersTimeout: SHORT }],
    ['in the headers', `${HEAD}X-Slow: `, { headersTimeout: SHORT }],
    ['before the body', `${HEAD}Content-Length: 5\r\n\r\n`, { headersTimeout: SHORT, requestTimeout: SHORT }],
    ['in the body', `${HEAD}Content-Length: 5\r\n\r\n{"a`, { headersTimeout: SHORT, requestTimeout: SHORT }],
    [
      'in a chunk',
      `${HEAD}Transfer-Encoding: chunked\r\n\r\nA\r\n{"a`,
      { headersTimeout: SHORT, requestTimeout: SHORT },
    ],
  ])('%s: with 408', async (_where, bytes, limits) => {
    const gateway = await startWithLimits(limits)
    const caller = await openRawCaller(gateway)
    caller.send(bytes)
    expectInTime(await timeOf(gateway, caller.isClosed))
    expect(caller.answers().map((answer) => answer.status)).toEqual([408])
    expect((await allEvents(gateway.api)).filter((event) => event.subject === null)).toEqual([])
  })

  it('even one that sends a byte now and then', async () => {
    const gateway = await startWithLimits({ headersTimeout: SHORT, requestTimeout: SHORT })
    const caller = await openRawCaller(gateway)
    caller.send(`${HEAD}Content-Length: 100000\r\n\r\n`)
    const drip = setInterval(() => caller.isClosed() || caller.send(' '), 50)
    onTestFinished(() => clearInterval(drip))
    expectInTime(await timeOf(gateway, caller.isClosed))
    expect(caller.answers().map((answer) => answer.status)).toEqual([408])
  })

  it('once only: the rest of a body that was refused is given up without another answer', async () => {
    const gateway = await startWithLimits({ headersTimeout: SHORT, requestTimeout: SHORT })
    const caller = await openRawCaller(gateway)
    caller.send(`${HEAD}Content-Length: 100000000\r\n\r\n`)
    expectInTime(await timeOf(gateway, caller.isClosed))
    expect(caller.answers().map((answer) => answer.status)).toEqual([413])
  })

  it('between two requests', async () => {
    const gateway = await startWithLimits({ keepAliveTimeout: SHORT })
    const caller = await openRawCaller(gateway)
    caller.send(post('{"idle":1}'))
    expectInTime(await timeOf(gateway, caller.isClosed))
    expect(caller.answers().map((answer) => answer.status)).toEqual([200])
  })
})

describe('places', () => {
  it('are never all taken by stalled handshakes: the oldest of them make room', async () => {
    const gateway = await startWithLimits({ maxConnections: 20, connectionsPerAddress: 20 })
    const stalled: Socket[] = []
    for (let i = 0; i < 60; i++) stalled.push(await halfOpen(gateway))
    await until(() => stalled.filter((socket) => !socket.destroyed).length <= 10)
    for (let i = 0; i < 10; i++) expect(await goodCall(gateway)).toBe(200)

    const open = stalled.map((socket) => !socket.destroyed)
    expect(open.lastIndexOf(false)).toBeLessThan(open.indexOf(true))
    const reasons = gateway.lines.filter((line) => line.event === 'caller.refused').map((line) => line.reason)
    expect(reasons.filter((reason) => reason === 'stalled handshake, its place was needed')).toHaveLength(
      60 - open.filter(Boolean).length,
    )
    expect(reasons).not.toContain('too many connections')
  })

  it('come free again with every connection that ends, however it ends', async () => {
    const gateway = await startWithLimits({ maxConnections: 4, connectionsPerAddress: 4 })
    for (let i = 0; i < 12; i++) {
      const [stalled, caller] = [await halfOpen(gateway), await openRawCaller(gateway)]
      if (i % 2 === 0) caller.send('garbage\r\n\r\n')
      stalled.destroy()
      caller.destroy()
      await until(async () => (await goodCall(gateway)) === 200)
    }
  })

  it('that are all taken by good callers in the middle of a request refuse one more, and say so', async () => {
    const gateway = await startWithLimits({ maxConnections: 6, connectionsPerAddress: 6 })
    const callers: RawCaller[] = []
    for (let i = 0; i < 6; i++) {
      const caller = await openRawCaller(gateway)
      caller.send(post(`{"caller":${i}}`))
      await caller.settled(1)
      callers.push(caller)
    }
    // The next request has begun, its headers have not ended. What the last one sends comes after what the others sent.
    for (const caller of callers) caller.send(HEAD)
    callers[5]?.send(`Content-Length: 1\r\n\r\n1${HEAD}`)
    await callers[5]?.settled(2)
    expect(await goodCall(gateway)).toBe('no answer')
    expect(gateway.lines.map((line) => line.reason)).toContain(
      'too many connections from 127.0.0.1 (limits.connectionsPerAddress is 6)',
    )
    callers[0]?.destroy()
    await until(async () => (await goodCall(gateway)) === 200)
    expect(callers.slice(1).map((caller) => caller.isClosed())).toEqual(Array(5).fill(false))
  })

  it('that are all taken by good callers are given to one more: who was idle for longest makes room', async () => {
    const gateway = await startWithLimits({ maxConnections: 6, connectionsPerAddress: 6 })
    const callers: RawCaller[] = []
    for (let i = 0; i < 6; i++) callers.push(await openRawCaller(gateway))
    for (const i of [1, 2, 3, 4, 5, 0]) {
      callers[i]?.send(post(`{"caller":${i}}`))
      await callers[i]?.settled(1)
    }
    expect(await goodCall(gateway)).toBe(200)
    await until(() => callers[1]?.isClosed())
    expect(callers.map((caller) => caller.isClosed())).toEqual([false, true, false, false, false, false])
    expect(gateway.lines.filter((line) => line.event === 'caller.refused')).toEqual([])
  })
})

it('a caller that never reads its answers stops no one and is cut off', async () => {
  const gateway = await startWithLimits({ headersTimeout: SHORT, requestTimeout: SHORT, keepAliveTimeout: SHORT })
  const deaf = await openRawCaller(gateway)
  deaf.pause()
  // Far more answers than the buffers between the two can hold.
  const request = `GET ${PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n`
  deaf.send(request.repeat(400_000))
  // It sends 23 MB first.
  const ms = await timeOf(gateway, deaf.isClosed)
  expect(ms).toBeLessThan(4 * LATEST_MS)
})
