import { createHash, timingSafeEqual } from 'node:crypto'
import type { Realm } from '../domain/realm.ts'
import { BEHIND_TOKEN } from '../domain/refused-callbacks.ts'
import { pathOfTarget } from '../domain/routes.ts'

/** A secret that takes the place of a client certificate, at `PATH/TOKEN` and `PATH?hmac=TOKEN`. */
export interface PathToken {
  readonly path: string
  /** What the service may append to the path, to the token, or to the query. */
  readonly suffixes: readonly string[]
  readonly kind: string
  /** Kinds of suffixes that lead to another one. */
  readonly kindsBehind?: Readonly<Record<string, string>>
  readonly environment: Realm
  readonly token: string
}

/** What a request target says at a path that has tokens. */
export interface PresentedToken {
  /** The path and the beginning of the token: the part that may be logged and stored. */
  readonly shown: string
  /** null: the caller did not present a known token. */
  readonly found: Pick<PathToken, 'kind' | 'environment'> | null
  readonly isMissing: boolean
  /** Something follows it, and nothing is received there. */
  readonly hasRest: boolean
}

const SHOWN_CHARACTERS = 4
const HMAC = 'hmac='

/**
 * Compares every token of a path in constant time, so that timing reveals neither which one matched nor how far.
 * @returns null for a target at none of these paths
 */
export function compileTokens(tokens: readonly PathToken[]): (target: string) => PresentedToken | null {
  const known = tokens
    .map(({ token, path, ...rest }) => ({
      ...rest,
      digest: sha256(token),
      base: pathOfTarget(path).replace(/\/$/, ''),
    }))
    // A longer path says more about a caller whose token is unknown.
    .sort((one, other) => other.base.length - one.base.length)
  return function readTarget(target) {
    let read: PresentedToken | null = null
    for (const { base, suffixes, digest, environment, ...own } of known) {
      const presented = presentedAt(target, base, suffixes)
      if (presented === null) continue
      const { token, shown, hasRest, suffix } = presented
      const kind = own.kindsBehind?.[suffix] ?? own.kind
      const found = timingSafeEqual(digest, sha256(token)) ? { kind, environment } : null
      if (read === null || found !== null) read = { shown, found, isMissing: token === '', hasRest }
    }
    return read
  }
}

/** Compared raw, as routes are. null: the target is at another path. */
function presentedAt(target: string, base: string, suffixes: readonly string[]) {
  const path = pathOfTarget(target)
  if (path !== base && !path.startsWith(`${base}/`)) return null
  const atPath = cutSuffix(path.slice(base.length), suffixes)
  const behind = atPath.text
  const [inPath = '', ...rest] = behind.slice(1).split('/')
  const inQuery = cutSuffix(hmacOf(target), suffixes)
  const token = behind === '' ? inQuery.text : inPath
  const suffix = atPath.suffix === '' && behind === '' ? inQuery.suffix : atPath.suffix
  const start = token === '' ? '' : `${behind === '' ? `?${HMAC}` : '/'}${token.slice(0, SHOWN_CHARACTERS)}…`
  return { token, suffix, hasRest: rest.length > 0, shown: `${base}${start}${rest.length > 0 ? BEHIND_TOKEN : ''}` }
}

/** The service appends its suffix to the end of the URL, also where that is a query. */
function cutSuffix(text: string, suffixes: readonly string[]) {
  const suffix = suffixes.find((one) => text.endsWith(one)) ?? ''
  return { text: text.slice(0, text.length - suffix.length).replace(/\/$/, ''), suffix }
}

/** The last one, because the service adds its own at the end. */
function hmacOf(target: string): string {
  const [, query = ''] = target.split('?', 2)
  const parameter = query.split('&').findLast((one) => one.startsWith(HMAC))
  return parameter?.slice(HMAC.length) ?? ''
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
