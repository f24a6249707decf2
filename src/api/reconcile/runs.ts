import { isInRealm, partsOf, type Realm, type RealmFilter } from '../../domain/realm.ts'
import type { ReconciledKinds } from '../../domain/reconcile/reconciled-kinds.ts'
import type { Reconciler } from '../../domain/reconcile/reconciler.ts'
import { invalidRequest } from '../../platform/errors.ts'
import { parseTime } from '../../platform/time.ts'
import { membersOf } from '../audit/details.ts'
import { endpoint } from '../http/endpoint.ts'
import { optionalBody } from '../http/json-body.ts'
import { newReconcileRunSchema, reconcileRunSchema, reconcileSchema } from './schema.ts'
import { runView } from './view.ts'

export interface RunOptions {
  /** Those of the current configuration. */
  readonly kinds: () => readonly ReconciledKinds[]
  /** null: no gateway runs that would ask the service. */
  readonly reconciler: Reconciler | null
}

const common = { path: '/v1/service/reconcile', tag: 'Reconciliation', errors: 'problem' } as const

export function showReconcile({ kinds, reconciler }: RunOptions) {
  return endpoint({
    ...common,
    method: 'get',
    access: ['operations.read'],
    takesTurn: false,
    summary: 'Show what is reconciled, and the last run',
    answers: { 200: { description: 'The kinds and the run.', schema: reconcileSchema } },
    run() {
      const run = reconciler?.current() ?? null
      const views = kinds().map(({ environment, ...names }) => ({ ...partsOf(environment), ...names }))
      return { json: { kinds: views, run: run && runView(run) } }
    },
  })
}

export function startReconcile({ kinds }: RunOptions, reconciler: Reconciler) {
  return endpoint({
    ...common,
    method: 'post',
    access: ['operations.write'],
    summary: 'Ask the service for what was missed',
    description:
      'Runs in the background, as it does by itself each `service[].reconcile.every`. A run that goes on is joined.',
    details: (call) => membersOf(call.body, ['institution', 'environment', 'dryRun']),
    body: optionalBody(newReconcileRunSchema, { what: 'the request', example: { since: '2026-03-01', dryRun: true } }),
    answers: {
      202: { description: 'The run.', schema: reconcileRunSchema },
      409: { description: 'Another node of the gateway holds the jobs: send the request to it.' },
    },
    run({ body }) {
      const { since, institution, environment, dryRun } = body
      const environments = wanted(kinds(), { institution, environment })
      const from = since === undefined ? null : parseTime(since)
      return { status: 202, json: runView(reconciler.start({ since: from, environments, isDryRun: dryRun })) }
    },
  })
}

/** @throws PortariaError `request_invalid` where nothing of what is wanted is reconciled */
function wanted(kinds: readonly ReconciledKinds[], filter: RealmFilter): readonly Realm[] {
  if (filter.institution === undefined && filter.environment === undefined) return []
  const all = kinds.map(({ environment }) => environment)
  const found = all.filter((environment) => isInRealm(filter, environment))
  if (found.length > 0) return found
  const known = all.length === 0 ? 'no environment is' : `${all.join(', ')} ${all.length === 1 ? 'is' : 'are'}`
  const pointer = filter.environment === undefined ? '/institution' : '/environment'
  throw invalidRequest('the request is not valid', [{ pointer, words: `is not reconciled: ${known}` }])
}
