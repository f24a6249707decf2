import { contracts } from '../http/contract.ts'
import {
  quarantinedDetailSchema,
  quarantinedSchema,
  quarantinePageSchema,
  quarantineQuerySchema,
  releasedSchema,
} from './schema.ts'

const common = { tag: 'Quarantine', errors: 'problem' } as const
const one = { ...common, segments: { id: 'Id of the quarantined fact, such as qtn_1.' } }
const decided = { 409: { description: 'The fact was already released or discarded.' } }
const MASKED = 'Without events.read personal data is masked.'

export const QUARANTINE_READS = contracts({
  listQuarantine: {
    ...common,
    method: 'get',
    path: '/v1/quarantine',
    access: ['operations.read'],
    summary: 'List quarantined facts',
    description: `Oldest first, or newest first with \`order=desc\`. ${MASKED} A masked page ends after 4 MiB of payloads.`,
    query: quarantineQuerySchema,
    answers: { 200: { description: 'A page of quarantined facts.', schema: quarantinePageSchema } },
  },
  showQuarantined: {
    ...one,
    method: 'get',
    path: '/v1/quarantine/:id',
    access: ['operations.read'],
    summary: 'Show a quarantined fact with its evidence',
    description: MASKED,
    answers: { 200: { description: 'The fact.', schema: quarantinedDetailSchema } },
  },
})

export const QUARANTINE_DECISIONS = contracts({
  releaseQuarantined: {
    ...one,
    method: 'post',
    access: ['operations.write'],
    path: '/v1/quarantine/:id/release',
    summary: 'Release a quarantined fact',
    action: 'release a quarantined fact',
    description:
      'The fact becomes an event after all existing events, with its original receive time, and is delivered to the destinations that match it now.',
    answers: { 200: { description: 'The released fact.', schema: releasedSchema }, ...decided },
  },
  discardQuarantined: {
    ...one,
    method: 'post',
    access: ['operations.write'],
    path: '/v1/quarantine/:id/discard',
    summary: 'Discard a quarantined fact',
    action: 'discard a quarantined fact',
    description: 'The fact stays visible, but can no longer be released.',
    answers: { 200: { description: 'The discarded fact.', schema: quarantinedSchema }, ...decided },
  },
})
