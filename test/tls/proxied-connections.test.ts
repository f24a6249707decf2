import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import {
  Command,
  INETProtocol,
  IPv4Address,
  IPv4ProxyAddress,
  Peer,
  TransportProtocol,
  V1ProxyProtocol,
  V2ProxyProtocol,
} from 'proxy-protocol-js'
import { expect, it } from 'vitest'
import { createCallerReader } from '../../src/tls/proxied-connections.ts'
import { addressOf, remoteEndOf } from '../../src/tls/remote-address.ts'
import { until } from '../support/until.ts'

const FROM = { remoteAddress: '::ffff:127.0.0.1', remotePort: 50_000 }
const CALLER = { remoteAddress: '203.0.113.7', remotePort: 40_000 }

const HEADERS = [
  new V1ProxyProtocol(INETProtocol.TCP4, new Peer('203.0.113.7', 40_000), new Peer('198.51.100.1', 443)),
  new V2ProxyProtocol(
    Command.PROXY,
    TransportProtocol.STREAM,
    new IPv4ProxyAddress(new IPv4Address([203, 0, 113, 7]), 40_000, new IPv4Address([198, 51, 100, 1]), 443),
  ),
].map((header) => Buffer.from(header.build()))

/** A stream in place of a connection, so that each piece is read on its own. */
function startReading(from: object = FROM) {
  const stream = new PassThrough()
  const socket = Object.assign(stream, from) as unknown as Socket
  const refused: string[] = []
  const { promise, resolve } = Promise.withResolvers<'known' | 'refused'>()
  const readCaller = createCallerReader({
    networks: ['127.0.0.0/8'],
    timeoutMs: 60_000,
    admitUnread: () => true,
    isOwn: () => false,
    onRefused(_socket, { code }) {
      refused.push(code)
      resolve('refused')
    },
  })
  readCaller?.(socket, () => resolve('known'))
  return { stream, socket, refused, ended: promise }
}

function piecesOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set([0, ...cuts.map((cut) => cut % bytes.length), bytes.length])].toSorted((a, b) => a - b)
  return places.slice(1).map((to, index) => bytes.subarray(places[index], to))
}

it('however the bytes come, the caller is the one of the header, and what follows it is left', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...HEADERS),
      fc.uint8Array({ maxLength: 5000, size: 'max' }),
      fc.array(fc.nat(80)),
      async (header, rest, cuts) => {
        const { stream, socket, refused, ended } = startReading()
        const feeding = feed(stream, piecesOf(Buffer.concat([header, rest]), cuts))
        expect([await ended, refused]).toEqual(['known', []])
        expect([remoteEndOf(socket), addressOf(socket)]).toEqual([CALLER, CALLER.remoteAddress])
        await feeding
        stream.end()
        expect(Buffer.concat(await stream.toArray())).toEqual(Buffer.from(rest))
      },
    ),
    { numRuns: 300 },
  )
})

it('garbage is refused once, and closes the connection', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.array(fc.nat(300)), async (garbage, cuts) => {
      // It begins like no header.
      const bytes = Buffer.concat([Buffer.of(0), garbage])
      const { stream, socket, refused, ended } = startReading()
      await Promise.all([ended, feed(stream, piecesOf(bytes, cuts))])
      expect([refused, stream.destroyed, addressOf(socket)]).toEqual([['proxy_header_missing'], true, '127.0.0.1'])
    }),
    { numRuns: 100 },
  )
})

it('a connection that was reset before it was accepted has no caller', async () => {
  const { stream, refused, ended } = startReading({})
  expect([stream.destroyed, refused]).toEqual([true, []])
  await expect(Promise.race([ended, Promise.resolve('neither')])).resolves.toBe('neither')
})

it('a connection that ends within its header is refused, and one that ends without a byte is closed alone', async () => {
  for (const [bytes, codes] of [
    ['PROXY TCP4', ['proxy_header_invalid']],
    ['', []],
  ] as const) {
    const { stream, refused } = startReading()
    stream.end(bytes)
    await until(() => stream.destroyed)
    expect(refused).toEqual(codes)
  }
})

async function feed(stream: PassThrough, pieces: readonly Buffer[]): Promise<void> {
  for (const piece of pieces) {
    if (stream.destroyed) return
    stream.write(piece)
    await new Promise(setImmediate)
  }
}
