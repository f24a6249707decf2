import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { PortariaError } from '../platform/errors.ts'
import { hostOf } from '../platform/url-host.ts'
import { forwardingText } from './forwarding/forwarding-texts.ts'
import { hasMaskedValue } from './masking/shown-url.ts'

type Ip = ipaddr.IPv4 | ipaddr.IPv6
type Network = readonly [Ip, number]

/** Which addresses deliveries may go to. Names are checked by the addresses that they resolve to. */
export interface AddressRules {
  /** false: every address outside public unicast is refused. */
  readonly hasAllowedNetworks: boolean
  /** Whether a text is an address in public unicast or in an allowed network. */
  isAllowed(address: string): boolean
  /** The kind of an address that is not allowed, in words; null: it is allowed. */
  reasonAgainst(address: string): string | null
  /** Plain http is allowed only within an allowed network. */
  allowsPlainHttp(address: string): boolean
}

/**
 * Rules from `forwarding.allowedNetworks`: CIDRs, single addresses, or `loopback` for this machine over IPv4 and IPv6.
 * An IPv6 address that embeds an IPv4 address (mapped, compatible, translated, 6to4, Teredo, ISATAP) is never public. It is allowed when the embedded
 * address is in an allowed network, or when it is in one itself and the embedded address is allowed too.
 * A metadata address of a cloud is allowed only by an entry for exactly this address, not by a range.
 * @throws PortariaError `configuration_invalid`, every bad entry in its details
 */
export function compileAddressRules(allowedNetworks: readonly string[]): AddressRules {
  const networks = parseNetworks(allowedNetworks, 'forwarding.allowedNetworks')
  const isListed = (ip: Ip): boolean => {
    const needsOwnEntry = isMetadata(ip)
    return networks.some((network) => contains(network, ip) && (!needsOwnEntry || isSingleAddress(network)))
  }
  const isListedOrPublic = (ip: Ip): boolean => isListed(ip) || isPublic(ip)
  const isTrusted = (ip: Ip): boolean => {
    const carried = addressesCarriedBy(ip)
    return carried === null ? isListed(ip) : carried.addresses.every(isListed)
  }
  const mayReceive = (ip: Ip): boolean => {
    const carried = addressesCarriedBy(ip)
    if (carried === null) return isListedOrPublic(ip)
    return isTrusted(ip) || (isListed(ip) && carried.addresses.every(isListedOrPublic))
  }
  return {
    hasAllowedNetworks: networks.length > 0,
    isAllowed(address) {
      const ip = parseAddress(address)
      return ip !== null && mayReceive(ip)
    },
    reasonAgainst(address) {
      const ip = parseAddress(address)
      if (ip === null) return 'not an IP address'
      return mayReceive(ip) ? null : describe(ip)
    },
    allowsPlainHttp(address) {
      const ip = parseAddress(address)
      return ip !== null && isTrusted(ip)
    },
  }
}

/** Address rules that a reload of the configuration replaces for everything that has them. */
export interface ReplaceableAddressRules extends AddressRules {
  /** @returns whether the networks differ from the earlier ones. @throws as `compileAddressRules` */
  replace(allowedNetworks: readonly string[]): boolean
}

/** @throws as `compileAddressRules` */
export function createReplaceableRules(allowedNetworks: readonly string[]): ReplaceableAddressRules {
  let networks = allowedNetworks
  let rules = compileAddressRules(networks)
  return {
    get hasAllowedNetworks() {
      return rules.hasAllowedNetworks
    },
    isAllowed: (address) => rules.isAllowed(address),
    reasonAgainst: (address) => rules.reasonAgainst(address),
    allowsPlainHttp: (address) => rules.allowsPlainHttp(address),
    replace(next) {
      const isSame = JSON.stringify(next) === JSON.stringify(networks)
      rules = compileAddressRules(next)
      networks = next
      return !isSame
    },
  }
}

/**
 * Whether an address lies in one of the networks; a caller's IPv4-mapped address is the IPv4 address.
 * @throws PortariaError `configuration_invalid`, every bad entry in its details
 */
export function compileNetworks(texts: readonly string[], setting = 'networks'): (address: string) => boolean {
  const networks = parseNetworks(texts, setting)
  return function isWithin(address) {
    const ip = parseAddress(address)
    return ip !== null && networks.some((network) => contains(network, unmap(ip)))
  }
}

/** The networks that together hold every address of a family, one such as 0.0.0.0/0 alone where it is there; none where no family is whole. */
export function networksOfEverybody(texts: readonly string[]): string[] {
  const all = texts.flatMap((text) => parseNetworks([text], 'networks').map((network) => ({ text, network })))
  return (['ipv4', 'ipv6'] as const).flatMap((kind) => {
    const own = all.filter(({ network: [address] }) => address.kind() === kind)
    const whole = own.filter(({ network: [, length] }) => length === 0)
    if (whole.length > 0) return whole.map(({ text }) => text)
    return isWhole(own.map(({ network }) => network)) ? own.map(({ text }) => text) : []
  })
}

/** @param networks of one family */
function isWhole(networks: readonly Network[]): boolean {
  const spans = networks.map(([address, length]) => {
    const bytes = address.toByteArray()
    const begin = bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n)
    return { begin, end: begin + 2n ** BigInt(bytes.length * 8 - length), all: 2n ** BigInt(bytes.length * 8) }
  })
  let reached = 0n
  for (const { begin, end } of spans.toSorted((one, other) => (one.begin < other.begin ? -1 : 1)))
    if (begin <= reached && end > reached) reached = end
  return reached > 0n && reached === spans[0]?.all
}

/** Whether two texts mean the same address in any notation; the IPv4-mapped form equals the IPv4 address. */
export function isSameAddress(one: string, other: string): boolean {
  const [a, b] = [parseAddress(one), parseAddress(other)]
  return a !== null && b !== null && unmap(a).toNormalizedString() === unmap(b).toNormalizedString()
}

/** Limit of a destination's URL, in characters. */
const DESTINATION_URL_LIMIT = 2048

/**
 * Checks a destination's URL without the network. The addresses of a name are checked at each connection.
 * @throws PortariaError `request_invalid` for an unusable URL, `address_forbidden` for an address that is not allowed
 */
export function checkDestinationUrl(text: string, rules: AddressRules): URL {
  const url = parseDestinationUrl(text)
  const literal = literalAddressOf(url)
  const reason = literal === null ? null : rules.reasonAgainst(literal)
  if (reason !== null) throw new PortariaError('address_forbidden', forbiddenAddressText(hostOf(url), literal, reason))
  if (url.protocol === 'http:' && !(literal === null ? rules.hasAllowedNetworks : rules.allowsPlainHttp(literal))) {
    throw new PortariaError('address_forbidden', plainHttpText(hostOf(url)))
  }
  return url
}

export function forbiddenAddressText(host: string, address: string | null, reason: string): string {
  const values = { host, detail: reason, step: adviceAgainst(address ?? host) }
  if (address === null || address === host) return forwardingText('address_forbidden', values)
  return forwardingText('resolved_address_forbidden', { ...values, address })
}

/** No range allows a metadata address, so "add its network" would not help. */
function adviceAgainst(address: string): string {
  const ip = parseAddress(address)
  const metadata = ip && [ip, ...(addressesCarriedBy(ip)?.addresses ?? [])].find(isMetadata)
  if (metadata) return forwardingText('allow_metadata', { address: metadata.toString() })
  return forwardingText(ip?.range() === 'loopback' ? 'allow_loopback' : 'allow_network')
}

export function plainHttpText(host: string, address: string | null = null): string {
  if (address === null || address === host) return forwardingText('plain_http', { host })
  return forwardingText('resolved_plain_http', { host, address })
}

function parseDestinationUrl(text: string): URL {
  const invalid = (what: string): PortariaError => new PortariaError('request_invalid', `the URL ${what}`)
  if (text.length > DESTINATION_URL_LIMIT)
    throw invalid(`is longer than ${DESTINATION_URL_LIMIT} characters: shorten it`)
  // The parser drops or converts these silently, so the stored URL would differ from the written one.
  if (/[\u0000-\u0020\u007f\\]/.test(text)) throw invalid('has a space, backslash or control character: remove it')
  if (!/^https?:\/\//i.test(text))
    throw invalid('must begin with https://, or with http:// for an address of forwarding.allowedNetworks')
  if (!URL.canParse(text)) throw invalid('cannot be read: write it like https://example.com/path')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text)) {
    throw invalid("has credentials: use the destination's headers for them")
  }
  if (text.includes('#')) throw invalid('has a fragment (#…), which is never sent: remove it')
  if (hasMaskedValue(text)) throw invalid('has *** for a value in its query: write the value itself')
  return url
}

/** The address in a URL; null for a name. */
function literalAddressOf(url: URL): string | null {
  const host = hostOf(url)
  if (isIP(host) !== 0) return host
  return host === 'localhost' || host.endsWith('.localhost') ? '127.0.0.1' : null
}

/** A name such as localhost may have an address of either. */
const LOOPBACK_NETWORKS = ['127.0.0.0/8', '::1/128']
const LOOPBACK = 'loopback'

function parseNetworks(texts: readonly string[], setting: string): Network[] {
  const networks: Network[] = []
  const mistakes: string[] = []
  for (const text of texts.flatMap((one) => (one === LOOPBACK ? LOOPBACK_NETWORKS : [one]))) {
    const network = parseNetwork(text)
    if (typeof network === 'string') mistakes.push(network)
    else networks.push(network)
  }
  if (mistakes.length === 0) return networks
  throw new PortariaError('configuration_invalid', `${setting}: ${mistakes.join('; ')}`, {
    details: mistakes,
  })
}

/** The network, or the problem with the text. */
function parseNetwork(text: string): Network | string {
  const [, address = '', prefix] = /^([^/%]*)(?:\/([0-9]{1,3}))?$/.exec(text) ?? []
  const ip = parseAddress(address)
  // Any other text may be a secret that was written here by mistake.
  const shown = /^(?=.*[.:])[0-9a-f.:/]{1,50}$/i.test(text) ? `"${text}"` : 'the text'
  const bits = ip?.kind() === 'ipv4' ? 32 : 128
  const length = prefix === undefined ? bits : Number(prefix)
  if (ip === null || length > bits) {
    return `${shown} is not a network: write it like 10.0.0.0/8, fd00::/8, 192.0.2.7 or ${LOOPBACK}`
  }
  const first = firstAddressOf(ip, length)
  if (first.toNormalizedString() !== ip.toNormalizedString()) {
    return `${shown} is not the start of its network: write ${first.toString()}/${length}, or ${address} alone`
  }
  const isMapped = ip instanceof ipaddr.IPv6 && ip.isIPv4MappedAddress() && length >= 96
  return isMapped ? [ip.toIPv4Address(), length - 96] : [ip, length]
}

function firstAddressOf(ip: Ip, length: number): Ip {
  const bytes = ip.toByteArray().map((byte, index) => {
    const kept = Math.min(8, Math.max(0, length - index * 8))
    return byte & (0xff00 >> kept) & 0xff
  })
  return ipaddr.fromByteArray(bytes)
}

/** Only the notation of sockets and resolvers: no octal, hexadecimal or shortened IPv4. The zone, which names an interface, is removed. */
function parseAddress(text: string): Ip | null {
  return isIP(text) === 0 ? null : ipaddr.parse(text.replace(/%.*$/, ''))
}

function unmap(ip: Ip): Ip {
  return ip instanceof ipaddr.IPv6 && ip.isIPv4MappedAddress() ? ip.toIPv4Address() : ip
}

function contains([network, length]: Network, ip: Ip): boolean {
  return network.kind() === ip.kind() && ip.match(network, length)
}

function isSingleAddress([network, length]: Network): boolean {
  return length === (network.kind() === 'ipv4' ? 32 : 128)
}

const GLOBAL_UNICAST: Network = [ipaddr.parse('2000::'), 3]

function isPublic(ip: Ip): boolean {
  if (isMetadata(ip) || ip.range() !== 'unicast') return false
  return ip.kind() === 'ipv4' || contains(GLOBAL_UNICAST, ip)
}

/** Addresses where clouds give machines their credentials and configuration. Some are in ranges that are allowed for other reasons. */
const METADATA_ADDRESSES: readonly string[] = [
  // AWS, Google, Azure, Oracle, OpenStack and most others; AWS tasks, and pods of EKS; pods of GKE
  ...['169.254.169.254', 'fe80::a9fe:a9fe', '169.254.170.2', '169.254.170.23', '169.254.169.252'],
  // AWS over IPv6, and its pods
  ...['fd00:ec2::254', 'fd00:ec2::23'],
  // Google, Oracle and Akamai over IPv6
  ...['fd20:ce::254', 'fd00:c1::a9fe:a9fe', 'fd00:a9fe:a9fe::1'],
  // Azure's agent; Oracle Classic; Scaleway; Alibaba; Tencent; Volcano Engine; Rancher
  ...['168.63.129.16', '192.0.0.192', '169.254.42.42', 'fd00:42::42', '100.100.100.200', 'fd00:100::100:200'],
  ...['169.254.0.23', '169.254.10.10', '100.96.0.96', '169.254.169.250'],
]

const METADATA: ReadonlySet<string> = new Set(METADATA_ADDRESSES.map((text) => ipaddr.parse(text).toNormalizedString()))

function isMetadata(ip: Ip): boolean {
  return METADATA.has(ip.toNormalizedString())
}

interface Carried {
  readonly form: string
  readonly addresses: readonly ipaddr.IPv4[]
}

type CarriedBytes = (bytes: readonly number[]) => (readonly number[])[]

const lastBytes: CarriedBytes = (bytes) => [bytes.slice(12)]

/** Forms that embed an IPv4 address, and its places. Where the place is uncertain, all places are checked. */
const CARRIERS: readonly { form: string; network: Network; carriedBytes: CarriedBytes }[] = [
  { form: 'IPv4-mapped', network: ipaddr.parseCIDR('::ffff:0:0/96'), carriedBytes: lastBytes },
  { form: 'IPv4-translated', network: ipaddr.parseCIDR('::ffff:0:0:0/96'), carriedBytes: lastBytes },
  { form: 'IPv4-compatible', network: ipaddr.parseCIDR('::/96'), carriedBytes: lastBytes },
  { form: 'NAT64', network: ipaddr.parseCIDR('64:ff9b::/96'), carriedBytes: lastBytes },
  {
    // RFC 8215: the operator's own prefix length decides the place (RFC 6052 section 2.2).
    form: 'NAT64',
    network: ipaddr.parseCIDR('64:ff9b:1::/48'),
    carriedBytes: (bytes) => [
      [...bytes.slice(6, 8), ...bytes.slice(9, 11)],
      [...bytes.slice(7, 8), ...bytes.slice(9, 12)],
      bytes.slice(9, 13),
      bytes.slice(12),
    ],
  },
  { form: '6to4', network: ipaddr.parseCIDR('2002::/16'), carriedBytes: (bytes) => [bytes.slice(2, 6)] },
  {
    // RFC 4380 section 4: the server's address, and the client's with all bits turned.
    form: 'Teredo',
    network: ipaddr.parseCIDR('2001::/32'),
    carriedBytes: (bytes) => [bytes.slice(4, 8), bytes.slice(12).map((byte) => byte ^ 0xff)],
  },
]

/** The IPv4 addresses embedded in an IPv6 address, or null. */
function addressesCarriedBy(ip: Ip): Carried | null {
  if (ip instanceof ipaddr.IPv4 || ip.range() === 'loopback' || ip.range() === 'unspecified') return null
  const bytes = ip.toByteArray()
  const carrier = CARRIERS.find((candidate) => contains(candidate.network, ip))
  if (carrier !== undefined) {
    return { form: carrier.form, addresses: carrier.carriedBytes(bytes).map((four) => new ipaddr.IPv4([...four])) }
  }
  return isIsatap(bytes) ? { form: 'ISATAP', addresses: [new ipaddr.IPv4(bytes.slice(12))] } : null
}

/** RFC 5214 section 6.1: the interface identifier is 0000:5efe or 0200:5efe and the IPv4 address, in any network. */
function isIsatap(bytes: readonly number[]): boolean {
  const [first, ...rest] = bytes.slice(8, 12)
  return (first === 0 || first === 2) && rest[0] === 0 && rest[1] === 0x5e && rest[2] === 0xfe
}

const RANGE_WORDS: Readonly<Record<string, string>> = {
  loopback: 'loopback',
  private: 'private network',
  uniqueLocal: 'private network',
  deprecatedSiteLocal: 'private network',
  linkLocal: 'link-local',
  carrierGradeNat: 'carrier-grade NAT',
  multicast: 'multicast',
  broadcast: 'broadcast',
  unspecified: 'unspecified',
  unicast: 'public',
}

function describe(ip: Ip): string {
  if (isMetadata(ip)) return 'cloud metadata'
  const carried = addressesCarriedBy(ip)
  const inner = carried?.addresses.at(-1)
  if (carried !== null && inner !== undefined) return `${carried.form} form of ${inner.toString()}, ${describe(inner)}`
  if (ip.kind() === 'ipv6' && ip.range() === 'unicast') return 'reserved'
  return RANGE_WORDS[ip.range()] ?? 'reserved'
}
