import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { admitFirst, limitConnections } from '../../src/tls/connection-limiter.ts'
import type { ConnectionRefusal } from '../../src/tls/making-room.ts'
import { createCallerReader } from '../../src/tls/proxied-connections.ts'
import type { ProxyHeaderRefusal } from '../../src/tls/proxy-header.ts'
import { addressOf, networkOf } from '../../src/tls/remote-address.ts'
import { until } from '../support/until.ts'

const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
const KNOWN = 'GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: known\r\n\r\n'
const SLOW = 'GET /slow HTTP/1.1\r\nHost: localhost\r\nAuthorization: known\r\n\r\n'

/**
 * A server on which a request with an Authorization header authenticates its connection; /slow is never answered.
 * @param networks from there connections begin with a PROXY protocol header
 */
async function startLimited(
  limits: { maxConnections: number; connectionsPerAddress: number },
  networks: readonly string[] = [],
) {
  let nowMs = 0
  const refusals: ((ConnectionRefusal | ProxyHeaderRefusal) & { readonly address: string })[] = []
  const server: Server = createServer((request, response) => {
    if (request.headers.authorization !== undefined) connections.authenticated(request.socket)
    if (request.url !== '/slow') response.end()
  })
  const connections = limitConnections(server, {
    ...limits,
    onRefused: (caller, refusal) => refusals.push({ address: addressOf(caller), ...refusal }),
    now: () => nowMs,
  })
  const readCaller = createCallerReader({
    networks,
    timeoutMs: 60_000,
    admitUnread: connections.admitUnread,
    isOwn: () => false,
    onRefused: (socket, refusal) => refusals.push({ address: addressOf(socket), ...refusal }),
  })
  admitFirst(server, connections.admit, readCaller)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })

  /** Resolves when the server has taken the connection, or closed it, and answered what it sent. */
  async function open(localAddress: string, request = ''): Promise<Socket> {
    const { port } = server.address() as AddressInfo
    const socket = connect({ host: '127.0.0.1', port, localAddress, noDelay: true })
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => undefined)
    const seen = once(server, 'connection')
    await Promise.all([once(socket, 'connect'), seen])
    if (request.endsWith(SLOW)) await Promise.all([once(server, 'request'), socket.write(request)])
    else if (request !== '') await Promise.all([once(socket, 'data'), socket.write(request)])
    socket.resume()
    return socket
  }
  const codes = () => refusals.map(({ code }) => code)
  const later = (ms: number) => {
    nowMs += ms
  }
  return { open, connections, refusals, codes, later }
}

const isClosed = (socket: Socket) => socket.closed || socket.destroyed || socket.readableEnded

describe('behind a load balancer', () => {
  const line = (address: string) => `PROXY TCP4 ${address} 198.51.100.1 40000 443\r\n`

  it('connections without a header have an eighth of the places, and not the share of an address', async () => {
    const { open, connections, refusals, later } = await startLimited(
      { maxConnections: 32, connectionsPerAddress: 2 },
      ['127.0.0.2'],
    )
    for (let i = 0; i < 4; i++) await open('127.0.0.2')
    expect([connections.count(), refusals]).toEqual([4, []])
    later(2000)
    for (let i = 0; i < 4; i++) await open('127.0.0.2')
    expect(connections.count()).toBe(4)
    expect(refusals.map(({ address, code }) => `${address} ${code}`)).toEqual(
      Array(4).fill('127.0.0.2 stalled_handshake'),
    )
    await open('127.0.0.3', KNOWN)
  })

  it('connections without a header make room among themselves only: in a flood of them callers get in', async () => {
    const { open, connections, codes } = await startLimited({ maxConnections: 80, connectionsPerAddress: 80 }, [
      '127.0.0.2',
    ])
    await open('127.0.0.2', line('203.0.113.7') + KNOWN)
    for (let i = 0; i < 60; i++) await open('127.0.0.2')
    await open('127.0.0.2', line('203.0.113.8') + KNOWN)
    expect(connections.count()).toBe(2 + 9)
    expect(new Set(codes())).toEqual(new Set(['stalled_handshake']))
  })

  it('a connection that has ended leaves its place, with a header as without', async () => {
    const { open, connections } = await startLimited({ maxConnections: 40, connectionsPerAddress: 8 }, ['127.0.0.2'])
    const all = [await open('127.0.0.3', GET), await open('127.0.0.3', KNOWN), await open('127.0.0.2')]
    all.push(await open('127.0.0.2', line('203.0.113.7') + KNOWN))
    expect(connections.count()).toBe(4)
    for (const socket of all) socket.destroy()
    await until(() => connections.count() === 0)
  })

  it('an idle caller makes room for one whose header is being read', async () => {
    const { open, connections, codes } = await startLimited({ maxConnections: 4, connectionsPerAddress: 4 }, [
      '127.0.0.2',
    ])
    for (let i = 0; i < 5; i++) await open('127.0.0.2', line(`203.0.113.${i}`) + KNOWN)
    expect([connections.count(), codes()]).toEqual([4, []])
  })

  it('a header gives a connection the share of its caller, whose connections are counted together', async () => {
    const { open, connections, refusals } = await startLimited({ maxConnections: 40, connectionsPerAddress: 2 }, [
      '127.0.0.2',
      '127.0.0.4',
    ])
    for (const from of ['127.0.0.2', '127.0.0.4', '127.0.0.2']) await open(from, line('203.0.113.7') + KNOWN)
    await open('127.0.0.2', line('203.0.113.8') + KNOWN)
    const reason = 'too many connections from 203.0.113.7 (limits.connectionsPerAddress is 2)'
    expect(connections.count()).toBe(3)
    expect(refusals).toEqual([])
    for (let i = 0; i < 2; i++) await open('127.0.0.4', line('203.0.113.9') + SLOW)
    const late = await open('127.0.0.4')
    late.write(line('203.0.113.9'))
    await until(() => isClosed(late))
    expect(refusals).toEqual([
      { address: '203.0.113.9', code: 'too_many_from_address', reason: reason.replace('.7', '.9') },
    ])
    expect(connections.count()).toBe(5)
  })
})

describe('the share of an address', () => {
  it('is all that one address gets: its oldest untrusted caller makes room, and others find theirs', async () => {
    const { open, connections, refusals } = await startLimited({ maxConnections: 40, connectionsPerAddress: 3 })
    const first = await open('127.0.0.2')
    for (let i = 0; i < 3; i++) await open('127.0.0.2')
    const other = await open('127.0.0.3', GET)
    await until(() => isClosed(first))
    expect([connections.count(), isClosed(other)]).toEqual([4, false])
    const reason = 'too many connections from 127.0.0.2 (limits.connectionsPerAddress is 3)'
    expect(refusals).toEqual([{ address: '127.0.0.2', code: 'too_many_from_address', reason }])
  })

  it('held by callers in the middle of a request refuses one more, held by idle ones lets it in', async () => {
    const { open, codes } = await startLimited({ maxConnections: 40, connectionsPerAddress: 2 })
    const [busy, idle] = [await open('127.0.0.2', SLOW), await open('127.0.0.2', KNOWN)]
    await open('127.0.0.2', SLOW)
    await until(() => isClosed(idle))
    const late = await open('127.0.0.2')
    await until(() => isClosed(late))
    expect([isClosed(busy), codes()]).toEqual([false, ['too_many_from_address']])
  })

  it('is that of a /64 in IPv6, and the IPv4 address behind a mapped one', () => {
    expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
    expect(networkOf('2001:db8:1:2::9')).toBe('2001:db8:1:2::/64')
    expect(networkOf('2001:db8:1:3::9')).toBe('2001:db8:1:3::/64')
    expect(networkOf('192.0.2.1')).toBe('192.0.2.1')
    expect(networkOf('unknown')).toBe('unknown')
  })
})

describe('a listener whose places are taken', () => {
  it('leaves half of them to callers that have authenticated: the untrusted caller that was silent for longest makes room', async () => {
    const { open, connections, codes, later } = await startLimited({ maxConnections: 8, connectionsPerAddress: 8 })
    const strangers = [await open('127.0.0.2'), await open('127.0.0.3'), await open('127.0.0.4')]
    const active = await open('127.0.0.5', GET)
    later(1000)
    // A caller that asked last has the latest activity.
    strangers[0]?.write(GET)
    await once(strangers[0] as Socket, 'data')
    await open('127.0.0.6')
    await until(() => isClosed(strangers[1] as Socket))
    expect([...strangers, active].map(isClosed)).toEqual([false, true, false, false])
    expect([connections.count(), codes()]).toEqual([4, ['idle_connection']])
  })

  it('in a flood of new connections takes them from the address that holds most', async () => {
    const { open, codes } = await startLimited({ maxConnections: 8, connectionsPerAddress: 8 })
    const quiet = await open('127.0.0.2')
    const flood: Socket[] = []
    for (let i = 0; i < 3; i++) flood.push(await open('127.0.0.3'))
    await open('127.0.0.4')
    await until(() => isClosed(flood[0] as Socket))
    expect([isClosed(quiet), codes()]).toEqual([false, ['idle_connection']])
  })

  it('in a flood refuses those who hold many new connections already, and no one else', async () => {
    const { open, refusals } = await startLimited({ maxConnections: 64, connectionsPerAddress: 64 })
    for (let i = 0; i < 32; i++) await open('127.0.0.2')
    const caller = await open('127.0.0.3')
    const late = await open('127.0.0.2')
    await until(() => isClosed(late))
    const reason = 'too many new connections from 127.0.0.2 at one time'
    expect(refusals.at(-1)).toEqual({ address: '127.0.0.2', code: 'too_many_from_address', reason })
    expect(isClosed(caller)).toBe(false)
  })

  it('takes them from the authenticated caller that asked for nothing for longest', async () => {
    const { open, later } = await startLimited({ maxConnections: 2, connectionsPerAddress: 2 })
    const [first, second] = [await open('127.0.0.2', KNOWN), await open('127.0.0.3', KNOWN)]
    later(1000)
    first.write(KNOWN)
    await once(first, 'data')
    await open('127.0.0.4', GET)
    await until(() => isClosed(second))
    expect(isClosed(first)).toBe(false)
  })

  it('refuses a newcomer only when every place is a request under way', async () => {
    const { open, codes, connections } = await startLimited({ maxConnections: 2, connectionsPerAddress: 2 })
    for (const address of ['127.0.0.2', '127.0.0.3']) await open(address, SLOW)
    const late = await open('127.0.0.4', '')
    await until(() => isClosed(late))
    expect([connections.count(), codes()]).toEqual([2, ['too_many_connections']])
  })
})
