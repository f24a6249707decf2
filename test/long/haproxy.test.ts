import { once } from 'node:events'
import { request } from 'node:https'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { readProxyHeader } from '../../src/tls/proxy-header.ts'
import { allEvents, callApi } from '../support/calls.ts'
import { BASE_CALLBACKS, createSite, serviceCredentials, spawnGateway } from '../support/gateway.ts'
import { hasHaproxy, startHaproxy } from '../support/haproxy.ts'
import { reservePorts } from '../support/ports.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

/** The address that haproxy connects from. */
const BALANCER = '127.0.0.5'
const CALLERS = Array.from({ length: 20 }, (_, index) => `127.0.1.${index + 1}`)
const ROUNDS = 5
/** Fewer than all callers have together. */
const LIMITS = { connectionsPerAddress: 12 }

/** How haproxy can send the header. Extensions: a checksum, and an id of more than 100 bytes. */
const EXTENDED = 'send-proxy-v2 proxy-v2-options crc32c,unique-id'
const WAYS = ['send-proxy', 'send-proxy-v2', EXTENDED]

/** A listener of haproxy. Its health checks connect 20 times a second. */
function listen(name: string, bind: string, server: string): string {
  return `listen ${name}
  bind ${bind}
  source ${BALANCER}
  unique-id-format %ci:%cp-${'u'.repeat(100)}
  server gateway 127.0.0.1:${server} check inter 50ms`
}

it.skipIf(!hasHaproxy)(
  'callers behind haproxy keep their address, and its health checks leave no refusal',
  async () => {
    const [callbacks = 0, api = 0, ready = 0, ipv6 = 0, ...fronts] = await reservePorts(4 + WAYS.length)
    const proxyProtocol = [BALANCER]
    const site = await createSite({
      callbacks: { ...BASE_CALLBACKS, port: callbacks, proxyProtocol, limits: LIMITS },
      api: { host: '127.0.0.1', port: api, operatorTokenFile: 'operator-token', proxyProtocol },
    })
    const gateway = await spawnGateway(site)
    const haproxy = await startHaproxy(temporaryFolder(), [
      ...WAYS.map((way, index) => listen(`way${index}`, `127.0.0.1:${fronts[index]}`, `${callbacks} ${way}`)),
      listen('ipv6', `[::1]:${ipv6}`, `${callbacks} send-proxy-v2`),
      listen('ready', `127.0.0.1:${ready}`, `${callbacks} port ${api} send-proxy-v2 check-send-proxy`),
      '  option httpchk',
      '  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host localhost',
    ])
    const areAll = (state: string) => (states: Record<string, string>) =>
      Object.keys(states).length === WAYS.length + 2 && Object.values(states).every((one) => one.startsWith(state))
    await until(haproxy.states, areAll('UP'))

    const call = (port: number, caller: string, body: string) => {
      const host = caller.includes(':') ? '::1' : '127.0.0.1'
      const at = { host, port, localAddress: caller, path: '/callbacks/payment', method: 'POST', agent: false }
      const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
      request({ ...at, servername: 'localhost', ...serviceCredentials(site) })
        .on('response', (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end(body)
      return promise
    }
    for (let round = 0; round < ROUNDS; round++) {
      const places = CALLERS.flatMap((caller) => fronts.map((port) => ({ caller, port })))
      const calls = [...places, { caller: '::1', port: ipv6 }].map((place) =>
        call(place.port, place.caller, JSON.stringify({ round, ...place })),
      )
      expect(new Set(await Promise.all(calls))).toEqual(new Set([200]))
    }
    const seen: [caller: string, address: string][] = []
    for (const { id, data } of await allEvents(gateway.api)) {
      const { body } = await callApi(gateway.api, `/v1/events/${id}`)
      const { evidence } = JSON.parse(body) as { evidence: { remoteAddress: string } }
      seen.push([(data as { caller: string }).caller, evidence.remoteAddress])
    }
    expect(seen).toHaveLength(ROUNDS * (CALLERS.length * WAYS.length + 1))
    expect(seen.filter(([caller, address]) => caller !== address)).toEqual([])
    expect(await haproxy.states()).toSatisfy(areAll('UP'))
    expect(gateway.lines.filter(({ event }) => event === 'caller.refused')).toEqual([])

    gateway.process.kill('SIGTERM')
    expect(await gateway.exited).toBe(0)
    await until(haproxy.states, areAll('DOWN'))
  },
)

it.skipIf(!hasHaproxy)('a callback through haproxy that sends no header is refused, and says why', async () => {
  const [callbacks = 0, front = 0] = await reservePorts(2)
  const site = await createSite({ callbacks: { ...BASE_CALLBACKS, port: callbacks, proxyProtocol: [BALANCER] } })
  const gateway = await spawnGateway(site)
  const haproxy = await startHaproxy(temporaryFolder(), [listen('bare', `127.0.0.1:${front}`, `${callbacks}`)])
  await until(haproxy.states, ({ 'bare/gateway': state }) => state === 'UP')
  const caller = connect(front, '127.0.0.1')
  caller.on('error', () => undefined)
  caller.write('\x16\x03\x01\x02\x00\x01')
  await once(caller.resume(), 'close')
  const refusals = () => gateway.lines.filter(({ event }) => event === 'caller.refused')
  await until(() => refusals().length > 0)
  expect(refusals()).toMatchObject([{ code: 'proxy_header_missing', remoteAddress: BALANCER }])
})

it.skipIf(!hasHaproxy)('the headers of haproxy are read to their last byte', async () => {
  const received: Buffer[] = []
  const server = createServer((socket) => {
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => undefined)
    socket.on('close', () => received.push(Buffer.concat(chunks)))
    socket.on('end', () => socket.end())
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const fronts = await reservePorts(WAYS.length)
  await startHaproxy(
    temporaryFolder(),
    WAYS.map((way, index) => listen(`way${index}`, `127.0.0.1:${fronts[index]}`, `${port} ${way}`)),
  )
  for (const [index, front] of fronts.entries()) {
    const caller = connect({ host: '127.0.0.1', port: front, localAddress: '127.0.1.9' })
    caller.on('error', () => undefined)
    await once(caller, 'connect')
    const { localPort } = caller
    caller.resume().end('hello')
    const bytes = await until(() => received.find((one) => one.toString('latin1').endsWith('hello')))
    received.length = 0
    expect(readProxyHeader(bytes as Buffer)).toEqual({
      length: (bytes as Buffer).length - 'hello'.length,
      end: { remoteAddress: '127.0.1.9', remotePort: localPort },
    })
    expect((bytes as Buffer).length > 28 + 100).toBe(WAYS[index] === EXTENDED)
  }
  // A health check in version 2 is LOCAL.
  const check = await until(() => received.find((bytes) => bytes.indexOf('\r\n\r\n\0') === 0))
  expect(readProxyHeader(check as Buffer)).toEqual({ length: (check as Buffer).length, end: null })
})
