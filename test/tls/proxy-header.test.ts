import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import {
  Command,
  INETProtocol,
  IPv4Address,
  IPv4ProxyAddress,
  IPv6Address,
  IPv6ProxyAddress,
  Peer,
  TransportProtocol,
  UnixAddress,
  UnixProxyAddress,
  UnspecProxyAddress,
  V1ProxyProtocol,
  V2ProxyProtocol,
} from 'proxy-protocol-js'
import { describe, expect, it } from 'vitest'
import { readProxyHeader } from '../../src/tls/proxy-header.ts'

const port = fc.integer({ min: 0, max: 65_535 })
const ipv4 = fc.uint8Array({ minLength: 4, maxLength: 4 })
/** Of an IPv4 address in IPv6 (RFC 4291 section 2.5.5.2): random bytes are none. */
const MAPPED = [...Array(10).fill(0), 0xff, 0xff]
const ipv6 = fc.oneof(
  fc.uint8Array({ minLength: 16, maxLength: 16 }),
  ipv4.map((bytes) => Uint8Array.from([...MAPPED, ...bytes])),
)
const behind = fc.uint8Array({ maxLength: 300 })

/** As an independent library writes an address, the IPv4-mapped form as IPv4. */
function textOf(bytes: Uint8Array): string {
  return ipaddr.process(ipaddr.fromByteArray([...bytes]).toString()).toString()
}

type Address = IPv4ProxyAddress | IPv6ProxyAddress | UnixProxyAddress | UnspecProxyAddress

function version2(address: Address, command = Command.PROXY, transport = TransportProtocol.STREAM): Buffer {
  return Buffer.from(new V2ProxyProtocol(command, transport, address).build())
}

/** With more bytes behind the addresses, as its length says. */
function withExtensions(header: Buffer, extensions: Uint8Array): Buffer {
  const longer = Buffer.concat([header, extensions])
  longer.writeUInt16BE(longer.length - 16, 14)
  return longer
}

const ipv4Address = fc
  .tuple(ipv4, port, ipv4, port)
  .map(
    ([source, from, target, to]) =>
      new IPv4ProxyAddress(IPv4Address.createFrom([...source]), from, IPv4Address.createFrom([...target]), to),
  )
const ipv6Address = fc
  .tuple(ipv6, port, ipv6, port)
  .map(
    ([source, from, target, to]) =>
      new IPv6ProxyAddress(IPv6Address.createFrom([...source]), from, IPv6Address.createFrom([...target]), to),
  )

/** Headers of every form, made by the library, and the caller's end that they state. */
const header = fc.oneof(
  fc.tuple(ipv4, port, ipv4, port).map(([source, from, target, to]) => ({
    bytes: Buffer.from(
      new V1ProxyProtocol(INETProtocol.TCP4, new Peer(textOf(source), from), new Peer(textOf(target), to)).build(),
    ),
    end: { remoteAddress: textOf(source), remotePort: from },
  })),
  fc.tuple(ipv6, port, ipv6, port).map(([source, from, target, to]) => {
    const [one, other] = [source, target].map((bytes) => ipaddr.fromByteArray([...bytes]).toNormalizedString())
    const peers = [new Peer(one as string, from), new Peer(other as string, to)] as const
    return {
      bytes: Buffer.from(new V1ProxyProtocol(INETProtocol.TCP6, ...peers).build()),
      end: { remoteAddress: textOf(source), remotePort: from },
    }
  }),
  fc.tuple(ipv4Address, behind).map(([address, extensions]) => ({
    bytes: withExtensions(version2(address), extensions),
    end: { remoteAddress: address.sourceAddress.address.join('.'), remotePort: address.sourcePort },
  })),
  fc.tuple(ipv6Address, behind).map(([address, extensions]) => ({
    bytes: withExtensions(version2(address), extensions),
    end: {
      remoteAddress: textOf(Uint8Array.from(address.sourceAddress.address)),
      remotePort: address.sourcePort,
    },
  })),
  fc
    .constantFrom(
      Buffer.from('PROXY UNKNOWN\r\n'),
      Buffer.from('PROXY UNKNOWN ffff::1 2001:db8::1 65535 65535\r\n'),
      Buffer.from('PROXY UNKNOWN \xff whatever this is\r\n', 'latin1'),
      version2(new UnspecProxyAddress(), Command.LOCAL, TransportProtocol.UNSPEC),
      version2(new UnspecProxyAddress(), Command.PROXY, TransportProtocol.UNSPEC),
      version2(new UnixProxyAddress(UnixAddress.createWithEmptyAddress(), UnixAddress.createWithEmptyAddress())),
      withExtensions(
        version2(new UnspecProxyAddress(), Command.LOCAL, TransportProtocol.UNSPEC),
        Buffer.from('\x04\0\x01x'),
      ),
    )
    .map((bytes) => ({ bytes, end: null })),
  // Of a datagram, and with a local command the family counts for nothing.
  ipv4Address.map((address) => ({ bytes: version2(address, Command.PROXY, TransportProtocol.DGRAM), end: null })),
  ipv4Address.map((address) => ({ bytes: version2(address, Command.LOCAL), end: null })),
)

it('a header of either version states its caller, whatever is behind it', () => {
  fc.assert(
    fc.property(header, behind, ({ bytes, end }, more) => {
      const read = readProxyHeader(Buffer.concat([bytes, more]))
      expect(read).toEqual({ length: bytes.length, end })
    }),
    { numRuns: 2000 },
  )
})

it('no beginning of a header is one, or is refused', () => {
  fc.assert(
    fc.property(header, ({ bytes }) => {
      for (let length = 0; length < bytes.length; length++)
        if (readProxyHeader(bytes.subarray(0, length)) !== null)
          throw new Error(`at ${length} of ${bytes.length} bytes`)
    }),
    { numRuns: 300 },
  )
})

it('bytes that are no header never throw, and no header is longer than 4,112 bytes', () => {
  const beginnings = ['', 'PROXY ', 'PROXY TCP4 ', '\r\n\r\n\0\r\nQUIT\n', '\r\n\r\n\0\r\nQUIT\n\x21\x11'].map((text) =>
    Buffer.from(text, 'latin1'),
  )
  fc.assert(
    fc.property(
      fc.constantFrom(...beginnings),
      fc.uint8Array({ maxLength: 5000, size: 'max' }),
      fc.option(header),
      fc.nat(),
      (beginning, garbage, mutated, at) => {
        const bytes = Buffer.concat([beginning, garbage, mutated?.bytes ?? Buffer.of()])
        if (mutated && bytes.length > 0) bytes[at % bytes.length] = at % 256
        const read = readProxyHeader(bytes)
        if (read === null) expect(bytes.length).toBeLessThan(4112)
        else if ('code' in read) expect(read.code).toMatch(/^proxy_header_(missing|invalid)$/)
        else expect(read.length).toBeLessThanOrEqual(Math.min(bytes.length, 4112))
      },
    ),
    { numRuns: 3000 },
  )
})

describe('refused is', () => {
  const V2 = '\r\n\r\n\0\r\nQUIT\n'
  const LINE = 'its line is not of version 1'
  const flawed: [bytes: string, flaw: string][] = [
    ['PROXY TCP4 192.0.2.1 192.0.2.2 1 2 3\r\n', LINE],
    ['PROXY TCP4 192.0.2.1 192.0.2.2 1\r\n', LINE],
    ['PROXY TCP4  192.0.2.1 192.0.2.2 1 2\r\n', LINE],
    ['PROXY TCP4 192.0.2.1 192.0.2.2 1 2 \r\n', LINE],
    ['PROXY TCP4 192.0.2.01 192.0.2.2 1 2\r\n', LINE],
    ['PROXY TCP4 192.0.2 192.0.2.2 1 2\r\n', LINE],
    ['PROXY TCP4 192.0.2.1 2001:db8::1 1 2\r\n', LINE],
    ['PROXY TCP4 ::1 ::1 1 2\r\n', LINE],
    ['PROXY TCP6 192.0.2.1 192.0.2.2 1 2\r\n', LINE],
    ['PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n', LINE],
    ['PROXY TCP6 2001:db8:::1 ::1 1 2\r\n', LINE],
    ['PROXY TCP4 192.0.2.1 192.0.2.2 65536 2\r\n', LINE],
    ['PROXY TCP4 192.0.2.1 192.0.2.2 1 65536\r\n', LINE],
    ['PROXY TCP4 192.0.2.1 192.0.2.2 01 2\r\n', LINE],
    ['PROXY TCP4 192.0.2.1 192.0.2.2 -1 2\r\n', LINE],
    ['PROXY TCP4 192.0.2.1 192.0.2.2 1e3 2\r\n', LINE],
    ['PROXY UDP4 192.0.2.1 192.0.2.2 1 2\r\n', LINE],
    ['PROXY UNKNOWNS\r\n', LINE],
    ['PROXY \r\n', LINE],
    [`PROXY UNKNOWN ${'x'.repeat(92)}\r\n`, 'its line is longer than 107 bytes'],
    [`PROXY TCP4 192.0.2.1 192.0.2.2 1 2\n${'x'.repeat(107)}`, 'its line is longer than 107 bytes'],
    [`${V2}\x11\x11\0\x0c${'\x01'.repeat(12)}`, 'it has an unknown version or command'],
    [`${V2}\x22\x11\0\x0c${'\x01'.repeat(12)}`, 'it has an unknown version or command'],
    [`${V2}\x21\x41\0\x0c${'\x01'.repeat(12)}`, 'it has an unknown family or transport'],
    [`${V2}\x21\x13\0\x0c${'\x01'.repeat(12)}`, 'it has an unknown family or transport'],
    [`${V2}\x21\x11\0\x0b${'\x01'.repeat(11)}`, 'it is too short for its addresses'],
    [`${V2}\x21\x21\0\x23${'\x01'.repeat(35)}`, 'it is too short for its addresses'],
    [`${V2}\x20\x00\x10\x01`, 'it is longer than 4112 bytes'],
    [`${V2}\x21\x11\xff\xff`, 'it is longer than 4112 bytes'],
  ]
  it.each(flawed)('%j', (text, flaw) => {
    const reason = `its PROXY protocol header is invalid: ${flaw}`
    expect(readProxyHeader(Buffer.from(text, 'latin1'))).toEqual({ code: 'proxy_header_invalid', reason })
  })

  it.each([
    'G',
    '\x16\x03\x01\x02',
    'proxy TCP4 ',
    'PROXY\tTCP4',
    'PRI * HTTP/2.0\r\n',
    '\r\n\r\n\0\r\nQUIT\r',
    '\n',
    ' ',
  ])('%j, which begins like none', (text) => {
    expect(readProxyHeader(Buffer.from(text, 'latin1'))).toEqual({ code: 'proxy_header_missing' })
  })

  it.each([
    ['the longest line', `PROXY UNKNOWN ${'x'.repeat(91)}\r\n`],
    ['the longest extensions', `${V2}\x20\0\x10\0${'x'.repeat(4096)}`],
  ])('not %s', (_, text) => {
    expect(readProxyHeader(Buffer.from(text, 'latin1'))).toEqual({ length: text.length, end: null })
  })
})
