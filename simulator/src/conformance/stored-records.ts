import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { messageOf, SimulatorError } from '../errors.ts'
import { readBounded } from '../http/bounded-body.ts'

/** Where a receiver shows what it has stored since the begin of the run. */
export interface StoreView {
  /** Its records, each as text. */
  records(): Promise<readonly string[]>
  close(): Promise<void>
}

/** One request that the receiver accepted, or had to refuse. */
export interface Sent {
  readonly scenario: string
  readonly markers: readonly string[]
  /** In how many records each marker has to be. */
  readonly times: number
  /** It came a second time, as the same fact. */
  readonly isRepeated: boolean
  /** Those that were not there when the answer came. */
  readonly late: readonly string[]
}

export interface StoredRecords {
  /** null: neither a file nor an address was named. */
  readonly view: StoreView | null
  readonly accepted: Sent[]
  /** Why the view can no longer be read; null: it can. */
  trouble: string | null
  /** Markers of requests that must leave nothing. */
  readonly refused: Map<string, string>
  /** The markers that are not there now. */
  missing(markers: readonly string[]): Promise<readonly string[]>
  /** The records when all requests are over, and a receiver that stores behind its answer had time to. */
  settled(): Promise<readonly string[]>
}

/** A file that grows with each callback. Only what is written behind its present end counts. @throws SimulatorError `settings_invalid` */
export function viewOfLog(file: string): StoreView {
  const refuse = (problem: string) =>
    new SimulatorError(
      'settings_invalid',
      `--log ${file} cannot be read: ${problem}; name the file that the receiver appends to, and make it before its first callback (touch)`,
    )
  let start = 0
  try {
    const found = statSync(file, { throwIfNoEntry: false })
    if (found === undefined) throw refuse('it does not exist')
    if (!found.isFile()) throw refuse('it is no file')
    start = found.size
    closeSync(openSync(file, 'r'))
  } catch (error) {
    throw error instanceof SimulatorError ? error : refuse(messageOf(error))
  }
  return {
    // Read before anything else happens: a line that follows the answer must not count.
    records: () => Promise.resolve(readFrom(file, start).split('\n')),
    close: async () => undefined,
  }
}

function readFrom(file: string, start: number): string {
  const opened = openSync(file, 'r')
  try {
    const { size } = statSync(file)
    // A file that was rotated or written again is read whole.
    const from = size < start ? 0 : start
    const bytes = Buffer.alloc(size - from)
    const length = readSync(opened, bytes, 0, bytes.length, from)
    return bytes.subarray(0, length).toString('latin1')
  } finally {
    closeSync(opened)
  }
}

export interface PollOptions {
  readonly url: URL
  /** Sent as `authorization: Bearer`; null: none. */
  readonly token: string | null
  /** PEM of authorities; null: the public ones. */
  readonly authorities: string | null
  readonly timeoutMs: number
}

const MOST_PAGES = 10_000

/**
 * An address that lists what is stored: lines, a JSON array, or a JSON object with an array. Where the object has `next`, as that of the gateway, the
 * following page has it as `after`, and the records of the beginning do not count.
 * @throws SimulatorError `settings_invalid` where the address does not answer
 */
export async function viewOfPoll({ url, token, authorities, timeoutMs }: PollOptions): Promise<StoreView> {
  const agent = new Agent({ connect: authorities === null ? {} : { ca: authorities } })
  const headers = token === null ? {} : { authorization: `Bearer ${token}` }
  async function page(after: string | null): Promise<Page> {
    const asked = new URL(url)
    if (after !== null) asked.searchParams.set('after', after)
    const { statusCode, body } = await request(asked, {
      dispatcher: agent,
      headers,
      signal: AbortSignal.timeout(timeoutMs),
    })
    const answer = await readBounded(body)
    if (statusCode !== 200) throw new Error(`it answers HTTP ${statusCode}`)
    return pageOf(answer)
  }
  async function pagesBehind(start: string | null): Promise<{ records: string[]; last: string | null }> {
    const records: string[] = []
    let last = start
    for (let count = 0; count < MOST_PAGES; count++) {
      const { records: more, next } = await page(last)
      records.push(...more)
      if (next === null || next === last) break
      last = next
      if (more.length === 0) break
    }
    return { records, last }
  }
  try {
    const { last } = await pagesBehind(null)
    return { records: async () => (await pagesBehind(last)).records, close: () => agent.destroy() }
  } catch (error) {
    await agent.destroy()
    throw new SimulatorError('settings_invalid', `--poll ${url.href} cannot be read: ${messageOf(error)}`)
  }
}

interface Page {
  readonly records: readonly string[]
  readonly next: string | null
}

/** The texts of the members are taken from the answer as it is read, so numbers in them may be rounded; markers are strings. */
function pageOf(answer: string): Page {
  const value = jsonOf(answer)
  if (Array.isArray(value)) return { records: value.map((one) => JSON.stringify(one)), next: null }
  if (typeof value !== 'object' || value === null) return { records: answer.split('\n'), next: null }
  const list = Object.values(value).find(Array.isArray)
  if (list === undefined) return { records: [answer], next: null }
  const next = 'next' in value && typeof value.next === 'string' ? value.next : null
  return { records: list.map((one) => JSON.stringify(one)), next }
}

function jsonOf(answer: string): unknown {
  try {
    return JSON.parse(answer)
  } catch {
    return undefined
  }
}

/** In how many records a marker is. */
export function countIn(records: readonly string[], marker: string): number {
  return records.filter((record) => record.includes(marker)).length
}

const WAIT_MS = 2000

export function newStoredRecords(view: StoreView | null): StoredRecords {
  let settled: Promise<readonly string[]> | undefined
  async function read(): Promise<readonly string[]> {
    try {
      return (await view?.records()) ?? []
    } catch (error) {
      stored.trouble = messageOf(error)
      return []
    }
  }
  const stored: StoredRecords = {
    view,
    accepted: [],
    trouble: null,
    refused: new Map(),
    async missing(markers) {
      if (view === null) return []
      const records = await read()
      return markers.filter((marker) => countIn(records, marker) === 0)
    },
    settled() {
      settled ??= view === null ? Promise.resolve([]) : pause(WAIT_MS).then(read)
      return settled
    },
  }
  return stored
}
