import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest'
import { reservePort } from '../support/ports.ts'
import { type Report, runConformance } from '../../src/conformance/run.ts'
import { type Bed, idsWith, makeBed, optionsFor } from './hand-made.ts'

/** On a busy host, ordinary answers take more than a second. */
const TIMEOUT_MS = 5000
/** A run ends within the time limit of a request and these. */
const MOST_MS = TIMEOUT_MS + 15_000

let bed: Bed
beforeAll(async () => {
  bed = await makeBed()
})
afterAll(() => bed.remove())

const sockets = new Set<Socket>()
const servers: Server[] = []
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  for (const server of servers.splice(0)) server.close()
})

async function runOn(server: Server, timeoutMs = TIMEOUT_MS): Promise<Report> {
  servers.push(server)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(`https://localhost:${(server.address() as AddressInfo).port}/callback`)
  return runConformance({ ...optionsFor(bed, url), timeoutMs })
}

function tls() {
  return {
    cert: readFileSync(join(inject('testCa'), 'server.crt')),
    key: readFileSync(join(inject('testCa'), 'server.key')),
    ca: bed.laboratory.environments.production.chain,
    requestCert: true,
    rejectUnauthorized: true,
  }
}

const reasonOf = (report: Report, id: string) => report.results.find(({ scenario }) => scenario.id === id)?.reason.en

it('a port that accepts and never speaks fails the callback, and everything else is skipped', {
  timeout: MOST_MS,
}, async () => {
  const report = await runOn(createServer())
  expect([report.ok, idsWith('fail', report), idsWith('pass', report)]).toEqual([false, ['notification'], []])
  expect(reasonOf(report, 'notification')).toBe('with the certificate: no answer in time')
})

it('the same for a receiver that ends the handshake and never answers', { timeout: MOST_MS }, async () => {
  const report = await runOn(createHttpsServer(tls(), () => undefined))
  expect([report.ok, idsWith('fail', report), idsWith('pass', report)]).toEqual([false, ['notification'], []])
})

it.each(['HTTP/1.1 200 OK\r\nx-drip: ', 'HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n'])(
  'the same for a receiver that drips a byte at a time behind %j',
  { timeout: MOST_MS },
  async (begin) => {
    const server = createTlsServer(tls(), (socket) => {
      socket.write(begin)
      const drip = setInterval(() => socket.write('H'), 50)
      socket.on('error', () => undefined).on('close', () => clearInterval(drip))
    })
    const report = await runOn(server)
    expect([report.ok, idsWith('pass', report)]).toEqual([false, []])
  },
)

it('a receiver that answers once and then never ends the run as well', { timeout: MOST_MS }, async () => {
  let count = 0
  const server = createHttpsServer(tls(), (_request, response) => {
    if (count++ === 0) response.end('200')
  })
  const report = await runOn(server)
  expect(idsWith('pass', report)).toEqual(expect.arrayContaining(['notification', 'certless', 'foreign']))
  expect(idsWith('fail', report)).toEqual(expect.arrayContaining(['duplicate', 'suffix', 'test-empty']))
})

it('where no one answers, the reason is the same for all', async () => {
  const port = await reservePort()
  const report = await runConformance(optionsFor(bed, new URL(`https://127.0.0.1:${port}/`)))
  expect([report.ok, idsWith('fail', report)]).toEqual([false, ['notification']])
  expect(reasonOf(report, 'sibling')).toBe('no connection (127.0.0.1: ECONNREFUSED)')
})

it('a name without an address is no connection', async () => {
  const report = await runConformance(optionsFor(bed, new URL('https://nothing.invalid/')))
  expect([report.ok, reasonOf(report, 'notification')]).toEqual([false, expect.stringContaining('the name is unknown')])
})

it('a receiver that refuses the right certificate is judged by what it shows all the same', async () => {
  const report = await runOn(
    createHttpsServer({ ...tls(), ca: tls().cert }, (_request, response) => response.end('200')),
  )
  expect(idsWith('fail', report)).toEqual(['notification'])
  expect(idsWith('pass', report)).toEqual([
    ...['certless', 'certless-without-name', 'certless-by-address', 'tls-older', 'session-without-certificate'],
    ...['certificate-chain', 'certificate-name', 'certificate-dates', 'certificate-without-name'],
  ])
})

it('a receiver without TLS fails with the reason', async () => {
  const server = createServer((socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
  const report = await runOn(server)
  expect(reasonOf(report, 'notification')).toBe('with the certificate: no TLS is spoken there')
})
