import type { Scope } from '../../domain/scopes.ts'
import type { ApiAnswer } from './page.ts'

/** The path names nothing. */
export class NoSuchPage extends Error {}

/** The viewer has none of the scopes. */
export class ScopeMissing extends Error {
  readonly scopes: readonly Scope[]

  constructor(scopes: readonly Scope[]) {
    super(`the scope ${scopes.join(' or ')} is missing`)
    this.scopes = scopes
  }
}

/** The API no longer accepts the token of the session. */
export class SessionEnded extends Error {}

/** An answer with status 400 to 499, which the page cannot use. */
export class Refused extends Error {
  readonly status: number

  constructor(answer: ApiAnswer) {
    super(detailOf(answer))
    this.status = answer.status
  }
}

/** An answer with status 500 or more. */
export class GatewayFailed extends Error {
  readonly status: number

  constructor(answer: ApiAnswer) {
    super(detailOf(answer))
    this.status = answer.status
  }
}

/** The API's own words about an error: a problem (RFC 9457), in English. */
export function detailOf({ status, json }: ApiAnswer): string {
  if (typeof json !== 'object' || json === null) return `HTTP ${status}`
  const { detail, errors } = json as { detail?: unknown; errors?: unknown }
  const violations = Array.isArray(errors) ? errors.map(violationText) : []
  return [...(typeof detail === 'string' ? [detail] : [`HTTP ${status}`]), ...violations].join('; ')
}

function violationText(error: { parameter?: unknown; pointer?: unknown; detail?: unknown }): string {
  const place = error.parameter ?? error.pointer
  return `${typeof place === 'string' ? `${place}: ` : ''}${String(error.detail)}`
}
