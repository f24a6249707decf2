import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allEvents } from '../../support/calls.ts'
import {
  BASE_CALLBACKS,
  createSite,
  OPERATOR_TOKEN,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway.ts'
import { callAndHalfClose, type HalfClose, tlsArguments } from '../../support/half-close.ts'
import { openRawCaller } from '../../support/raw-calls.ts'
import { hasPython } from '../../support/service-unit.ts'

const TOKEN = randomBytes(32).toString('hex')
const OWN = { certificate: 'certs/server.crt', privateKey: 'certs/server.key' }

interface With {
  readonly charges?: object
  readonly api?: object
  readonly limits?: object
}

async function startWith({ charges = {}, api = {}, limits = {} }: With = {}): Promise<TestGateway> {
  const tokens = [{ environment: 'production', tokenFile: 'token' }]
  const site = await createSite({
    callbacks: { ...BASE_CALLBACKS, limits },
    chargeNotifications: { host: '127.0.0.1', port: 0, tokens, ...charges },
    api: { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token', ...api },
  })
  writeFileSync(join(site.folder, 'token'), `${TOKEN}\n`, { mode: 0o600 })
  return startTestGateway(site)
}

const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const ask = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${OPERATOR_TOKEN}\r\n\r\n`
const statusesIn = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 ([0-9]{3})/g)].map((found) => Number(found[1]))

describe.skipIf(!hasPython)('a caller that sends no more behind its request gets its answer', () => {
  const ways: [HalfClose, string][] = [
    ['close-notify', 'TLSv1_3'],
    ['close-notify', 'TLSv1_2'],
    ['fin', 'TLSv1_3'],
    ['fin', 'TLSv1_2'],
  ]
  it('with every way and version of TLS, on all three listeners', async () => {
    const gateway = await startWith({ charges: OWN, api: OWN })
    const listeners = [
      { address: gateway.callbacks, request: post('/callbacks/payment', '{"half":1}'), asService: true },
      { address: gateway.charges, request: post(`/charges/${TOKEN}`, 'notification=t1'), asService: false },
      { address: gateway.api, request: ask('/healthz'), asService: false },
    ]
    const calls = ways.flatMap(([how, version]) =>
      listeners.map(({ address, request, asService }) => {
        const args = tlsArguments(gateway.site, { how, version, asService, port: address?.port ?? 0 })
        return callAndHalfClose(args, request)
      }),
    )
    expect((await Promise.all(calls)).map(statusesIn)).toEqual(calls.map(() => [200]))
  })

  it('without TLS on charges and the API', async () => {
    const gateway = await startWith({ charges: { allowedAddresses: ['127.0.0.1'] } })
    const call = (port = 0, request = '') => callAndHalfClose(['tcp', String(port)], request)
    const charge = await call(gateway.charges?.port, post(`/charges/${TOKEN}`, 'notification=t2'))
    expect(statusesIn(charge)).toEqual([200])
    expect(statusesIn(await call(gateway.api.port, ask('/v1/events')))).toEqual([200])
  })

  it('and each of several gets its own, in order', async () => {
    const gateway = await startWith()
    const requests = [1, 2, 3].map((n) => post('/callbacks/payment', `{"half":${n}}`))
    const at = { port: gateway.callbacks.port, how: 'close-notify', version: 'TLSv1_3' } as const
    const answer = await callAndHalfClose(tlsArguments(gateway.site, at), requests.join(''))
    expect(statusesIn(answer)).toEqual([200, 200, 200])
    expect(await allEvents(gateway.api)).toHaveLength(3)
  })

  it('at once where it would have waited for events, as it may have hung up', async () => {
    const gateway = await startWith()
    const call = (target: string) => callAndHalfClose(['tcp', String(gateway.api.port)], ask(target))
    // Much longer than this caller's patience.
    const answer = await call('/v1/events?wait=30')
    expect(statusesIn(answer)).toEqual([200])
    expect(answer).toContain('"data":[]')
  })
})

describe('a caller that sends no more', () => {
  it('in the middle of its request is refused at once, and its place is free', async () => {
    const gateway = await startWith({ limits: { maxConnections: 2 } })
    for (let i = 0; i < 6; i++) {
      const caller = await openRawCaller(gateway)
      caller.send('POST /callbacks/payment HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{"a')
      caller.finish()
      await caller.closed()
      expect(caller.answers().map((answer) => answer.status)).toEqual([400])
    }
    const refused = gateway.lines.filter((line) => line.event === 'caller.refused')
    expect(refused.map((line) => line.code)).toEqual(Array(6).fill('bad_request'))
    expect(await allEvents(gateway.api)).toEqual([])
  })

  it('in the middle of its handshake, or before a request, has no place any more', async () => {
    const gateway = await startWith({ limits: { maxConnections: 4 } })
    for (let i = 0; i < 8; i++) {
      const socket = connect({ host: '127.0.0.1', port: gateway.callbacks.port, allowHalfOpen: true })
      await once(socket, 'connect')
      socket.end(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]))
      const closed = Promise.race([once(socket, 'end'), once(socket, 'close'), once(socket, 'error')])
      socket.resume()
      await closed
      const idle = await openRawCaller(gateway)
      idle.finish()
      await idle.closed()
    }
  })
})
