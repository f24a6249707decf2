import { isIP } from 'node:net'
import { z } from 'zod'
import { compileAddressRules } from '../domain/address-rules.ts'
import { DESTINATION_LIMITS } from '../domain/destination-rules.ts'
import { ENVIRONMENTS, type Environment, environmentNamed } from '../domain/realm.ts'
import { canonicalSerial } from '../domain/trust.ts'
import { messageOf, PortariaError } from '../platform/errors.ts'
import { suggestion } from '../platform/suggestion.ts'
import type { MinFreeSpace } from '../platform/units.ts'
import { durationText, type Reading, readDuration, readMinFreeSpace, readShare, readSize } from '../platform/units.ts'
import type { Unit } from './named.ts'

/** For `meta` of a key: a reload takes its value up. Every other key that changed needs a restart. */
export const RELOADED = { reload: 'always' } as const

/** A reload takes up another value, but the key comes and goes only with a restart. */
export const RELOADED_WHILE_SET = { reload: 'while set' } as const

/** One value of the configuration. Messages name the expected form, never the written value: it may be a secret. */
export function field<T>(expected: string, read: (value: unknown) => Reading<T>) {
  return z.unknown().transform((value, context) => {
    const reading = value === undefined || value === null ? absent(value, expected) : read(value)
    if ('value' in reading) return reading.value
    context.addIssue({ code: 'custom', message: reading.problem })
    return z.NEVER
  })
}

function absent(value: null | undefined, expected: string): { problem: string } {
  if (value === undefined) return { problem: `is missing: write ${expected}` }
  return { problem: `has no value: write ${expected}, or remove the key` }
}

/** Text for which `problemOf` returns null. */
export function text(expected: string, problemOf: (text: string) => string | null = () => null) {
  return field<string>(expected, (value) => {
    if (typeof value !== 'string')
      return { problem: `must be text (in quotes where YAML reads it otherwise): ${expected}` }
    const problem = value === '' ? `is empty: write ${expected}` : problemOf(value)
    return problem === null ? { value } : { problem }
  })
}

/** A name of somebody's own choice, which is shown in lists and metrics. */
export function name(expected: string) {
  return text(expected, (value) =>
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(value)
      ? null
      : 'must be letters, digits, hyphens, dots and underscores, at most 63, and begin with a letter or a digit',
  )
}

export function oneOf<T extends string>(values: readonly T[]) {
  return field<T>(`one of ${values.join(', ')}`, (value) => readOneOf(values, value))
}

function readOneOf<T extends string>(values: readonly T[], value: unknown): Reading<T> {
  const found = values.find((candidate) => candidate === value)
  if (found !== undefined) return { value: found }
  const likely = typeof value === 'string' ? suggestion(value, values) : ''
  return { problem: `must be one of ${values.join(', ')}${likely.startsWith('; did') ? likely : ''}` }
}

/** `production` or `sandbox`, also under the names of the service's documents. */
export const environment = field<Environment>(`one of ${ENVIRONMENTS.join(', ')}`, (value) => {
  const named = typeof value === 'string' ? environmentNamed(value) : null
  return named === null ? readOneOf(ENVIRONMENTS, value) : { value: named }
})

export function integer(min: number, max: number) {
  const expected = `a whole number from ${min} to ${max}`
  return field<number>(expected, (value) =>
    Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max
      ? { value: Number(value) }
      : { problem: `must be ${expected}` },
  )
}

/** null: unlimited. */
export function integerOrUnlimited(min: number, max: number) {
  const expected = `a whole number from ${min} to ${max}, or unlimited`
  return field<number | null>(expected, (value) => {
    if (value === 'unlimited') return { value: null }
    const isWithin = Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max
    return isWithin ? { value: Number(value) } : { problem: `must be ${expected}` }
  })
}

export const port = integer(0, 65_535)

export const concurrency = integer(DESTINATION_LIMITS.concurrency.min, DESTINATION_LIMITS.concurrency.max)

const LONGEST_TIMEOUT = '1h'

/** A time limit: above 0, at most an hour. */
export function timeout() {
  return duration({ min: '1ms', max: LONGEST_TIMEOUT })
}

/** Time limit for the response of a destination. */
export function attemptTimeout() {
  return durationWithin(DESTINATION_LIMITS.timeoutMs)
}

function durationWithin({ min, max }: { min: number; max: number }) {
  return duration({ min: durationText(min), max: durationText(max) })
}

export function duration({ min, max }: { min: string; max: string }) {
  return measured('a duration such as 10s', 'Ms', readDuration, { min, max })
}

/** The waits of a retry schedule. */
export function schedule() {
  return z
    .array(durationWithin(DESTINATION_LIMITS.scheduleWaitMs))
    .min(1, 'must hold at least one step: `[0s]` tries once')
    .max(DESTINATION_LIMITS.scheduleSteps, `must hold at most ${DESTINATION_LIMITS.scheduleSteps} steps`)
}

export function size({ min, max }: { min: string; max: string }) {
  return measured('a size such as 1MiB', 'Bytes', readSize, { min, max })
}

function measured<U extends Unit>(
  expected: string,
  unit: U,
  read: (value: unknown) => Reading<number>,
  range: { min: string; max: string },
) {
  const [min, max] = [range.min, range.max].map((bound) => {
    const reading = read(bound)
    if ('value' in reading) return reading.value
    throw new TypeError(`${bound} ${reading.problem}`)
  }) as [number, number]
  const bounded = field<number>(expected, (value) => {
    const reading = read(value)
    if ('problem' in reading || (reading.value >= min && reading.value <= max)) return reading
    return { problem: `must be from ${range.min} to ${range.max}` }
  })
  return bounded.meta({ unit }).brand<U>()
}

export const share = field<number>('a number from 0 to 1', readShare)

/** A smaller reserve could not hold what is still written once it is reached. */
const LEAST_RESERVE_BYTES = 1024 * 1024
const MOST_RESERVE_SHARE = 0.5

/** Free space to keep: a size or a percentage. */
export const minFreeSpace = field<MinFreeSpace>('a percentage such as 2%, or a size such as 64MiB', (value) => {
  const reading = readMinFreeSpace(value)
  if ('problem' in reading) return reading
  const { value: read } = reading
  const isInRange =
    'bytes' in read ? read.bytes >= LEAST_RESERVE_BYTES : read.share > 0 && read.share <= MOST_RESERVE_SHARE
  return isInRange ? reading : { problem: 'must be a size from 1MiB, or a percentage up to 50%' }
})

export const host = text('an address or a host name, such as 127.0.0.1', (value) => {
  if (/[[\]]/.test(value)) return 'must be an address without brackets, such as ::1'
  return /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(value) || isIP(value) !== 0
    ? null
    : 'must be an address such as 127.0.0.1 or ::1, or a host name'
})

/** A network in CIDR notation, a single address, or `loopback`. */
export const network = text('a network such as 10.0.0.0/8, an address, or loopback', (value) => {
  try {
    compileAddressRules([value])
    return null
  } catch (error) {
    return error instanceof PortariaError ? error.details.join('; ') : messageOf(error)
  }
})

/** With or without colons, as tools print it; read as lower case without colons. */
export const fingerprint = field<string>('the SHA-256 of a certificate, 64 hexadecimal digits', (value) => {
  const digits = typeof value === 'string' ? value.replaceAll(':', '').toLowerCase() : ''
  return /^[0-9a-f]{64}$/.test(digits)
    ? { value: digits }
    : { problem: 'must be the SHA-256 of a certificate: 64 hexadecimal digits, with colons or without' }
})

/** With or without colons and leading zeros, as tools print it. Text only: YAML reads digits alone as a number and rounds it. */
export const serial = field<string>('the serial number of a certificate, hexadecimal, in quotes', (value) => {
  const digits = typeof value === 'string' ? value.replace(/^(-?)0x/i, '$1').replaceAll(':', '') : ''
  return /^-?[0-9a-f]{1,64}$/i.test(digits)
    ? { value: canonicalSerial(digits) }
    : { problem: 'must be the serial number of a certificate: hexadecimal digits in quotes, with colons or without' }
})

/** Compared with the raw request target (RFC 9112 section 3.2), so only characters that can occur there. */
export const routePath = text('a path such as /callbacks/payment', (value) => {
  if (!value.startsWith('/')) return 'must start with "/", such as /callbacks/payment'
  return /^[!-~]+$/.test(value) && !/[?#]/.test(value)
    ? null
    : 'must be a path without "?", "#", spaces, control characters and letters outside ASCII (percent-encode those)'
})

/**
 * What precedes a path in URLs: `https://hooks.example.com`, with a port and a path where they are needed. Normalized (RFC 3986 section 6.2), without
 * a slash at the end.
 */
export function baseUrl(example: string, protocols: readonly string[] = ['https:']) {
  return text(`an address such as ${example}`, (value) => problemOfBaseUrl(value, example, protocols)).transform(
    (value) => new URL(value).href.replace(/\/+$/, ''),
  )
}

function problemOfBaseUrl(value: string, example: string, protocols: readonly string[]): string | null {
  const form = protocols.map((protocol) => `${protocol}//`).join(' or ')
  if (!/^[!-~]+$/.test(value) || !URL.canParse(value)) return `must be an address such as ${example}`
  if (!protocols.includes(new URL(value).protocol)) return `must begin with ${form}, such as ${example}`
  return /[?#@\\]/.test(value)
    ? `must be only the beginning of an address, such as ${example}, without a query, a fragment and credentials`
    : null
}

export const pathSegment = text('a name such as svc', (value) =>
  /^[a-z][a-z0-9-]{0,31}$/.test(value)
    ? null
    : 'must be small letters, digits and hyphens, at most 32, and begin with a letter',
)

/** A JSON Pointer (RFC 6901 section 3). '' is the whole document. */
const pointer = field<string>('a JSON Pointer such as /status/atual', (value) => {
  if (typeof value !== 'string') return { problem: 'must be a JSON Pointer (RFC 6901), such as /status/atual' }
  if (value !== '' && !value.startsWith('/'))
    return { problem: 'must be a JSON Pointer (RFC 6901): start it with "/", such as /status/atual' }
  return /~(?![01])/.test(value)
    ? { problem: 'must be a JSON Pointer (RFC 6901): write "~" as "~0" and a "/" inside a name as "~1"' }
    : { value }
})

/** One pointer or a list of them. */
export const pointers = z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(pointer))
