import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect as connectPlain, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import {
  Command,
  INETProtocol,
  IPv6Address,
  IPv6ProxyAddress,
  Peer,
  TransportProtocol,
  UnspecProxyAddress,
  V1ProxyProtocol,
  V2ProxyProtocol,
} from 'proxy-protocol-js'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { refusalView } from '../../../src/api/refusals/view.ts'
import { allEvents, callApi } from '../../support/calls.ts'
import {
  BASE_CALLBACKS,
  createSite,
  OPERATOR_TOKEN,
  serviceCredentials,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway.ts'
import { rawCallback } from '../../support/raw-calls.ts'
import { until } from '../../support/until.ts'

const TOKEN = 'a-secret-path-token-of-the-charge-listener-0123'
/** The load balancer, and an address that is none of it. Each is an address of this machine. */
const [BALANCER, OTHER] = ['127.0.0.5', '127.0.0.6']
const CLOSE = 'connection: close\r\n'

interface Changes {
  readonly callbacks?: object
  readonly charges?: object
  readonly api?: object
}

/** A gateway behind a load balancer; the API itself has none unless the changes say so. */
async function start({ callbacks = {}, charges = {}, api = {} }: Changes = {}): Promise<TestGateway> {
  const proxyProtocol = [BALANCER, '192.0.2.0/24']
  const site = await createSite({
    callbacks: { ...BASE_CALLBACKS, proxyProtocol, ...callbacks },
    chargeNotifications: {
      host: '127.0.0.1',
      port: 0,
      tokens: [{ environment: 'production', tokenFile: 'token' }],
      proxyProtocol,
      ...charges,
    },
    api: { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token', ...api },
  })
  writeFileSync(join(site.folder, 'token'), TOKEN, { mode: 0o600 })
  return startTestGateway(site)
}

/** Version 1, of a caller at this address. */
function line(address: string, port = 40_000): Buffer {
  const peers = [new Peer(address, port), new Peer('198.51.100.1', 443)] as const
  return Buffer.from(new V1ProxyProtocol(INETProtocol.TCP4, ...peers).build())
}

/** Version 2, of a caller at 2001:db8::7. */
function binary(): Buffer {
  const caller = IPv6Address.createFrom([0x20, 0x01, 0x0d, 0xb8, ...Array(11).fill(0), 7])
  const address = new IPv6ProxyAddress(caller, 40_000, IPv6Address.createWithEmptyAddress(), 443)
  return Buffer.from(new V2ProxyProtocol(Command.PROXY, TransportProtocol.STREAM, address).build())
}

/** Version 2, of a health check. */
const LOCAL = Buffer.from(
  new V2ProxyProtocol(Command.LOCAL, TransportProtocol.UNSPEC, new UnspecProxyAddress()).build(),
)

async function open(port: number | undefined, header: string | Uint8Array = '', from = BALANCER): Promise<Socket> {
  const socket = connectPlain({ host: '127.0.0.1', port: port as number, localAddress: from, noDelay: true })
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  if (header.length > 0) socket.write(header)
  return socket
}

/** All that is answered on the connection, until its end. */
function answerOn(socket: Socket, request = ''): Promise<string> {
  let answer = ''
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')))
  if (request !== '') socket.write(request)
  return new Promise((resolve) => {
    if (socket.closed) resolve(answer)
    socket.once('close', () => resolve(answer))
  })
}

/** TLS on a connection, by default with the service's certificate. */
function secure(gateway: TestGateway, socket: Socket, options: object = {}): TLSSocket {
  const tls = connect({ ...serviceCredentials(gateway.site), ...options, socket, servername: 'localhost' })
  return tls.on('error', () => undefined)
}

const callback = (body: string) => rawCallback(body).replace('\r\n\r\n', `\r\n${CLOSE}\r\n`)
const charge = `POST /charges/${TOKEN} HTTP/1.1\r\nhost: x\r\n${CLOSE}content-length: 14\r\n\r\nnotification=t`

async function addressesIn(gateway: TestGateway): Promise<unknown[]> {
  const events = await allEvents(gateway.api)
  return Promise.all(
    events.map(async ({ id }) => {
      const { body } = await callApi(gateway.api, `/v1/events/${id}`)
      return (JSON.parse(body) as { evidence: { remoteAddress: string } }).evidence.remoteAddress
    }),
  )
}

async function refusalsOf({ api }: TestGateway, count: number) {
  const read = async () =>
    (JSON.parse((await callApi(api, '/v1/refusals?limit=1000')).body) as { data: ReturnType<typeof refusalView>[] })
      .data
  const rows = await until(read, ({ length }) => length >= count)
  return rows.map(({ code, remoteAddress }) => `${code} ${remoteAddress}`)
}

describe('the callback listener', () => {
  it('takes each caller for who the load balancer says it is, and other connections for themselves', async () => {
    const gateway = await start()
    const { port } = gateway.callbacks
    const callers = [
      await open(port, line('203.0.113.7')),
      await open(port, binary()),
      await open(port, LOCAL),
      await open(port, 'PROXY UNKNOWN\r\n'),
      await open(port, '', OTHER),
    ]
    for (const [index, socket] of callers.entries())
      expect(await answerOn(secure(gateway, socket), callback(`{"a":${index}}`))).toMatch(/^HTTP\/1\.1 200 /)
    expect(await addressesIn(gateway)).toEqual(['203.0.113.7', '2001:db8::7', BALANCER, BALANCER, OTHER])
    const logged = gateway.lines.filter(({ event }) => event === 'callback.stored')
    expect(logged.map(({ remoteAddress }) => remoteAddress)).toEqual(await addressesIn(gateway))
  })

  it('reads a header that comes byte by byte, and one that comes with the first bytes of TLS', async () => {
    const gateway = await start()
    const slow = await open(gateway.callbacks.port)
    for (const byte of binary()) {
      slow.write(Uint8Array.of(byte))
      await new Promise(setImmediate)
    }
    expect(await answerOn(secure(gateway, slow), callback('{"a":1}'))).toMatch(/^HTTP\/1\.1 200 /)
    const fast = await open(gateway.callbacks.port)
    fast.cork()
    fast.write(line('203.0.113.7'))
    const tls = secure(gateway, fast)
    setImmediate(() => fast.uncork())
    expect(await answerOn(tls, callback('{"a":2}'))).toMatch(/^HTTP\/1\.1 200 /)
    expect(await addressesIn(gateway)).toEqual(['2001:db8::7', '203.0.113.7'])
  })

  it('refuses what has no usable header, and takes none from anywhere else', async () => {
    const gateway = await start()
    const { port } = gateway.callbacks
    const ended = [
      // TLS at once
      await open(port, '\x16\x03\x01\x02\x00\x01'),
      await open(port, 'PROXY TCP4 203.0.113.7\r\n'),
      await open(port, Buffer.from('\r\n\r\n\0\r\nQUIT\n\x21\x11\xff\xff', 'latin1')),
      // A second header is no header, and neither is one from another address.
      await open(port, Buffer.concat([line('203.0.113.7'), line('203.0.113.8')])),
      await open(port, line('203.0.113.7'), OTHER),
    ]
    const brokenOff = [await open(port, binary().subarray(0, 20)), await open(port, 'P')]
    for (const socket of brokenOff) socket.end()
    await Promise.all([...ended, ...brokenOff].map((socket) => answerOn(socket)))
    expect((await refusalsOf(gateway, 7)).toSorted()).toEqual([
      'not_tls 127.0.0.6',
      ...Array(4).fill('proxy_header_invalid 127.0.0.5'),
      'proxy_header_missing 127.0.0.5',
      'proxy_header_twice 203.0.113.7',
    ])
  })

  it('does not wait for a header forever, and then lets the caller take its time', async () => {
    const limits = { handshakeTimeout: '400ms' }
    const gateway = await start({ callbacks: { limits }, api: { proxyProtocol: [BALANCER], limits } })
    const idle = await open(gateway.api.port, LOCAL)
    const late = [await open(gateway.callbacks.port), await open(gateway.callbacks.port, 'PROXY TCP4 203.0')]
    await Promise.all(late.map((socket) => answerOn(socket)))
    expect(await refusalsOf(gateway, 2)).toEqual(Array(2).fill(`proxy_header_missing ${BALANCER}`))
    expect(await answerOn(idle, `GET /healthz HTTP/1.1\r\nhost: localhost\r\n${CLOSE}\r\n`)).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('records no health check: without a byte, with a local header, or with one that states no caller', async () => {
    const gateway = await start()
    const { port } = gateway.callbacks
    for (const header of ['', LOCAL, 'PROXY UNKNOWN\r\n', line('203.0.113.7')]) {
      const checks = [await open(port, header), await open(port, header)]
      checks[0]?.end()
      // A reset may overtake the header.
      checks[1]?.end(() => checks[1]?.resetAndDestroy())
      await Promise.all(checks.map((socket) => answerOn(socket)))
    }
    await answerOn(await open(port, 'x'))
    expect(await refusalsOf(gateway, 1)).toEqual([`proxy_header_missing ${BALANCER}`])
  })

  it('names the caller in refusals of the handshake, and recognizes its probe', async () => {
    const gateway = await start()
    const { port } = gateway.callbacks
    const nothing = { cert: undefined, key: undefined }
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'])
      await answerOn(secure(gateway, await open(port, line('203.0.113.7')), { ...nothing, maxVersion }))
    await answerOn(
      secure(gateway, await open(port, line('203.0.113.8')), {
        ...nothing,
        ciphers: 'AES128-SHA',
        maxVersion: 'TLSv1.2',
      }),
    )
    const hanging = await open(port, Buffer.concat([line('203.0.113.9'), Buffer.from('\x16\x03\x01')]))
    hanging.end()
    await answerOn(hanging)
    expect(await refusalsOf(gateway, 4)).toEqual([
      'no_certificate 203.0.113.7',
      'no_certificate 203.0.113.7',
      'no_common_cipher 203.0.113.8',
      'hung_up 203.0.113.9',
    ])
    await answerOn(secure(gateway, await open(port, line('203.0.113.7'))), callback('{}'))
    await until(() => gateway.lines.some(({ event }) => event === 'probe.recognized'))
  })

  it('counts connections by caller, and not by load balancer', async () => {
    const limits = { maxConnections: 40, connectionsPerAddress: 2 }
    const gateway = await start({ callbacks: { limits } })
    const { port } = gateway.callbacks
    for (let i = 1; i <= 6; i++) await open(port, line(`203.0.113.${i}`))
    const same: Socket[] = []
    for (let i = 0; i < 3; i++) same.push((await open(port, line('198.51.100.7', 40_000 + i))).resume())
    expect(await refusalsOf(gateway, 1)).toEqual(['too_many_from_address 198.51.100.7'])
    await until(() => same.filter(({ closed }) => closed).length === 1)
  })

  it('stops while headers are due, as the other listeners do', async () => {
    const limits = { handshakeTimeout: '10m' }
    const gateway = await start({ callbacks: { limits }, api: { proxyProtocol: [BALANCER], limits } })
    const waiting = [
      await open(gateway.callbacks.port),
      await open(gateway.charges?.port, 'PROXY '),
      await open(gateway.api.port),
    ]
    await until(async () => {
      const { body } = await callApi(gateway.api, '/metrics')
      // The second of the API asks.
      return ['callbacks"} 1', 'charges"} 1', 'api"} 2'].every((text) =>
        body.includes(`portaria_connections{listener="${text}\n`),
      )
    })
    await gateway.stop()
    await Promise.all(waiting.map((socket) => answerOn(socket)))
  })
})

describe('the charge listener', () => {
  it.each([{}, { certificate: 'certs/server.crt', privateKey: 'certs/server.key' }])(
    'allows the addresses of callers, with %j',
    async (tls) => {
      const gateway = await start({ charges: { ...tls, allowedAddresses: ['203.0.113.0/24', '2001:db8::/32'] } })
      const port = gateway.charges?.port
      const call = async (header: Buffer | string, from = BALANCER) => {
        const socket = await open(port, header, from)
        const answer = await answerOn('certificate' in tls ? secure(gateway, socket) : socket, charge)
        return answer.slice(0, 12)
      }
      expect(await call(line('203.0.113.7'))).toBe('HTTP/1.1 200')
      expect(await call(binary())).toBe('HTTP/1.1 200')
      for (const from of [BALANCER, OTHER]) expect(await call('', from)).toBe('')
      for (const header of [line('198.51.100.7'), LOCAL]) expect(await call(header)).toBe('')
      expect(await addressesIn(gateway)).toEqual(['203.0.113.7', '2001:db8::7'])
      expect(await refusalsOf(gateway, 4)).toEqual([
        `proxy_header_missing ${BALANCER}`,
        `address_not_allowed ${OTHER}`,
        'address_not_allowed 198.51.100.7',
        `address_not_allowed ${BALANCER}`,
      ])
    },
  )

  it('reads what follows the header, however much comes with it, and from a caller that sends no more', async () => {
    const gateway = await start()
    const many = charge.replace(CLOSE, '').repeat(300)
    const socket = await open(gateway.charges?.port, Buffer.concat([line('203.0.113.7'), Buffer.from(many)]))
    socket.end()
    const answer = await answerOn(socket)
    expect(answer.match(/HTTP\/1\.1 200 /g)).toHaveLength(300)
    expect(new Set(await addressesIn(gateway))).toEqual(new Set(['203.0.113.7']))
  })

  it('names a header from elsewhere, and a second one', async () => {
    const gateway = await start()
    const port = gateway.charges?.port
    await answerOn(await open(port, line('203.0.113.7'), OTHER))
    await answerOn(await open(port, Buffer.concat([line('203.0.113.7'), binary()])))
    expect(await refusalsOf(gateway, 2)).toEqual([`proxy_header ${OTHER}`, 'proxy_header 203.0.113.7'])
  })
})

describe('the API', () => {
  const ask = (path: string, headers: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${CLOSE}${headers}\r\n`
  const WRONG = 'authorization: Bearer wrong\r\n'

  it('slows down the caller that guesses, and not the others behind the load balancer', async () => {
    const gateway = await start({ api: { proxyProtocol: [BALANCER] } })
    const guess = async (address: string) =>
      (await answerOn(await open(gateway.api.port, line(address)), ask('/v1/events', WRONG))).slice(9, 12)
    const answers: string[] = []
    while (answers.at(-1) !== '429') answers.push(await guess('203.0.113.7'))
    expect(answers.slice(0, 5)).toEqual(Array(5).fill('401'))
    expect(await guess('203.0.113.8')).toBe('401')
    expect(new Set(await refusalsOf(gateway, answers.length + 1))).toEqual(
      new Set(['invalid_token 203.0.113.7', 'invalid_token 203.0.113.8']),
    )
  })

  it('names the caller of a refused request, and refuses what has no header', async () => {
    const gateway = await start({ api: { proxyProtocol: [BALANCER] } })
    const misdirected = ask('/healthz', '').replace('localhost', 'other.example')
    expect(await answerOn(await open(gateway.api.port, line('203.0.113.7')), misdirected)).toMatch(/^HTTP\/1\.1 421 /)
    expect(await answerOn(await open(gateway.api.port), ask('/healthz', ''))).toBe('')
    expect(await answerOn(await open(gateway.api.port, LOCAL), ask('/healthz', ''))).toMatch(/^HTTP\/1\.1 200 /)
    expect(await refusalsOf(gateway, 2)).toEqual(['wrong_host 203.0.113.7', `proxy_header_missing ${BALANCER}`])
  })

  it('reads the header before TLS', async () => {
    const certificates = { certificate: 'certs/server.crt', privateKey: 'certs/server.key' }
    const gateway = await start({ api: { proxyProtocol: [BALANCER], ...certificates } })
    const tls = secure(gateway, await open(gateway.api.port, binary()))
    expect(await answerOn(tls, ask('/v1/events', WRONG))).toMatch(/^HTTP\/1\.1 401 /)
    const again = secure(gateway, await open(gateway.api.port, binary()))
    const operator = `authorization: Bearer ${OPERATOR_TOKEN}\r\n`
    const list = async () =>
      answerOn(secure(gateway, await open(gateway.api.port, binary())), ask('/v1/refusals', operator))
    again.destroy()
    expect(await until(list, (answer) => answer.includes('invalid_token'))).toContain('"remoteAddress":"2001:db8::7"')
  })
})
