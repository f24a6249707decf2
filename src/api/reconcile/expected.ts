import type { Caller } from '../../domain/client.ts'
import type { Environment } from '../../domain/realm.ts'
import { partsOf } from '../../domain/realm.ts'
import type { ReconcileWrites } from '../../domain/reconcile/reconcile-store.ts'
import { expectedOf, type NamedSubject, type ReconciledKinds } from '../../domain/reconcile/reconciled-kinds.ts'
import { invalidRequest, PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { restrictedClient } from '../auth/store-scope.ts'
import type { Handlers } from '../http/contract.ts'
import type { EXPECTATIONS } from './contract.ts'

export interface ExpectedOptions {
  readonly store: Pick<ReconcileWrites, 'expectSubjects'>
  /** Those of the current configuration. */
  readonly kinds: () => readonly ReconciledKinds[]
  readonly now: () => number
}

/** Subjects of a transaction: callbacks wait for it. */
const AT_ONCE = 1000

export const EXPECTING: Handlers<typeof EXPECTATIONS, ExpectedOptions> = {
  async expectSubject(call, { store, kinds, now }) {
    const { subject, ...named } = call.body
    requireEnvironment(call, named.environment)
    const { kind, environment, type } = read(named, kinds())
    await store.expectSubjects([{ kind, environment, subject, type }], now())
    return { status: 202, json: { kind, ...partsOf(environment), subject, type } }
  },
  async expectSubjects(call, { store, kinds, now }) {
    const { subjects, ...named } = call.body
    const { kind, environment, type } = read(named, kinds())
    const expected = [...new Set(subjects)].map((subject) => ({ kind, environment, subject, type }))
    let added = 0
    for (let at = 0; at < expected.length; at += AT_ONCE)
      added += await store.expectSubjects(expected.slice(at, at + AT_ONCE), now())
    return { status: 202, json: { expected: expected.length, added } }
  },
}

/** @throws PortariaError `forbidden` */
function requireEnvironment(caller: Caller, environment: Environment): void {
  const client = restrictedClient(caller)
  if (client === null || client.environment === 'any' || client.environment === environment) return
  throw new PortariaError(
    'forbidden',
    say`the client belongs to ${{ environment: client.environment }}: it cannot expect callbacks of ${{ other: environment }}`,
  )
}

/** @throws PortariaError `request_invalid` with the kinds that are reconciled */
function read(named: NamedSubject, kinds: readonly ReconciledKinds[]) {
  const found = expectedOf(named, kinds)
  if ('type' in found) return found
  throw invalidRequest('the expected subject is not valid', [{ pointer: `/${found.member}`, words: found.problem }])
}
