import type { Caller } from '../../domain/client.ts'
import type { Environment } from '../../domain/realm.ts'
import { partsOf } from '../../domain/realm.ts'
import type { ReconcileWrites } from '../../domain/reconcile/reconcile-store.ts'
import { expectedOf, type NamedSubject, type ReconciledKinds } from '../../domain/reconcile/reconciled-kinds.ts'
import { invalidRequest, PortariaError } from '../../platform/errors.ts'
import { membersOf } from '../audit/details.ts'
import { restrictedClient } from '../auth/store-scope.ts'
import { endpoint } from '../http/endpoint.ts'
import { requiredBody } from '../http/json-body.ts'
import { expectedCountSchema, expectedSchema, newExpectedListSchema, newExpectedSchema } from './schema.ts'

export interface ExpectedOptions {
  readonly store: Pick<ReconcileWrites, 'expectSubjects'>
  /** Those of the current configuration. */
  readonly kinds: () => readonly ReconciledKinds[]
  readonly now: () => number
}

/** Subjects of a transaction: callbacks wait for it. */
const AT_ONCE = 1000

const common = { method: 'post', tag: 'Reconciliation', errors: 'problem' } as const
const EXAMPLE = { kind: 'payment', environment: 'production' }

export function expectSubject({ store, kinds, now }: ExpectedOptions) {
  return endpoint({
    ...common,
    path: '/v1/expected',
    access: ['expected.write'],
    summary: 'Expect callbacks of an id',
    description: [
      'Tell the gateway of what your app has created: until it has a final state, the service is asked for what callbacks should have told.',
      'The same again changes nothing.',
    ].join(' '),
    // Programs make it without a person, once for each payment.
    recording: 'off',
    body: requiredBody(newExpectedSchema, {
      what: 'the expected subject',
      example: { ...EXAMPLE, subject: '1000001' },
    }),
    answers: {
      202: { description: 'It is expected.', schema: expectedSchema },
      403: { description: 'The client belongs to the other environment.' },
    },
    async run(call) {
      const { subject, ...named } = call.body
      requireEnvironment(call, named.environment)
      const { kind, environment, type } = read(named, kinds())
      await store.expectSubjects([{ kind, environment, subject, type }], now())
      return { status: 202, json: { kind, ...partsOf(environment), subject, type } }
    },
  })
}

export function expectSubjects({ store, kinds, now }: ExpectedOptions) {
  return endpoint({
    ...common,
    path: '/v1/service/expected',
    access: ['operations.write'],
    summary: 'Expect callbacks of many ids',
    details: (call) => membersOf(call.body, ['kind', 'institution', 'environment']),
    body: requiredBody(newExpectedListSchema, {
      what: 'the list of expected subjects',
      example: { ...EXAMPLE, subjects: ['1000001', '1000002'] },
    }),
    answers: { 202: { description: 'All of them are expected.', schema: expectedCountSchema } },
    async run(call) {
      const { subjects, ...named } = call.body
      const { kind, environment, type } = read(named, kinds())
      const expected = [...new Set(subjects)].map((subject) => ({ kind, environment, subject, type }))
      let added = 0
      for (let at = 0; at < expected.length; at += AT_ONCE)
        added += await store.expectSubjects(expected.slice(at, at + AT_ONCE), now())
      return { status: 202, json: { expected: expected.length, added } }
    },
  })
}

/** @throws PortariaError `forbidden` */
function requireEnvironment(caller: Caller, environment: Environment): void {
  const client = restrictedClient(caller)
  if (client === null || client.environment === 'any' || client.environment === environment) return
  throw new PortariaError(
    'forbidden',
    `the client belongs to ${client.environment}: it cannot expect callbacks of ${environment}`,
  )
}

/** @throws PortariaError `request_invalid` with the kinds that are reconciled */
function read(named: NamedSubject, kinds: readonly ReconciledKinds[]) {
  const found = expectedOf(named, kinds)
  if ('type' in found) return found
  throw invalidRequest('the expected subject is not valid', [{ pointer: `/${found.member}`, words: found.problem }])
}
