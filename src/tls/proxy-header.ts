import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { RemoteEnd } from './remote-address.ts'

/** A PROXY protocol header (haproxy.org, proxy-protocol.txt, sections 2.1 and 2.2). */
export interface ProxyHeader {
  /** Its length in bytes. */
  readonly length: number
  /** The caller's end of the connection; null: the load balancer's own, as in its health checks, or one that it does not know. */
  readonly end: RemoteEnd | null
}

/** Why a connection has no usable header. */
export interface ProxyHeaderRefusal {
  readonly code: 'proxy_header_missing' | 'proxy_header_invalid'
  readonly reason?: string
}

const V1_BEGINNING = Buffer.from('PROXY ')
const V2_SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n')
/** Of version 1, with its end of line. */
const LINE_BYTES = 107
/** Of version 2, before its addresses. */
const FIXED_BYTES = 16
/** Of version 2, behind that: addresses and extensions (TLVs). Load balancers send some hundred bytes. The format allows 65,535. */
const VARIABLE_BYTES = 4096

/** Family and transport in version 2. */
const TCP_OVER_IPV4 = 0x11
const TCP_OVER_IPV6 = 0x21
const LAST_FAMILY = 3
const LAST_TRANSPORT = 2

/** @param packet in which no TLS and no HTTP was found */
export function isProxyHeader(packet: Buffer | undefined): boolean {
  return packet !== undefined && [V1_BEGINNING, V2_SIGNATURE].some((beginning) => packet.indexOf(beginning) === 0)
}

/** Reads the first bytes of a connection; null: the header is not complete yet. What is behind the header is not looked at. */
export function readProxyHeader(bytes: Buffer): ProxyHeader | ProxyHeaderRefusal | null {
  if (beginsLike(bytes, V2_SIGNATURE)) return readVersion2(bytes)
  if (beginsLike(bytes, V1_BEGINNING)) return readVersion1(bytes)
  return { code: 'proxy_header_missing' }
}

/** Also where there are fewer bytes than in the beginning. */
function beginsLike(bytes: Buffer, beginning: Buffer): boolean {
  const length = Math.min(bytes.length, beginning.length)
  return bytes.subarray(0, length).equals(beginning.subarray(0, length))
}

function readVersion1(bytes: Buffer): ProxyHeader | ProxyHeaderRefusal | null {
  const end = bytes.subarray(0, LINE_BYTES).indexOf('\r\n')
  if (end === -1) return bytes.length < LINE_BYTES ? null : invalid(`its line is longer than ${LINE_BYTES} bytes`)
  const length = end + 2
  const line = bytes.toString('latin1', 0, end)
  if (/^PROXY UNKNOWN(?: |$)/.test(line)) return { length, end: null }
  const [, family = '', source = '', target = '', port = '', targetPort = '', ...more] = line.split(' ')
  const isAddress = family === 'TCP4' ? isIPv4 : family === 'TCP6' ? isUnscopedIPv6 : () => false
  if (more.length > 0 || ![source, target].every(isAddress) || ![port, targetPort].every(isPort))
    return invalid('its line is not of version 1')
  return { length, end: endOf(source, Number(port)) }
}

function isUnscopedIPv6(text: string): boolean {
  return isIPv6(text) && !text.includes('%')
}

function isPort(text: string): boolean {
  return /^(?:0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535
}

function readVersion2(bytes: Buffer): ProxyHeader | ProxyHeaderRefusal | null {
  if (bytes.length < FIXED_BYTES) return null
  const [versionAndCommand = 0, kind = 0] = bytes.subarray(V2_SIGNATURE.length)
  const isLocal = versionAndCommand === 0x20
  if (!isLocal && versionAndCommand !== 0x21) return invalid('it has an unknown version or command')
  if (!isLocal && (kind >> 4 > LAST_FAMILY || (kind & 0x0f) > LAST_TRANSPORT))
    return invalid('it has an unknown family or transport')
  const variable = bytes.readUInt16BE(FIXED_BYTES - 2)
  if (variable > VARIABLE_BYTES) return invalid(`it is longer than ${FIXED_BYTES + VARIABLE_BYTES} bytes`)
  const addressBytes = isLocal ? undefined : ADDRESS_BYTES[kind]
  if (addressBytes !== undefined && variable < 2 * addressBytes + 4) return invalid('it is too short for its addresses')
  const length = FIXED_BYTES + variable
  if (bytes.length < length) return null
  if (addressBytes === undefined) return { length, end: null }
  const source = ipaddr.fromByteArray([...bytes.subarray(FIXED_BYTES, FIXED_BYTES + addressBytes)])
  return { length, end: endOf(source.toString(), bytes.readUInt16BE(FIXED_BYTES + 2 * addressBytes)) }
}

/** The other combinations are those that the specification lets a receiver take as unknown. */
const ADDRESS_BYTES: Readonly<Record<number, number>> = { [TCP_OVER_IPV4]: 4, [TCP_OVER_IPV6]: 16 }

/** As Node writes addresses, but an IPv4-mapped one as the IPv4 address. */
function endOf(address: string, remotePort: number): RemoteEnd {
  return { remoteAddress: ipaddr.process(address).toString(), remotePort }
}

function invalid(flaw: string): ProxyHeaderRefusal {
  return { code: 'proxy_header_invalid', reason: `its PROXY protocol header is invalid: ${flaw}` }
}
