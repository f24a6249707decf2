import { contracts } from '../http/contract.ts'
import {
  expectedCountSchema,
  expectedSchema,
  gapsQuerySchema,
  gapsSchema,
  newExpectedListSchema,
  newExpectedSchema,
  newReconcileRunSchema,
  reconcileRunSchema,
  reconcileSchema,
} from './schema.ts'

const common = { tag: 'Reconciliation', errors: 'problem' } as const
const EXAMPLE = { kind: 'payment', environment: 'production' }

export const EXPECTATIONS = contracts({
  expectSubject: {
    ...common,
    method: 'post',
    path: '/v1/expected',
    access: ['expected.write'],
    summary: 'Expect callbacks of an id',
    description: [
      'Tell the gateway of what your app has created: until it has a final state, the service is asked for what callbacks should have told.',
      'The same again changes nothing.',
    ].join(' '),
    // Programs make it without a person, once for each payment.
    recording: 'off',
    body: { schema: newExpectedSchema, what: 'the expected subject', example: { ...EXAMPLE, subject: '1000001' } },
    answers: {
      202: { description: 'It is expected.', schema: expectedSchema },
      403: { description: 'The client belongs to the other environment.' },
    },
  },
  expectSubjects: {
    ...common,
    method: 'post',
    path: '/v1/service/expected',
    access: ['operations.write'],
    summary: 'Expect callbacks of many ids',
    action: 'expect callbacks of ids',
    details: ['kind', 'institution', 'environment'],
    body: {
      schema: newExpectedListSchema,
      what: 'the list of expected subjects',
      example: { ...EXAMPLE, subjects: ['1000001', '1000002'] },
    },
    answers: { 202: { description: 'All of them are expected.', schema: expectedCountSchema } },
  },
})

export const GAP_READS = contracts({
  listGaps: {
    ...common,
    method: 'get',
    path: '/v1/gaps',
    access: ['operations.read', 'events.read'],
    summary: 'List what was missed, and what cannot be known',
    description: 'By kind, environment and day. Without operations.read of the environment of the client.',
    query: gapsQuerySchema,
    answers: { 200: { description: 'The days.', schema: gapsSchema } },
  },
})

const runs = { ...common, path: '/v1/service/reconcile' } as const

export const RECONCILE_READS = contracts({
  showReconcile: {
    ...runs,
    method: 'get',
    access: ['operations.read'],
    takesTurn: false,
    summary: 'Show what is reconciled, and the last run',
    answers: { 200: { description: 'The kinds and the run.', schema: reconcileSchema } },
  },
})

export const RECONCILE_RUNS = contracts({
  startReconcile: {
    ...runs,
    method: 'post',
    access: ['operations.write'],
    summary: 'Ask the service for what was missed',
    action: 'ask the service for what was missed',
    description:
      'Runs in the background, as it does by itself each `service[].reconcile.every`. A run that goes on is joined.',
    details: ['institution', 'environment', 'dryRun'],
    body: {
      schema: newReconcileRunSchema,
      what: 'the request',
      example: { since: '2026-03-01', dryRun: true },
      isOptional: true,
    },
    answers: {
      202: { description: 'The run.', schema: reconcileRunSchema },
      409: { description: 'Another node of the gateway holds the jobs: send the request to it.' },
    },
  },
})
