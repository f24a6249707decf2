import { invalidRequest, type PortariaError } from '../platform/errors.ts'
import type { Destination, DestinationSettings, SubjectFilter } from './destination.ts'
import { problemOfHeaderNames, problemOfSubjects } from './destination-rules.ts'

type Header = readonly [name: string, value: string]

/** A merge patch (RFC 7396): missing members stay unchanged. Secrets are changed by rotation. */
export interface DestinationChanges extends Partial<Omit<DestinationSettings, 'secrets' | 'subjects' | 'headers'>> {
  /** The filter is merged too; null: every event. */
  readonly subjects?: { readonly exact?: readonly string[]; readonly prefix?: readonly string[] } | null
  /** Named headers are set, or removed with null; the others stay. null in place of the list removes all. */
  readonly headers?: readonly (readonly [name: string, value: string | null])[] | null
}

/** The rotation to a new secret. */
export interface SecretRotation {
  readonly secret: string
  /** Until when the previous secret signs beside it, in ms since 1970. */
  readonly overlapUntil: number
}

/** @throws PortariaError `request_invalid` for settings that do not fit together */
export function withChanges(settings: DestinationSettings, changes: DestinationChanges): DestinationSettings {
  const { subjects, headers, ...rest } = changes
  return {
    ...settings,
    ...rest,
    subjects: subjects === undefined ? settings.subjects : mergeSubjects(settings.subjects, subjects),
    headers: headers === undefined ? settings.headers : mergeHeaders(settings.headers, headers ?? null),
  }
}

function mergeSubjects(
  current: SubjectFilter | null,
  changes: NonNullable<DestinationChanges['subjects']> | null,
): SubjectFilter | null {
  if (changes === null) return null
  const merged = { exact: [], prefix: [], ...current, ...changes }
  const problem = problemOfSubjects(merged)
  if (problem !== null) throw invalid('/subjects', problem)
  return merged
}

function mergeHeaders(
  current: readonly Header[],
  changes: NonNullable<DestinationChanges['headers']> | null,
): Header[] {
  if (changes === null) return []
  const named = new Set(changes.map(([name]) => name.toLowerCase()))
  const merged = [
    ...current.filter(([name]) => !named.has(name.toLowerCase())),
    ...changes.filter((header): header is Header => header[1] !== null),
  ]
  const problem = problemOfHeaderNames(merged.map(([name]) => name))
  if (problem !== null) throw invalid('/headers', problem)
  return merged
}

function invalid(pointer: string, words: string): PortariaError {
  return invalidRequest('the destination is not valid', [{ pointer, words }])
}

/** The new secret and the previous one sign, but none whose rotation has ended. */
export function withRotation(
  { secrets }: Pick<Destination, 'secrets'>,
  { secret, overlapUntil }: SecretRotation,
): Pick<Destination, 'secrets' | 'previousSecretUntil'> {
  return { secrets: [secret, ...secrets.slice(0, 1)], previousSecretUntil: overlapUntil }
}

/** Whether an attempt may succeed now that failed before the change. */
export function isRequestChanged(before: Destination, after: Destination): boolean {
  const requestOf = ({ url, headers, authorities, timeoutMs, format, secrets }: Destination) =>
    JSON.stringify([url, headers, authorities, timeoutMs, format, secrets])
  return requestOf(before) !== requestOf(after)
}
