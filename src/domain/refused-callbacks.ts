import { iso } from '../platform/time.ts'
import type { OwnEvent } from './event.ts'
import type { Inactivity } from './inactivity.ts'
import { institutionOf, keyOf, namedParts, type Realm } from './realm.ts'
import { type NewRefusal, REFUSAL_REASONS, type RefusalCode, type RefusedCaller } from './refusal.ts'
import type { RouteMatcher } from './routes.ts'

/**
 * Refusals of a caller that is already identified, with the status of the answer: what it sent is lost unless the service sends it again
 * to a place where it is taken.
 */
export const REFUSED_CALLBACK_STATUS = {
  unknown_path: 404,
  wrong_method: 405,
  encoded_body: 415,
  too_large: 413,
  headers_too_large: 431,
  bad_request: 400,
  request_timeout: 408,
} as const satisfies Partial<Record<RefusalCode, number>>

export type RefusedCallbackCode = keyof typeof REFUSED_CALLBACK_STATUS
export const REFUSED_CALLBACK_CODES = Object.keys(REFUSED_CALLBACK_STATUS) as readonly RefusedCallbackCode[]

/** How long a refused callback is a problem: it ends by itself a day after the last one. */
export const REFUSED_CALLBACK_MS = 86_400_000

/** The service sends none of these: a health check of a load balancer does, or `check` or `probe` on another machine. */
const METHODS_WITHOUT_CALLBACK = ['GET', 'HEAD', 'OPTIONS']
const TESTING_USER_AGENTS = ['Portaria-check', 'Portaria-probe']

/** A refused request of an identified caller that loses no callback gets a code of its own, with the reason as it is. */
export function refusalOfRequest<Refusal extends Pick<RefusedCaller, 'code' | 'reason' | 'rawCode'>>(
  refusal: Refusal,
  request: { readonly method?: string | undefined; readonly headers: { readonly 'user-agent'?: string | undefined } },
): Refusal | (Omit<Refusal, 'code'> & { code: 'no_callback' }) {
  const { code, reason = REFUSAL_REASONS[code] } = refusal
  const isTest = TESTING_USER_AGENTS.includes(request.headers['user-agent'] ?? '')
  const losesCallback = !isTest && !METHODS_WITHOUT_CALLBACK.includes(request.method ?? '')
  if (losesCallback || !(code in REFUSED_CALLBACK_STATUS)) return refusal
  return { ...refusal, code: 'no_callback', reason, rawCode: code }
}

/** How long the institution of a realm sends a callback again that was not taken, in ms; null: unknown. */
export type GivingUp = (realm: Realm) => number | null

/** Until about when a callback of this time is sent again, such as `2026-11-27T14:00Z`; null: unknown. */
export function repeatedUntil(givingUp: GivingUp, realm: Realm, at: number): string | null {
  const givesUpAfterMs = givingUp(realm)
  return givesUpAfterMs === null ? null : `${iso(at + givesUpAfterMs).slice(0, 16)}Z`
}

/** Refused callbacks of one cause. */
export interface RefusedCallbacks {
  readonly environment: Realm
  readonly code: RefusedCallbackCode
  /** null: unknown. */
  readonly path: string | null
  readonly status: number
  readonly count: number
  readonly lastAt: number
  /** Of the first of them: later ones may be repetitions of it. */
  readonly repeatedUntil: string | null
}

type Refused = Pick<NewRefusal, 'code' | 'environment' | 'detail' | 'refusedAt'>

/** Whether the refused caller was identified: only then is its environment known with one of these codes. */
export function isRefusedCallback(
  refused: Refused,
): refused is Refused & { code: RefusedCallbackCode; environment: Realm } {
  const { environment, code } = refused
  return environment !== null && code in REFUSED_CALLBACK_STATUS
}

/** By cause, the latest first. @param newestFirst refusals of any code */
export function refusedCallbacksOf(newestFirst: readonly Refused[], givingUp: GivingUp): RefusedCallbacks[] {
  const byCause = Map.groupBy(newestFirst.filter(isRefusedCallback), ({ environment, code, detail }) =>
    [environment, code, detail].join(' '),
  )
  return [...byCause.values()].flatMap((same) => {
    const [newest] = same
    if (newest === undefined) return []
    const { environment, code, detail: path, refusedAt: lastAt } = newest
    const until = repeatedUntil(givingUp, environment, same.at(-1)?.refusedAt ?? lastAt)
    const [status, count] = [REFUSED_CALLBACK_STATUS[code], same.length]
    return [{ environment, code, path, status, count, lastAt, repeatedUntil: until }]
  })
}

/** The alarm about a refused callback: one for each environment and code in a day. */
export function refusedCallbackAlarm(
  { environment, code, detail, refusedAt }: Refused & { code: RefusedCallbackCode; environment: Realm },
  givingUp: GivingUp,
): Inactivity {
  const status = REFUSED_CALLBACK_STATUS[code]
  const until = repeatedUntil(givingUp, environment, refusedAt)
  const body = {
    type: 'callback.refused',
    code,
    answeredStatus: status,
    ...namedParts(environment),
    path: detail,
    ...(until !== null && { repeatedUntil: until }),
  }
  const event: OwnEvent = {
    environment,
    madeAt: refusedAt,
    subject: code,
    status: 'refused',
    body: JSON.stringify(body),
  }
  // No kind has a space in its name.
  return { kind: `refused ${environment} ${code}`, since: refusedAt - (refusedAt % REFUSED_CALLBACK_MS), event }
}

/** The suffix at the end of a path that the service appends itself, so that its calls have it twice; null: none. */
export function doubledSuffix(
  path: string,
  { suffixes, matchRoute }: { readonly suffixes: readonly string[]; readonly matchRoute: RouteMatcher },
): { readonly suffix: string; readonly registered: string } | null {
  const bare = path.replace(/\/+$/, '')
  for (const suffix of suffixes) {
    const registered = bare.slice(0, -suffix.length)
    if (bare.endsWith(suffix) && matchRoute(registered) !== null) return { suffix, registered }
  }
  return null
}

/** In the shown path of a callback with a path token, for what follows the token. */
export const BEHIND_TOKEN = '/…'

/** What ends refusals of this cause. */
export function remedyOf(
  { environment, code, path }: Pick<RefusedCallbacks, 'environment' | 'code' | 'path'>,
  routes: { readonly suffixes: readonly string[]; readonly matchRoute: RouteMatcher },
): string {
  if (code !== 'unknown_path') return REMEDIES[code]
  if (path?.endsWith(BEHIND_TOKEN)) return BEHIND_TOKEN_REMEDY
  for (const suffix of routes.suffixes) {
    const registered = path?.endsWith(suffix) === true ? path.slice(0, -suffix.length) : ''
    const doubled = doubledSuffix(registered, routes)
    if (doubled !== null)
      return `register the URL without ${doubled.suffix}: its path is ${doubled.registered}, and the service appends ${routes.suffixes.join(', ')} itself`
  }
  const kinds = keyOf(institutionOf(environment), 'kinds')
  return `register a URL with the path of one of ${kinds}, or give a kind this path`
}

const BEHIND_TOKEN_REMEDY =
  'register the address that ends with the token (of a charge, set notification_url to it): nothing is received at a path behind it'

const REMEDIES: Readonly<Record<Exclude<RefusedCallbackCode, 'unknown_path'>, string>> = {
  wrong_method: 'callbacks come by POST: look at what changes the method in front of the gateway',
  encoded_body:
    'switch off the compression of requests where it happens: at the caller, or at a proxy in front of the gateway',
  too_large: 'raise callbacks.limits.body, and restart the gateway',
  headers_too_large: 'raise callbacks.limits.headers, or remove the headers that a proxy adds',
  bad_request: 'look at the reason ("refusals list --reason bad_request"), and at the proxies in front of the gateway',
  request_timeout: 'look at the network and at the proxies in front, or raise callbacks.limits.requestTimeout',
}
