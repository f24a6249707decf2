import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { admitFirst } from '../../src/tls/connection-limiter.ts'
import { createRequestTurns, readInSlices, serveInOrder } from '../../src/tls/pipelining.ts'
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
      }, createRequestTurns()),
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
    }, createRequestTurns()),
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

it('a turn of the event loop serves until its time is over, one request where a connection was accepted, and urgent ones in between', async () => {
  let now = 0
  const turns = createRequestTurns(() => now)
  const served: string[] = []
  const take = (name: string, ms: number, isUrgent = false) =>
    turns.take(() => {
      served.push(name)
      now += ms
    }, isUrgent)
  const turn = async () => {
    served.length = 0
    await new Promise(setImmediate)
    return served.join(' ')
  }
  expect(take('first', 5, true)).toBe(true)
  for (let n = 0; n < 10; n++) expect(take(`${n}`, 2)).toBe(false)
  for (const name of ['health', 'more']) expect(take(name, 0, true)).toBe(false)
  expect(await turn()).toBe('health 0 more 1 2')
  turns.accepted()
  expect(await turn()).toBe('3')
  expect([await turn(), await turn(), await turn()]).toEqual(['4 5 6', '7 8 9', ''])
  expect(take('later', 0)).toBe(true)
})

it('while connections wait to be accepted, few requests are served for each of them', async () => {
  const [callers, newcomers] = [30, 20]
  let served = 0
  const between: number[] = []
  const turns = createRequestTurns()
  const server = createServer(
    serveInOrder((_request, response) => {
      served++
      response.end('x')
    }, turns),
  )
  server.on('connection', turns.accepted)
  server.on('connection', () => between.push(served))
  onTestFinished(() => void server.closeAllConnections())
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const open = (requests: number) => connect(port, '127.0.0.1').resume().write(GET.repeat(requests))
  for (let n = 0; n < callers; n++) open(20)
  await until(() => between.length === callers)
  between.length = 0
  for (let n = 0; n < newcomers; n++) open(1)
  await until(() => between.length === newcomers)
  expect(served).toBeGreaterThan(newcomers / 2)
  const steps = between.slice(1).map((count, index) => count - (between[index] ?? 0))
  expect(steps.toSorted((a, b) => a - b)[newcomers / 2]).toBeLessThanOrEqual(3)
  await until(() => served === callers * 20 + newcomers)
})
