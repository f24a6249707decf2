import { Resolver } from 'node:dns/promises'
import { isIPv6 } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { forwardingText } from '../domain/forwarding/forwarding-texts.ts'
import { messageOf, PortariaError } from '../platform/errors.ts'
import { machineAddresses } from '../platform/machine-addresses.ts'
import { normalName, parseHosts, parseSearchList, readOnChange, type SearchList } from './name-files.ts'

/** All addresses of a name in the order in which to try them. Rejects, or returns none, for a name without addresses. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

export interface NameResolverOptions {
  /** Default: /etc/hosts. */
  readonly hostsFile?: string
  /** Default: /etc/resolv.conf. Only its search list is used. */
  readonly resolvConf?: string
  /** Addresses, with an optional port. Default: those of /etc/resolv.conf, read for each look-up. */
  readonly servers?: readonly string[]
  /** Limit for a look-up, in ms. */
  readonly limitMs?: number
  /** More look-ups at the same time are refused: PortariaError `queue_full`. Default: no limit. */
  readonly maxUnderWay?: number
  /** Clock of the cache, in ms. */
  readonly now?: () => number
}

/** Why a name has no addresses, in words for operators. */
export class NameFailure extends Error {
  override readonly name = 'NameFailure'
}

const LOOKUP_LIMIT_MS = 5000
/** For one query to one name server. Node checks the limit once in this time, so a query may take twice as long. */
const QUERY_TIMEOUT_MS = 600
const QUERY_TRIES = 4
/** How long the second address family may take after the first has answered. Some name servers never answer for AAAA. */
const OTHER_FAMILY_MS = 500
/** Limit of the time for which an answer is cached, also with a longer TTL. */
const KEPT_MS = { min: 1000, max: 60_000 }
const KEPT_NAMES = 1000

/**
 * Resolves names with the hosts file and DNS, without getaddrinfo: that blocks one of libuv's few threads while a name server is silent, so six
 * such names would stop every other look-up of the process. Each look-up has its own c-ares channel (another source port, resolv.conf read again).
 * A name has at most one look-up under way. Answers are cached for their TTL, at most `KEPT_MS`; failures are not cached.
 */
export function createNameResolver(options: NameResolverOptions = {}): Resolve {
  const { servers, limitMs = LOOKUP_LIMIT_MS, maxUnderWay = Number.POSITIVE_INFINITY } = options
  const { now = () => performance.now() } = options
  const readHosts = readOnChange(options.hostsFile ?? '/etc/hosts', parseHosts)
  const readSearchList = readOnChange(options.resolvConf ?? '/etc/resolv.conf', parseSearchList)
  const kept = new Map<string, { readonly addresses: readonly string[]; readonly until: number }>()
  const underWay = new Map<string, Promise<readonly string[]>>()

  /** Local names. RFC 6761 section 6.3: localhost and its subdomains never go to DNS. */
  function listed(name: string): readonly string[] | undefined {
    const hosts = readHosts()
    const found = hosts.get(name)
    if (found !== undefined || !/(^|\.)localhost$/.test(name)) return found
    return hosts.get('localhost') ?? ['127.0.0.1', '::1']
  }

  async function lookUp(name: string): Promise<readonly string[]> {
    const { addresses, ttlMs } = await askNameServers(candidatesOf(name, readSearchList()), { servers, limitMs })
    keep(name, { addresses, until: now() + Math.min(KEPT_MS.max, Math.max(KEPT_MS.min, ttlMs)) })
    return addresses
  }

  function keep(name: string, answer: { addresses: readonly string[]; until: number }): void {
    kept.delete(name)
    kept.set(name, answer)
    const [oldest] = kept.keys()
    if (kept.size > KEPT_NAMES && oldest !== undefined) kept.delete(oldest)
  }

  function begin(name: string): Promise<readonly string[]> {
    if (underWay.size >= maxUnderWay) throw new PortariaError('queue_full', forwardingText('names_many'))
    const looking = lookUp(name).finally(() => underWay.delete(name))
    underWay.set(name, looking)
    return looking
  }

  return async function resolve(hostname) {
    const name = normalName(hostname)
    const found = listed(name)
    if (found !== undefined) return found
    const known = kept.get(name)
    if (known !== undefined && now() < known.until) return known.addresses
    return underWay.get(name) ?? begin(name)
  }
}

/** As getaddrinfo does: a name with enough dots is tried unchanged first, any other name with the search domains first. */
function candidatesOf(name: string, { domains, ndots }: SearchList): string[] {
  const completed = domains.map((domain) => `${name}.${domain}`)
  const hasEnoughDots = name.split('.').length - 1 >= ndots
  return hasEnoughDots ? [name, ...completed] : [...completed, name]
}

interface Found {
  readonly addresses: readonly string[]
  readonly ttlMs: number
}

/** Ends at the limit, whatever the name servers do. @throws NameFailure */
async function askNameServers(
  candidates: readonly string[],
  { servers, limitMs }: { servers: readonly string[] | undefined; limitMs: number },
): Promise<Found> {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES })
  if (servers !== undefined) resolver.setServers(servers)
  const limit = setTimeout(() => resolver.cancel(), limitMs)
  const failures: string[] = []
  try {
    for (const candidate of candidates) {
      const { failure, ...found } = await askForBoth(resolver, candidate)
      if (found.addresses.length > 0) return found
      failures.push(failure)
      // This candidate may exist, so a later one may be the wrong name.
      if (isSilence(failure)) break
    }
  } finally {
    clearTimeout(limit)
    resolver.cancel()
  }
  throw new NameFailure(wordsFor(failures, limitMs))
}

interface Answer {
  readonly records: readonly { readonly address: string; readonly ttl: number }[]
  /** A code of c-ares; null: there are records. */
  readonly failure: string | null
}

/** Queries both families at once. When one has addresses, the other gets little more time, and then counts as silent. */
async function askForBoth(resolver: Resolver, name: string): Promise<Found & { readonly failure: string }> {
  const asked = [settle(resolver.resolve4(name, { ttl: true })), settle(resolver.resolve6(name, { ttl: true }))]
  const first = await Promise.race(asked)
  const answers = await Promise.all(first.failure === null ? asked.map(shortly) : asked)
  const records = answers.flatMap((answer) => answer.records)
  const failures = answers.flatMap(({ failure }) => failure ?? [])
  // The missing family is queried again soon.
  const isWhole = failures.every(isMissing)
  return {
    addresses: records.length === 0 ? [] : inOrder(records.map(({ address }) => address)),
    ttlMs: isWhole ? Math.min(...records.map(({ ttl }) => ttl)) * 1000 : 0,
    failure: failures.find((code) => !isMissing(code)) ?? failures.find((code) => code === 'ENODATA') ?? 'ENOTFOUND',
  }
}

function settle(asked: Promise<Answer['records']>): Promise<Answer> {
  return asked.then(
    (records) => ({ records, failure: records.length > 0 ? null : 'ENODATA' }),
    (error: unknown) => ({ records: [], failure: codeOf(error) }),
  )
}

function shortly(answer: Promise<Answer>): Promise<Answer> {
  return Promise.race([answer, wait(OTHER_FAMILY_MS, { records: [], failure: 'ETIMEOUT' }, { ref: false })])
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : messageOf(error)
}

/** NXDOMAIN, no record of this family, or not a DNS name. */
function isMissing(code: string): boolean {
  return code === 'ENOTFOUND' || code === 'ENODATA' || code === 'EBADNAME'
}

function isSilence(code: string): boolean {
  return code === 'ETIMEOUT' || code === 'ECANCELLED'
}

function wordsFor(failures: readonly string[], limitMs: number): string {
  if (failures.some(isSilence)) return silentText(limitMs)
  const failure = failures.find((code) => !isMissing(code))
  if (failure === 'ECONNREFUSED') return forwardingText('names_unreachable')
  // c-ares' name of the DNS response code: ESERVFAIL, EREFUSED.
  if (failure !== undefined) return forwardingText('names_failed', { code: failure.replace(/^E/, '') })
  return forwardingText(failures.includes('ENODATA') ? 'name_without_address' : 'name_unknown')
}

export function silentText(limitMs: number): string {
  return forwardingText('names_silent', { seconds: Math.round(limitMs / 100) / 10 })
}

/** Alternates the families (RFC 8305 section 4), so that an unreachable one costs a single try. IPv6 first where this machine has it. */
function inOrder(addresses: readonly string[]): string[] {
  const [six, four] = [addresses.filter(isIPv6), addresses.filter((address) => !isIPv6(address))]
  const [first, second] = six.length > 0 && hasIpv6() ? [six, four] : [four, six]
  return Array.from({ length: Math.max(six.length, four.length) }, (_, i) => [first[i], second[i]])
    .flat()
    .filter((address) => address !== undefined)
}

/** Loopback and link-local addresses do not count. Where the system does not name its addresses, the start says so (`serve.ts`). */
function hasIpv6(): boolean {
  const all = machineAddresses() ?? []
  return all.some(({ family, internal, address }) => family === 'IPv6' && !internal && !/^fe80:/i.test(address))
}
