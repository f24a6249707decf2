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
 * the query never decides. A path with a variable segment takes no suffix. A suffix may lead to another kind, see `kindBehind`.
 * @throws PortariaError `configuration_invalid` when two kinds could match one path
 */
export function compileRoutes(kinds: readonly RoutedKind[], suffixes: readonly string[]): RouteMatcher {
  const kindByPath = new Map<string, string>()
  const variable = kinds.flatMap(({ name, path }) => (hasVariable(path) ? [{ name, segments: segmentsOf(path) }] : []))
  const conflicts: string[] = []
  for (const kind of kinds) {
    for (const [path, name] of pathsOf(kind, kinds, suffixes)) {
      const met = variable.find((one) => one.name !== name && canMeet(one.segments, segmentsOf(path)))
      const other = kindByPath.get(path) ?? met?.name
      if (other !== undefined && other !== name) conflicts.push(`${path} could be kind ${other} or kind ${name}`)
      kindByPath.set(path, name)
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

/** Each path of a kind, and the kind that it leads to. */
function pathsOf(
  kind: RoutedKind,
  kinds: readonly RoutedKind[],
  suffixes: readonly string[],
): readonly (readonly [path: string, name: string])[] {
  if (hasVariable(kind.path)) return [[segmentsOf(kind.path).join('/'), kind.name]]
  const base = basePathOf(kind)
  const behind = suffixes.map(
    (suffix) => [collapseSlashes(`${base}/${suffix}`), kindBehind(kind, suffix, { kinds, suffixes })] as const,
  )
  const own = [base, `${base}/`].map((path) => [path, kind.name] as const)
  return [...own, ...behind].filter(([path]) => path !== '')
}

function basePathOf({ path }: RoutedKind): string {
  return collapseSlashes(path).replace(/\/$/, '')
}

/**
 * The kind of a suffix behind a kind's path. One URL may be registered for several webhooks, and each appends its own suffix: `/rec` behind `/bank/pix` is
 * the kind at `/bank/rec`, if there is one and `/pix` is a suffix, too.
 */
export function kindBehind(
  kind: RoutedKind,
  suffix: string,
  { kinds, suffixes }: { readonly kinds: readonly RoutedKind[]; readonly suffixes: readonly string[] },
): string {
  const base = basePathOf(kind)
  const own = suffixes.find((one) => base.endsWith(one))
  if (own === undefined) return kind.name
  const place = `${base.slice(0, -own.length)}${suffix}`
  return kinds.find((one) => basePathOf(one) === place)?.name ?? kind.name
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
