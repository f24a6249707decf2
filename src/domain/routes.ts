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
 * the query never decides.
 * @throws PortariaError `configuration_invalid` when two kinds could match one path
 */
export function compileRoutes(kinds: readonly RoutedKind[], suffixes: readonly string[]): RouteMatcher {
  const kindByPath = new Map<string, string>()
  const conflicts: string[] = []
  for (const kind of kinds) {
    for (const path of pathsOf(kind.path, suffixes)) {
      const other = kindByPath.get(path)
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
    return kindByPath.get(pathOfTarget(target)) ?? null
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
