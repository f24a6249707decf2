import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { OPERATOR_TOKEN } from '../../support/gateway.ts'
import { sharedApi } from '../api.ts'

const shared = sharedApi()

/** Everything that comes back for these bytes, until the connection ends. */
async function answersTo(bytes: string): Promise<string> {
  const { port } = await shared()
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  return Buffer.concat(await socket.toArray()).toString('utf8')
}

const HOST = 'host: localhost\r\n'
const JSON_CHUNKS = 'content-type: application/json\r\ntransfer-encoding: chunked\r\n'

it.each([
  ['no HTTP at all', 400, 'GARBAGE\r\n\r\n'],
  ['an unknown method', 400, `BREW /healthz HTTP/1.1\r\n${HOST}\r\n`],
  ['a header that is none', 400, `GET /healthz HTTP/1.1\r\n${HOST}a b: c\r\n\r\n`],
  ['no Host', 400, 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n'],
  ['Host twice', 400, `GET /healthz HTTP/1.1\r\n${HOST}HOST: other\r\nconnection: close\r\n\r\n`],
  ['a Host that is none', 400, 'GET /healthz HTTP/1.1\r\nhost: a, b\r\nconnection: close\r\n\r\n'],
  ['a request line without a version', 400, 'GET /healthz\r\n\r\n'],
  ['another version of HTTP', 400, `GET /healthz HTTP/2.0\r\n${HOST}connection: close\r\n\r\n`],
  ['headers that are too long', 431, `GET /healthz HTTP/1.1\r\n${HOST}x: ${'x'.repeat(20_000)}\r\n\r\n`],
  ['a chunk that is none', 400, `POST /oauth/token HTTP/1.1\r\n${HOST}${JSON_CHUNKS}\r\nzz\r\n`],
])('%s is answered as a problem, with what every answer has', async (_, status, bytes) => {
  const [head = '', body = ''] = (await answersTo(bytes)).split('\r\n\r\n')
  const requestId = /^x-request-id: (req_[0-9a-z]{10})$/im.exec(head)?.[1]
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(head).toMatch(/^cache-control: no-store$/im)
  expect(head).toMatch(/^x-content-type-options: nosniff$/im)
  expect(head).toMatch(/^content-type: application\/problem\+json/im)
  expect(JSON.parse(body)).toMatchObject({ status, code: 'request_invalid', requestId })
})

it.each([
  ['1', `PROXY TCP4 192.0.2.1 192.0.2.2 40000 8080\r\nGET /healthz HTTP/1.1\r\n${HOST}\r\n`],
  ['2', '\r\n\r\n\0\r\nQUIT\n!\x11\0\x0c'.padEnd(28, '\x01')],
])('a PROXY protocol header of version %s is named, with what switches it off', async (_, bytes) => {
  const answer = await answersTo(bytes)
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer).toContain('a PROXY protocol header is not read here: switch it off at the load balancer in front')
})

it('an expectation that no one knows is passed over, and HTTP/1.0 needs no Host', async () => {
  expect(await answersTo(`GET /healthz HTTP/1.1\r\n${HOST}expect: tea\r\nconnection: close\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 200 /,
  )
  expect(await answersTo('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /)
})

it('what is in front of it on the connection has its answer', async () => {
  expect(await answersTo(`GET /healthz HTTP/1.1\r\n${HOST}\r\nGARBAGE\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 200 .*"status":"alive"/s,
  )
})

it('what waits for the store in front of it has its answer first', async () => {
  const token = `authorization: Bearer ${OPERATOR_TOKEN}\r\n`
  const answers = await answersTo(`GET /v1/events HTTP/1.1\r\n${HOST}${token}\r\nGARBAGE\r\n\r\n`)
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
})

it('a request that is answered before its broken body gets no second answer', async () => {
  const answers = await answersTo(`POST /nope HTTP/1.1\r\n${HOST}${JSON_CHUNKS}\r\nzz\r\n`)
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404'])
})

it('a request for an upgrade is the last one of its connection: what is behind it is not read', async () => {
  const upgrade = 'connection: upgrade\r\nupgrade: websocket\r\n'
  const answers = await answersTo(`GET /healthz HTTP/1.1\r\n${HOST}${upgrade}\r\nGET /readyz HTTP/1.1\r\n${HOST}\r\n`)
  expect(answers.match(/HTTP\/1\.1 \d+|^connection: \w+/gim)).toEqual(['HTTP/1.1 200', 'Connection: close'])
})
