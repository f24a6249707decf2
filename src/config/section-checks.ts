import type { z } from 'zod'
import { DESTINATION_LIMITS } from '../domain/destination-rules.ts'
import { isLoopback } from '../platform/loopback.ts'

type Segment = string | number
/** Reports one mistake at a path below the checked value. */
export type ReportProblem = (path: readonly Segment[], problem: string) => void
type Check = (value: unknown, report: ReportProblem) => void

/**
 * Arguments of `superRefine` for a check that runs even if parts of the value are wrong, so that all mistakes are reported together.
 * The check sees those parts as written, so it must expect any value there.
 */
export function reportOn(check: Check): [(value: unknown, context: z.RefinementCtx) => void, { when: () => boolean }] {
  return [
    (value, context) => check(value, (path, message) => context.addIssue({ code: 'custom', path: [...path], message })),
    { when: () => true },
  ]
}

/** The value at the path; undefined if there is none. */
export function at(value: unknown, ...path: Segment[]): unknown {
  let current = value
  for (const segment of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, segment)) return undefined
    current = (current as Record<Segment, unknown>)[segment]
  }
  return current
}

export function checkTlsPair(value: unknown, report: ReportProblem): void {
  const [certificate, privateKey] = [at(value, 'certificate'), at(value, 'privateKey')]
  if (certificate !== undefined && privateKey === undefined)
    report(['privateKey'], 'is missing: TLS needs both certificate and privateKey')
  if (certificate === undefined && privateKey !== undefined)
    report(['certificate'], 'is missing: TLS needs both certificate and privateKey')
}

export function checkAnyToken(value: unknown, report: ReportProblem): void {
  const isEmpty = (list: unknown) => list === undefined || (Array.isArray(list) && list.length === 0)
  if (isEmpty(at(value, 'tokens')) && isEmpty(at(value, 'pathTokens')))
    report(['tokens'], 'names no token, so no caller could be accepted: add `- environment` with its `tokenFile`')
}

/** What only a PostgreSQL server needs. */
export function checkStorageUrl(value: unknown, report: ReportProblem): void {
  const url = at(value, 'url')
  if (typeof url !== 'object') return
  for (const key of ['passwordFile', 'authorities'])
    if (at(value, key) !== undefined && at(url, 'file') !== undefined)
      report([key], 'is for PostgreSQL, and storage.url names an SQLite file: remove it')
}

/** Tokens and events must not cross a network unencrypted. */
export function checkApiTls(value: unknown, report: ReportProblem): void {
  const host = at(value, 'host')
  if (typeof host !== 'string' || isLoopback(host)) return
  if (at(value, 'certificate') !== undefined || at(value, 'privateKey') !== undefined) return
  report(
    ['host'],
    'is not a loopback address, so the API must have TLS: add certificate and privateKey, or write 127.0.0.1',
  )
}

export function checkClientCertificates(value: unknown, report: ReportProblem): void {
  const [wanted, trust] = [at(value, 'clientCertificates'), at(value, 'clientCa')]
  const hasTls = at(value, 'certificate') !== undefined || at(value, 'privateKey') !== undefined
  if (!hasTls && wanted !== undefined && wanted !== 'off')
    report(['clientCertificates'], 'needs TLS: add certificate and privateKey')
  if (!hasTls && trust !== undefined) report(['clientCa'], 'needs TLS: add certificate and privateKey')
  const lists = at(value, 'clientCrl')
  if (trust === undefined && Array.isArray(lists) && lists.length > 0)
    report(['clientCrl'], 'needs clientCa, the authorities that signed the lists: add it, or remove the lists')
  if (wanted === 'off' && trust !== undefined)
    report(['clientCa'], 'contradicts `clientCertificates: off`, which requests none: keep one of them')
  if ((wanted === 'optional' || wanted === 'required') && trust === undefined)
    report(['clientCa'], "is missing: write the path of a PEM file with the CAs of your apps' certificates")
}

/** A public CA issues server certificates to everyone, so `allow` must name the caller. */
export function checkUsage(value: unknown, report: ReportProblem): void {
  const allow = Object(at(value, 'allow'))
  const lists = [...Object.values(allow), ...Object.values(Object(at(allow, 'subject')))]
  if (at(value, 'usage') !== 'any' || lists.some((list) => Array.isArray(list) && list.length > 0)) return
  report(
    ['usage'],
    "is any, so every certificate of the chain's authority could call: say who the caller is, under allow " +
      '(subjectCommonNames, subjectAlternativeNames, subject or fingerprints), or write client',
  )
}

export function checkListenerLimits(value: unknown, report: ReportProblem): void {
  const [headers, request] = [at(value, 'headersTimeout'), at(value, 'requestTimeout')]
  if (typeof headers === 'number' && typeof request === 'number' && headers > request)
    report(['headersTimeout'], 'must not be longer than requestTimeout, which includes it')
  const [all, perAddress] = [at(value, 'maxConnections'), at(value, 'connectionsPerAddress')]
  if (typeof all === 'number' && typeof perAddress === 'number' && perAddress > all)
    report(['connectionsPerAddress'], 'must not be more than maxConnections, the connections of all addresses together')
}

export function checkOneSecret(value: unknown, report: ReportProblem): void {
  if (at(value, 'secret') !== undefined && at(value, 'secretFile') !== undefined)
    report(['secretFile'], 'contradicts secret: keep one of them')
}

export function checkSubjects(value: unknown, report: ReportProblem): void {
  const isEmpty = (list: unknown) => list === undefined || (Array.isArray(list) && list.length === 0)
  if (typeof value === 'object' && isEmpty(at(value, 'exact')) && isEmpty(at(value, 'prefix')))
    report([], 'is empty, so that no event would match: remove the key for every event')
}

export function checkHeaderNames(value: unknown, report: ReportProblem): void {
  const { headers } = DESTINATION_LIMITS
  if (Object.keys(Object(value)).length > headers) report([], `must be at most ${headers} headers`)
  const seen = new Set<string>()
  for (const name of Object.keys(Object(value))) {
    if (seen.has(name.toLowerCase())) report([name], 'is there twice: header names are not case-sensitive')
    seen.add(name.toLowerCase())
  }
}
