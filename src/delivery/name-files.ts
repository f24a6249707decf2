import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { hostname } from 'node:os'

/** Addresses of each name, names in lower case. */
export type HostsFile = ReadonlyMap<string, readonly string[]>

/** How names are completed, from resolv.conf(5). */
export interface SearchList {
  readonly domains: readonly string[]
  /** A name with fewer dots is tried with each domain first, then unchanged. */
  readonly ndots: number
}

const MAX_NDOTS = 15

/** hosts(5): an address, then its names. One name may have several lines, of both families. */
export function parseHosts(text: string): HostsFile {
  const hosts = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names.map(normalName)) hosts.set(name, [...(hosts.get(name) ?? []), address])
  }
  return hosts
}

/** The last `search` or `domain` line counts; without either, the domain of this machine's name. */
export function parseSearchList(text: string, machine: string = hostname()): SearchList {
  let domains = machine.includes('.') ? [machine.slice(machine.indexOf('.') + 1)] : []
  let ndots = 1
  for (const line of text.split('\n')) {
    const [key, ...values] = line.trim().split(/\s+/)
    if (key === 'domain') domains = values.slice(0, 1)
    if (key === 'search') domains = values
    if (key === 'options') ndots = ndotsIn(values) ?? ndots
  }
  return { domains: domains.map(normalName).filter((domain) => domain !== ''), ndots }
}

function ndotsIn(options: readonly string[]): number | undefined {
  const value = options.map((option) => /^ndots:(\d+)$/.exec(option)?.[1]).findLast((found) => found !== undefined)
  return value === undefined ? undefined : Math.min(MAX_NDOTS, Number(value))
}

export function normalName(name: string): string {
  return name.toLowerCase().replace(/\.+$/, '')
}

/** Reads a file again when it has changed. A file that cannot be read keeps its last content; a missing file is empty. */
export function readOnChange<T>(file: string, parse: (text: string) => T): () => T {
  let stamp = ''
  let value = parse('')
  return function read() {
    try {
      const current = stampOf(file)
      if (current === stamp) return value
      value = parse(current === '' ? '' : readFileSync(file, 'utf8'))
      stamp = current
      return value
    } catch {
      // For example no free descriptor: the last content stays in use.
      return value
    }
  }
}

/** Synchronous, because it takes microseconds, and the threads of libuv's pool may be busy for long. */
function stampOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? '' : `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`
}
