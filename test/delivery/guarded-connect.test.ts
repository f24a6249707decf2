import { randomUUID, type X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  type ConnectorOptions,
  checkReachableAddress,
  createGuardedConnector,
} from '../../src/delivery/guarded-connect.ts'
import { createNameResolver, NameFailure } from '../../src/delivery/name-resolver.ts'
import { compileAddressRules } from '../../src/domain/address-rules.ts'
import { createAuthority } from '../support/authority.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { serverWithOddKey } from '../support/odd-keys.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { reservePort } from '../support/ports.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { certificateFor, startRaw, startTls } from './receiver.ts'

const strict = compileAddressRules([])
const onlyHere = compileAddressRules(['127.0.0.1'])
const NAME = 'hooks.example.com'
const system = createNameResolver()

function open(url: string, options: Partial<ConnectorOptions>): Promise<Socket> {
  const { hostname, protocol, port, host } = new URL(url)
  const connector = createGuardedConnector({ rules: onlyHere, resolve: system, connectTimeoutMs: 5_000, ...options })
  return new Promise((resolve, reject) => {
    connector({ hostname: hostname.replace(/^\[|\]$/g, ''), protocol, port, host }, (error, socket) => {
      if (error !== null) return reject(error)
      onTestFinished(() => void socket.destroy())
      resolve(socket)
    })
  })
}

const forbidden = (text: string) =>
  expect.objectContaining({ code: 'address_forbidden', message: expect.stringContaining(text) })
const failing = (stage: string, text: string) =>
  expect.objectContaining({ stage, message: expect.stringContaining(text) })

describe('addresses', () => {
  test('a name that resolves to an allowed address is connected to, after resolving once', async () => {
    const receiver = await startRaw()
    const resolve = vi.fn(async () => ['127.0.0.1'])
    const socket = await open(`http://${NAME}:${receiver.port}`, { resolve })
    expect([socket.remoteAddress, resolve.mock.calls]).toEqual(['127.0.0.1', [[NAME]]])
  })

  test('an address in the URL is judged without a resolver', async () => {
    const receiver = await startRaw()
    const resolve = vi.fn(async () => ['127.0.0.1'])
    await expect(open(`http://127.0.0.1:${receiver.port}`, { rules: strict, resolve })).rejects.toEqual(
      forbidden('127.0.0.1 is not an allowed address (loopback)'),
    )
    await expect(open(`https://[::ffff:127.0.0.1]:${receiver.port}`, { rules: strict, resolve })).rejects.toEqual(
      forbidden('IPv4-mapped form of 127.0.0.1'),
    )
    expect([resolve.mock.calls, receiver.sockets]).toEqual([[], []])
  })

  test.each([[['127.0.0.1', '10.0.0.1']], [['10.0.0.1', '127.0.0.1']]])(
    'a name with one good and one bad address is refused: %j',
    async (addresses) => {
      const receiver = await startRaw()
      const opening = open(`https://${NAME}:${receiver.port}`, { resolve: async () => addresses })
      await expect(opening).rejects.toEqual(
        forbidden(`${NAME} has the address 10.0.0.1, which is not an allowed address (private network)`),
      )
      expect(receiver.sockets).toEqual([])
    },
  )

  test('plain http needs every address within an allowed network, public ones too', async () => {
    const opening = open(`http://${NAME}:80`, { resolve: async () => ['127.0.0.1', '8.8.8.8'] })
    await expect(opening).rejects.toEqual(forbidden(`plain http to ${NAME} with the address 8.8.8.8 is not allowed`))
  })

  test('a name that changes its answer after the check is refused when it is connected to', async () => {
    const receiver = await startRaw()
    const answers = [['127.0.0.1'], ['127.0.0.2']]
    const resolve = async () => answers.shift() ?? []
    const url = `http://${NAME}:${receiver.port}`
    await expect(checkReachableAddress(url, { rules: onlyHere, resolve, timeoutMs: 5_000 })).resolves.toEqual([
      '127.0.0.1',
    ])
    await expect(open(url, { resolve })).rejects.toEqual(forbidden('127.0.0.2'))
    expect(receiver.sockets).toEqual([])
  })

  // Linux turns a connection to 0.0.0.0 into one to 127.0.0.1.
  test('a connection that comes out elsewhere than at the checked address is closed', async () => {
    const receiver = await startRaw()
    const rules = compileAddressRules(['0.0.0.0'])
    const opening = open(`http://${NAME}:${receiver.port}`, { rules, resolve: async () => ['0.0.0.0'] })
    await expect(opening).rejects.toEqual(forbidden('the connection came out at 127.0.0.1'))
    await expect.poll(() => receiver.sockets.map((socket) => socket.closed)).toEqual([true])
  })

  test('when one address refuses, the next is tried', async () => {
    const receiver = await startRaw()
    const rules = compileAddressRules(['127.0.0.0/8'])
    const resolve = async () => ['127.0.0.2', '127.0.0.1']
    const socket = await open(`http://${NAME}:${receiver.port}`, { rules, resolve })
    expect(socket.remoteAddress).toBe('127.0.0.1')
  })

  test('when all refuse, it says so', async () => {
    const port = await reservePort()
    await expect(open(`http://127.0.0.1:${port}`, {})).rejects.toMatchObject({
      stage: 'connection',
      code: 'ECONNREFUSED',
      message: 'connection refused',
    })
  })
})

describe('names', () => {
  test('that do not resolve fail in words', async () => {
    const missing = new NameFailure('the name does not exist')
    const broken = Object.assign(new Error('out of descriptors'), { code: 'EMFILE' })
    const url = `https://${NAME}`
    await expect(open(url, { resolve: () => Promise.reject(missing) })).rejects.toEqual(
      failing('name', 'the name does not exist'),
    )
    await expect(open(url, { resolve: async () => [] })).rejects.toEqual(failing('name', 'the name has no address'))
    await expect(open(url, { resolve: () => Promise.reject(broken) })).rejects.toEqual(
      failing('name', 'name lookup failed (EMFILE)'),
    )
  })

  test('that never resolve end before the time for a connection does', async () => {
    const opening = open(`https://${NAME}`, { resolve: () => new Promise(() => {}), connectTimeoutMs: 400 })
    await expect(opening).rejects.toEqual(failing('name', 'the name servers did not answer within 0.3 s'))
  })

  test('of this machine are found without a name server', async () => {
    const guard = { rules: compileAddressRules(['127.0.0.0/8', '::1']), resolve: system, timeoutMs: 5_000 }
    const addresses = await checkReachableAddress('http://localhost:1/', guard)
    expect(addresses.every(guard.rules.isAllowed) && addresses.length > 0).toBe(true)
  })
})

describe('checking a URL', () => {
  const check = (url: string, addresses: string[]) =>
    checkReachableAddress(url, { rules: strict, resolve: async () => addresses, timeoutMs: 5_000 })

  test('passes a name whose addresses are all public', async () => {
    await expect(check(`https://${NAME}/in`, ['8.8.8.8', '2606:4700::1'])).resolves.toEqual(['8.8.8.8', '2606:4700::1'])
  })

  test('refuses forbidden addresses, plain http, bad URLs, and names that do not resolve', async () => {
    await expect(check(`https://${NAME}/in`, ['8.8.8.8', '::1'])).rejects.toEqual(forbidden('::1'))
    await expect(check('https://2130706433/', ['8.8.8.8'])).rejects.toEqual(forbidden('loopback'))
    await expect(check(`http://${NAME}/in`, ['8.8.8.8'])).rejects.toEqual(forbidden('plain http'))
    await expect(check('https://', [])).rejects.toMatchObject({ code: 'request_invalid' })
    await expect(check(`https://${NAME}/in`, [])).rejects.toMatchObject({
      code: 'request_invalid',
      message: `${NAME}: the name has no address; correct the URL, or the name in DNS`,
    })
  })
})

test('a check for which no look-up is free is refused for now, and the URL not blamed', async () => {
  const { address } = await startDnsServer({ 'dark.test': { silent: 'all' } })
  const resolve = createNameResolver({ servers: [address], resolvConf: '/dev/null', maxUnderWay: 1, limitMs: 300 })
  const guard = { rules: strict, resolve, timeoutMs: 5_000 }
  const dark = checkReachableAddress('https://dark.test/', guard)
  await expect(checkReachableAddress('https://good.test/', guard)).rejects.toMatchObject({ code: 'queue_full' })
  await expect(dark).rejects.toMatchObject({
    code: 'request_invalid',
    message: 'dark.test: the name servers did not answer within 0.3 s; correct the URL, or the name in DNS',
  })
})

describe('TLS', () => {
  const resolve = async () => ['127.0.0.1']

  test('verifies the certificate against the name, sends the name, and speaks only HTTP/1.1', async () => {
    const own = await certificateFor(NAME)
    const seen: unknown[] = []
    const receiver = await startTls({ ...own, ALPNProtocols: ['h2', 'http/1.1'] }, (socket) => {
      seen.push((socket as TLSSocket).servername)
    })
    const socket = (await open(`https://${NAME}.:${receiver.port}`, { resolve, tls: { ca: own.cert } })) as TLSSocket
    await expect.poll(() => seen).toEqual([NAME])
    expect([socket.authorized, socket.alpnProtocol, socket.remoteAddress]).toEqual([true, 'http/1.1', '127.0.0.1'])
  })

  test('sends no name for an address, whose certificate must bear the address', async () => {
    const own = await certificateFor('127.0.0.1')
    const seen: unknown[] = []
    const receiver = await startTls(own, (socket) => {
      seen.push((socket as TLSSocket).servername)
    })
    await open(`https://127.0.0.1:${receiver.port}`, { tls: { ca: own.cert } })
    await expect.poll(() => seen).toEqual([false])
  })

  test('a certificate for another name is refused', async () => {
    const own = await certificateFor('other.example.com')
    const receiver = await startTls(own)
    for (const host of [NAME, '127.0.0.1']) {
      const opening = open(`https://${host}:${receiver.port}`, { resolve, tls: { ca: own.cert } })
      await expect(opening).rejects.toEqual(failing('handshake', 'TLS handshake failed: '))
    }
    await expect.poll(() => receiver.sockets.map((socket) => socket.closed)).toEqual([true, true])
  })

  test.skipIf(!hasOpenssl)(
    'a receiver that sends a key on a curve without a NIST name does not end the process',
    async () => {
      const { ca, ...own } = serverWithOddKey(NAME)
      const receiver = await startTls(own)
      const seen: string[] = []
      const onCertificate = ({ subject }: X509Certificate) => void seen.push(subject)
      const at = (host: string) => open(`https://${host}:${receiver.port}`, { resolve, tls: { ca }, onCertificate })
      await expect(at('other.example.com')).rejects.toEqual(failing('handshake', "is not in the cert's altnames"))
      expect(await at(NAME)).toMatchObject({ authorized: true })
      expect(seen).toEqual([`CN=${NAME}`])
    },
  )

  test.skipIf(!hasOpenssl)('a certificate without alternative names is judged by its common names alone', async () => {
    const { issue } = createAuthority(temporaryFolder())
    const openTo = async (subject: string, name = randomUUID()) => {
      const { cert, keyFile } = issue({ name, subject, extensions: ['basicConstraints = CA:TRUE'] })
      const receiver = await startTls({ cert, key: readFileSync(keyFile) })
      return open(`https://${NAME}:${receiver.port}`, { resolve, tls: { ca: cert } })
    }
    expect(await openTo(`/O=shop/CN=${NAME}+OU=hooks`)).toMatchObject({ authorized: true })
    await expect(openTo(`/O=shop/CN=a \\+ CN=${NAME}`)).rejects.toEqual(failing('handshake', "is not cert's CN"))
    await expect(openTo('/O=shop')).rejects.toEqual(failing('handshake', 'Cert does not contain a DNS name'))
  })

  test('an unknown issuer is refused, even when the environment asks to verify nothing', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    onTestFinished(() => void vi.unstubAllEnvs())
    const receiver = await startTls(await certificateFor(NAME))
    await expect(open(`https://${NAME}:${receiver.port}`, { resolve })).rejects.toEqual(
      failing('handshake', 'TLS handshake failed: self-signed certificate'),
    )
  })

  test('a receiver that speaks nothing above TLS 1.1 is refused', async () => {
    const own = await certificateFor(NAME)
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
    const receiver = await startTls({ ...own, ...old })
    const opening = open(`https://${NAME}:${receiver.port}`, { resolve, tls: { ca: own.cert } })
    await expect(opening).rejects.toEqual(failing('handshake', 'TLS handshake failed: '))
  })

  test('a client certificate is shown to a receiver that asks for one', async () => {
    const own = await certificateFor(NAME)
    const client = await certificateFor('portaria.example.com')
    const asking = { ...own, requestCert: true, ca: client.cert, maxVersion: 'TLSv1.2' } as const
    const receiver = await startTls(asking)
    const url = `https://${NAME}:${receiver.port}`
    await expect(open(url, { resolve, tls: { ca: own.cert, ...client } })).resolves.toBeDefined()
    await expect(open(url, { resolve, tls: { ca: own.cert } })).rejects.toEqual(failing('handshake', 'TLS handshake'))
  })

  test('a client certificate that cannot be read fails in words, and its socket is closed', async () => {
    const receiver = await startTls(await certificateFor(NAME))
    const opening = open(`https://${NAME}:${receiver.port}`, { resolve, tls: { cert: 'nonsense', key: 'nonsense' } })
    await expect(opening).rejects.toEqual(failing('handshake', 'TLS handshake failed: '))
    await expect.poll(() => receiver.sockets.map((socket) => socket.closed)).toEqual([true])
  })

  test('a handshake that never ends is given up at the time limit, and its socket closed', async () => {
    const receiver = await startRaw((socket) => void socket.resume())
    const opening = open(`https://${NAME}:${receiver.port}`, { resolve, connectTimeoutMs: 50 })
    await expect(opening).rejects.toEqual(failing('handshake', 'not finished in time'))
    await expect.poll(() => receiver.sockets.map((socket) => socket.closed)).toEqual([true])
  })

  test('a receiver that does not speak TLS, or hangs up, is reported in words', async () => {
    const plain = await startRaw((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    await expect(open(`https://${NAME}:${plain.port}`, { resolve })).rejects.toEqual(
      failing('handshake', 'TLS handshake failed: '),
    )
    const leaving = await startRaw((socket) => void once(socket, 'data').then(() => socket.destroy()))
    await expect(open(`https://${NAME}:${leaving.port}`, { resolve })).rejects.toEqual(
      failing('handshake', 'TLS handshake failed: '),
    )
  })
})
