import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4 } from 'node:net'
import { onTestFinished } from 'vitest'

/** What a name server says of one name. Left out: NXDOMAIN. */
export interface DnsName {
  readonly addresses?: readonly string[]
  /** In seconds. */
  readonly ttl?: number
  /** Response code (RFC 1035 section 4.1.1), such as 2, SERVFAIL. */
  readonly rcode?: number
  /** Questions that get no answer. */
  readonly silent?: 'all' | 'A' | 'AAAA'
}

export interface DnsServer {
  /** For `Resolver.setServers`. */
  readonly address: string
  /** Every question, such as `A good.test`, in order. */
  readonly questions: readonly string[]
  /** May be changed while it runs; names in lower case. */
  readonly names: Map<string, DnsName>
}

const NXDOMAIN = 3
const TYPES: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA' }

/** A name server on loopback UDP (RFC 1035) for A and AAAA, until the test ends. */
export async function startDnsServer(
  names: Readonly<Record<string, DnsName>>,
  { address = '127.0.0.1', port = 0 } = {},
): Promise<DnsServer> {
  const known = new Map(Object.entries(names))
  const questions: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, { port: from, address: principal }) => {
    const { name, type, end } = questionIn(query)
    questions.push(`${type} ${name}`)
    const said = known.get(name) ?? { rcode: NXDOMAIN }
    if (said.silent === 'all' || said.silent === type) return
    socket.send(answerTo(query.subarray(0, end), said, type), from, principal)
  })
  socket.bind(port, address)
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return { address: `${address}:${socket.address().port}`, questions, names: known }
}

function questionIn(query: Buffer): { name: string; type: string; end: number } {
  const labels: string[] = []
  let at = 12
  while (query[at] !== 0) {
    const length = query[at] as number
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const type = query.readUInt16BE(at + 1)
  return { name: labels.join('.').toLowerCase(), type: TYPES[type] ?? String(type), end: at + 5 }
}

function answerTo(question: Buffer, { addresses = [], ttl = 60, rcode = 0 }: DnsName, type: string): Buffer {
  const fitting = addresses.filter((address) => isIPv4(address) === (type === 'A'))
  const head = Buffer.from(question)
  // A response to a recursive question, by a server that recurses.
  head.writeUInt16BE(0x8180 | rcode, 2)
  head.writeUInt16BE(fitting.length, 6)
  head.fill(0, 8, 12)
  return Buffer.concat([head, ...fitting.map((address) => recordOf(address, ttl))])
}

function recordOf(address: string, ttl: number): Buffer {
  const bytes = isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : bytesOfIpv6(address)
  const head = Buffer.alloc(12)
  // The name is the question's.
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(bytes.length === 4 ? 1 : 28, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(ttl, 6)
  head.writeUInt16BE(bytes.length, 10)
  return Buffer.concat([head, bytes])
}

function bytesOfIpv6(address: string): Buffer {
  const [front = '', back] = address.split('::')
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'))
  const [before, after] = [groups(front), groups(back ?? '')]
  const all = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
