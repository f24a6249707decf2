import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createBodyBudget } from '../../src/platform/body-budget.ts'
import { type ReadBody, readBody } from '../../src/receiving/request-body.ts'
import { until } from '../support/until.ts'

const LIMIT = 20_000
const HEAD = 'POST / HTTP/1.1\r\nhost: a\r\n'

/** Reads bodies of up to `LIMIT` bytes, which may have 1.5 times as much together. */
async function startReading() {
  // Without a clock, because a body of more than a second gives way to another one.
  const budget = createBodyBudget({ limitBytes: LIMIT * 1.5, now: () => 0 })
  const read: ReadBody[] = []
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    readBody(request, { limitBytes: LIMIT, budget }, (body) => {
      read.push(body)
      if (body !== 'aborted') response.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    await once(socket, 'connect')
    return socket
  }
  return { read, requests, open }
}

/** Each chunk of HTTP is one read of the body. */
const chunked = (pieces: readonly Buffer[]) =>
  Buffer.concat([
    Buffer.from(`${HEAD}transfer-encoding: chunked\r\n\r\n`),
    ...pieces.flatMap((piece) => [Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]),
    Buffer.from('0\r\n\r\n'),
  ])

/** Bytes that differ from piece to piece. */
const piecesOf = (sizes: readonly number[]) => sizes.map((size, at) => Buffer.alloc(size, `${at}.`))

it.each([
  { sizes: [1, 1, 1] },
  { sizes: [10, 4095, 4096, 3000, 3000, 7] },
  { sizes: [100, 5000, 20, 6000, 30] },
  { sizes: [LIMIT] },
  { sizes: [] },
])('a body in pieces of $sizes is the same bytes in the same order', async ({ sizes }) => {
  const { read, open } = await startReading()
  const pieces = piecesOf(sizes)
  ;(await open()).write(chunked(pieces))
  await until(() => read.length > 0)
  expect(read).toEqual([{ body: Buffer.concat(pieces) }])
})

it('a body over the limit is refused as soon as that is known, and its caller is cut off when it goes on', async () => {
  const { read, requests, open } = await startReading()
  ;(await open()).write(`${HEAD}content-length: ${LIMIT + 1}\r\n\r\n`)
  await until(() => read.length === 1)
  const endless = await open()
  endless.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`)
  const chunk = Buffer.alloc(LIMIT, 'a')
  const more = () => endless.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`)
  more()
  more()
  await until(() => read.length === 2)
  expect(read).toEqual(['too large', 'too large'])
  expect(requests[1]?.socket.destroyed).toBe(false)
  for (let times = 0; times < 8; times++) more()
  await until(() => requests[1]?.socket.destroyed === true)
})

it('bodies have a limit together, and each counts until it is read or broken off', async () => {
  const { read, open } = await startReading()
  const half = chunked(piecesOf([LIMIT])).subarray(0, LIMIT)
  const first = await open()
  first.write(half)
  const second = await open()
  second.write(chunked(piecesOf([LIMIT])))
  await until(() => read.length === 1)
  first.destroy()
  await until(() => read.length === 2)
  for (const count of [3, 4]) {
    ;(await open()).write(chunked(piecesOf([LIMIT])))
    await until(() => read.length === count)
  }
  const whole = { body: expect.objectContaining({ length: LIMIT }) }
  expect(read).toEqual(['no room', 'aborted', whole, whole])
})
