import type { Answer } from '../../api/calls.ts'
import type { Scope } from '../../domain/scopes.ts'

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

/** The page is for the operator. */
export class OperatorOnly extends Error {}

/** The API no longer accepts the token of the session. */
export class SessionEnded extends Error {}

/** An answer that the page cannot use. */
class Unusable extends Error {
  readonly answer: Answer

  constructor(answer: Answer) {
    super(`the API answered HTTP ${answer.status}`)
    this.answer = answer
  }
}

/** An answer with status 400 to 499. */
export class Refused extends Unusable {}

/** An answer with status 500 or more. */
export class GatewayFailed extends Unusable {}
