import type { Socket } from 'node:net'
import type { ClientEnvironment, Principal } from '../../domain/client.ts'
import type { SharedGrant } from '../../oidc/known.ts'

/** The operator, or a client that a person uses. */
export interface Person {
  /** Id of the client, or `operator`. */
  readonly id: string
  /** Name of the client; null: the operator. */
  readonly name: string | null
  readonly environment: ClientEnvironment
  /** Bearer token for requests that the browser sends below /ui/api; it never leaves this process. */
  readonly token: string
  /** Of the sign-in: another one with a new secret. */
  readonly credential: string
  /** With the present rights; null: the client was revoked, or its secret changed since the sign-in. */
  principal(): Principal | null
  /** Of a person of an OpenID provider: asks the provider again if its last answer is too old. @returns false: the session is over */
  confirm?(): Promise<boolean>
  /** Why the person may do nothing any more; null, or left out: nothing is known. */
  ending?(): string | null
  /** The session has ended. */
  release?(): void
  /** Of a person of an OpenID provider: what other nodes need to go on with the session. */
  readonly grant?: SharedGrant
}

export type SignedIn =
  | { readonly kind: 'person'; readonly person: Person }
  | { readonly kind: 'refused' }
  /** Too many failures. */
  | { readonly kind: 'wait'; readonly seconds: number }

/** Checks an id and a secret. An empty id is the operator, whose secret is the operator token. */
export interface Identities {
  /** Also reports the connection as authenticated. */
  signIn(credentials: { readonly id: string; readonly secret: string }, socket: Socket): Promise<SignedIn>
  /** The person with this id, as if signed in now; null: there is none any more. */
  find(id: string): Promise<Person | null>
  /** A request on this connection came with a valid session. */
  recognized(socket: Socket): void
  /** Thumbprint of the peer certificate of the connection; null: none. */
  certificateOf(socket: Socket): string | null
}
