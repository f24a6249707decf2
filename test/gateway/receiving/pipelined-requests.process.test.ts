import { connect } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { allEvents } from '../../support/calls.ts'
import { createSite, serviceCredentials, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { openRawCaller, originalOf, rawCallback } from '../../support/raw-calls.ts'

const PATH = '/callbacks/payment'
const HOST = 'Host: localhost\r\n'
const post = rawCallback
const chunked = (rest: string, headers = '') =>
  `POST ${PATH} HTTP/1.1\r\n${HOST}${headers}Transfer-Encoding: chunked\r\n\r\n${rest}`
const bare = (method: string, target: string) => `${method} ${target} HTTP/1.1\r\n${HOST}\r\n`

/** What is answered, and whether the connection has ended. */
async function outcomeOf(gateway: TestGateway, bytes: string, answers: number): Promise<string> {
  const caller = await openRawCaller(gateway)
  caller.send(bytes)
  await caller.settled(answers)
  const last = caller.answers().at(-1)
  if (last?.headers.connection === 'close') await caller.closed()
  return [...caller.answers().map(({ status }) => status), ...(caller.isClosed() ? ['closed'] : [])].join(' ')
}

async function keptBodies({ api }: TestGateway): Promise<string[]> {
  const ids = (await allEvents(api, '&kind=payment')).map(({ id }) => id)
  return Promise.all(ids.map(async (id) => (await originalOf(api, id as string)).toString('latin1')))
}

describe('thousands of requests in one write, whose answers do not fit on the connection at once, are all answered', () => {
  const COUNT = 3000

  it('on the callback listener, and what is acknowledged is stored as it was sent', async () => {
    const gateway = await startTestGateway()
    const bodies = Array.from({ length: COUNT / 100 }, (_, i) => `{"number":${i},"pad":"${'x'.repeat(20_000)}"}`)
    const bytes = bodies.map((body) => bare('GET', '/nope').repeat(99) + post(body)).join('')
    expect(await outcomeOf(gateway, bytes, COUNT)).toBe(
      bodies.map(() => `${Array(99).fill(404).join(' ')} 200`).join(' '),
    )
    expect(await keptBodies(gateway)).toEqual(bodies)
    expect(gateway.lines.filter(({ code }) => code === 'bad_request')).toEqual([])
  })

  it('on the API with TLS', async () => {
    const tls = { certificate: 'certs/server.crt', privateKey: 'certs/server.key' }
    const site = await createSite({ api: { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token', ...tls } })
    const { api } = await startTestGateway(site)
    const { ca } = serviceCredentials(site)
    const socket = connect({ host: '127.0.0.1', port: api.port, servername: 'localhost', ca })
    socket.write(
      bare('GET', '/healthz').repeat(COUNT - 1) + bare('GET', '/healthz').replace(HOST, `${HOST}Connection: close\r\n`),
    )
    const received = Buffer.concat(await socket.toArray()).toString('latin1')
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(Array(COUNT).fill('HTTP/1.1 200'))
  })
})

describe('a request whose body is broken is answered in its turn', () => {
  it.each([
    ['behind a callback that waits for the disk', post('{"a":1}') + chunked('x'), '200 400 closed', 2],
    ['behind several', post('{"a":1}') + post('{"b":1}') + chunked('2\r\n{}x'), '200 200 400 closed', 3],
    ['with Expect', post('{"a":1}') + chunked('x', 'Expect: 100-continue\r\n'), '200 100 400 closed', 3],
    ['refused already', post('{"a":1}') + chunked('x', 'Content-Encoding: br\r\n'), '200 415 closed', 2],
    ['alone', chunked('x'), '400 closed', 1],
  ])('%s', async (_where, bytes, outcome, answers) => {
    const gateway = await startTestGateway()
    expect(await outcomeOf(gateway, bytes, answers)).toBe(outcome)
    expect(await keptBodies(gateway)).toEqual([...bytes.matchAll(/{"[ab]":1}/g)].map(([body]) => body))
  })
})

it('nothing behind a request for an upgrade is read, neither as a request nor in part', async () => {
  const gateway = await startTestGateway()
  const caller = await openRawCaller(gateway)
  const smuggled = post('{"smuggled":1}')
  const upgrade = post('{"a":1}').replace(HOST, `${HOST}Connection: Upgrade\r\nUpgrade: h2c\r\n`)
  // Two TLS records, so two reads: the second one is a body.
  caller.send(upgrade + post(smuggled).slice(0, -smuggled.length))
  caller.send(smuggled)
  await caller.closed()
  expect(caller.answers().map(({ status, headers }) => [status, headers.connection])).toEqual([[200, 'close']])
  expect(await keptBodies(gateway)).toEqual(['{"a":1}'])
})
