import { invalidRequest, type PortariaError } from '../platform/errors.ts'
import type { Destination, DestinationSettings, SubjectFilter } from './destination.ts'
import { problemOfHeaderNames, problemOfSubjects } from './destination-rules.ts'

type Header = readonly [name: string, value: string]

/** What is to be different (RFC 7396): what is left out stays as it is. Secrets are changed by rotating them. */
export interface DestinationChanges extends Partial<Omit<DestinationSettings, 'secrets' | 'subjects' | 'headers'>> {
  /** Of the filter too only what is named; null: every event. */
  readonly subjects?: { readonly exact?: readonly string[]; readonly prefix?: readonly string[] } | null
  /** Those named are set, or removed with null; the others stay. null in place of the list: none any more. */
  readonly headers?: readonly (readonly [name: string, value: string | null])[] | null
}

/** A secret in place of the one that signed until now. */
export interface SecretRotation {
  readonly secret: string
  /** Until when the one before it signs beside it. */
  readonly overlapUntil: number
}

/** @throws PortariaError `request_invalid` for what only the settings together get wrong */
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

/** The new secret signs, and beside it the one before it, never one that had rotated out. */
export function withRotation(
  { secrets }: Pick<Destination, 'secrets'>,
  { secret, overlapUntil }: SecretRotation,
): Pick<Destination, 'secrets' | 'previousSecretUntil'> {
  return { secrets: [secret, ...secrets.slice(0, 1)], previousSecretUntil: overlapUntil }
}
