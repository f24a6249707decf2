import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { admitFirst } from '../../src/tls/connection-limiter.ts'
import { readInSlices, serveInOrder } from '../../src/tls/pipelining.ts'
import { createCallerReader } from '../../src/tls/proxied-connections.ts'
import { until } from '../support/until.ts'

const GET = 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'
const REQUESTS = 5000
/** Of one slice, and of the one that Node's stream holds behind it. */
const MOST_READ = 100

const readHeaders = createCallerReader({
  networks: ['loopback'],
  timeoutMs: 60_000,
  admitUnread: () => true,
  isOwn: () => false,
  onRefused: () => undefined,
})

it.each([
  ['', null],
  ['PROXY UNKNOWN\r\n', readHeaders],
])(
  'while a request waits, few of those behind it are read, and in the end all are answered: %j',
  async (header, reader) => {
    const held: ServerResponse[] = []
    let [read, served] = [0, 0]
    const server = createServer(
      serveInOrder((_request, response) => {
        served++
        if (served === 1) held.push(response)
        else response.end('x')
      }),
    )
    server.prependListener('request', () => read++)
    readInSlices(server, 'connection')
    admitFirst(server, () => true, reader)
    onTestFinished(() => void server.closeAllConnections())
    onTestFinished(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const open = () => connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1')

    const caller = open()
    let answers = ''
    caller.on('data', (text) => (answers += text))
    caller.write(header + GET.repeat(REQUESTS))
    await until(() => read > 1)
    for (let n = 0; n < 20; n++) {
      const other = open()
      other.end(header + GET)
      await once(other, 'data')
    }
    expect(read - 20).toBeLessThan(MOST_READ)

    held[0]?.end('x')
    await until(() => answers.split('HTTP/1.1 200').length - 1 === REQUESTS)
    caller.destroy()
  },
)

it('requests that waited are served in their order, and some in each turn of the event loop', async () => {
  const CALLERS = 100
  const held: ServerResponse[] = []
  const [served, turns]: [string[], number[]] = [[], []]
  const server = createServer(
    serveInOrder((request, response) => {
      if (request.url === '/first') return void held.push(response)
      served.push(request.url ?? '')
      response.end('x')
    }),
  )
  let read = 0
  server.prependListener('request', () => read++)
  onTestFinished(() => void server.closeAllConnections())
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  for (let n = 0; n < CALLERS; n++) {
    const caller = connect((server.address() as AddressInfo).port, '127.0.0.1').resume()
    caller.write(GET.replace('/', '/first') + GET.replace('/', '/a') + GET.replace('/', '/b'))
  }
  await until(() => read === 3 * CALLERS)

  for (const response of held) response.end('x')
  while (served.length < 2 * CALLERS) {
    const before = served.length
    await new Promise(setImmediate)
    turns.push(served.length - before)
  }
  expect(Math.max(...turns)).toBeLessThan(CALLERS / 2)
  expect(served).toEqual([...Array(CALLERS).fill('/a'), ...Array(CALLERS).fill('/b')])
})
