import { PortariaError } from '../platform/errors.ts'
import { institutionOf, type Realm } from './realm.ts'

export interface RoutedKind {
  readonly name: string
  readonly path: string
}

/** What the service may append to a registered URL. */
export const DEFAULT_SUFFIXES = ['/pix', '/rec', '/cobr'] as const

/** The kind whose route matches the raw request target, or null. */
export type RouteMatcher = (target: string) => string | null

/**
 * Routes are compared raw, without percent-decoding: a kind's path, optionally `/`, optionally one of the suffixes; runs of `/` count as one;
 * the query never decides. A path with a variable segment takes no suffix.
 * @throws PortariaError `configuration_invalid` when two kinds could match one path
 */
export function compileRoutes(kinds: readonly RoutedKind[], suffixes: readonly string[]): RouteMatcher {
  const kindByPath = new Map<string, string>()
  const variable = kinds.flatMap(({ name, path }) => (hasVariable(path) ? [{ name, segments: segmentsOf(path) }] : []))
  const conflicts: string[] = []
  for (const kind of kinds) {
    for (const path of pathsOf(kind.path, suffixes)) {
      const met = variable.find(({ name, segments }) => name !== kind.name && canMeet(segments, segmentsOf(path)))
      const other = kindByPath.get(path) ?? met?.name
      if (other !== undefined && other !== kind.name)
        conflicts.push(`${path} could be kind ${other} or kind ${kind.name}`)
      kindByPath.set(path, kind.name)
    }
  }
  if (conflicts.length > 0) {
    throw new PortariaError('configuration_invalid', 'two kinds could match one path: give each a path of its own', {
      details: conflicts,
    })
  }
  return function matchRoute(target) {
    const path = pathOfTarget(target)
    const kind = kindByPath.get(path)
    if (kind !== undefined || variable.length === 0) return kind ?? null
    const segments = segmentsOf(path)
    return variable.find((one) => isAt(one.segments, segments))?.name ?? null
  }
}

/** Whether a kind's path has a segment that may be anything, such as `/consents/{consentId}`. */
export function hasVariable(path: string): boolean {
  return path.split('/').some(isVariable)
}

/** What a target has in place of the last variable segment of a kind's path, percent-decoded; null: the target is at another path. */
export function compileVariable(path: string): (target: string) => string | null {
  const written = segmentsOf(path)
  const last = written.findLastIndex(isVariable)
  return function variableIn(target) {
    const segments = segmentsOf(pathOfTarget(target))
    return isAt(written, segments) ? percentDecoded(segments[last] ?? '') : null
  }
}

function isVariable(segment: string): boolean {
  return /^\{[^{}]*\}$/.test(segment)
}

function segmentsOf(path: string): string[] {
  return collapseSlashes(path).replace(/\/$/, '').split('/')
}

function isAt(written: readonly string[], segments: readonly string[]): boolean {
  return (
    written.length === segments.length &&
    written.every((one, index) => (isVariable(one) ? segments[index] !== '' : one === segments[index]))
  )
}

function canMeet(one: readonly string[], other: readonly string[]): boolean {
  const isSame = (segment: string, index: number) => {
    const beside = other[index] ?? ''
    return segment === beside || isVariable(segment) || isVariable(beside)
  }
  return one.length === other.length && one.every(isSame)
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The kind of the caller's institution whose route matches the raw request target, or null. */
export type CallerRoutes = (caller: Realm, target: string) => string | null

/** Two institutions may have the same path: the certificate of the caller decides. @throws PortariaError as compileRoutes */
export function compileCallerRoutes(
  kinds: readonly (RoutedKind & { readonly institution: string | null })[],
  suffixesOf: (institution: string | null) => readonly string[],
): CallerRoutes {
  const byInstitution = Map.groupBy(kinds, ({ institution }) => institution)
  const matchers = new Map(
    [...byInstitution].map(([institution, own]) => [institution, compileRoutes(own, suffixesOf(institution))]),
  )
  return (caller, target) => matchers.get(institutionOf(caller))?.(target) ?? null
}

function pathsOf(path: string, suffixes: readonly string[]): Set<string> {
  if (hasVariable(path)) return new Set([segmentsOf(path).join('/')])
  const base = collapseSlashes(path).replace(/\/$/, '')
  return new Set(
    [base, `${base}/`, ...suffixes.map((suffix) => collapseSlashes(`${base}/${suffix}`))].filter((p) => p !== ''),
  )
}

/** The path of an origin-form or absolute-form target (RFC 9112 section 3.2), raw, runs of `/` as one. */
export function pathOfTarget(target: string): string {
  const query = target.indexOf('?')
  const withoutQuery = query === -1 ? target : target.slice(0, query)
  if (withoutQuery.startsWith('/')) return collapseSlashes(withoutQuery)
  return collapseSlashes(withoutQuery.replace(/^https?:\/\/[^/]*/i, ''))
}

function collapseSlashes(path: string): string {
  return path.includes('//') ? path.replace(/\/{2,}/g, '/') : path
}
