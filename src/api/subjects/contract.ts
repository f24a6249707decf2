import { contracts } from '../http/contract.ts'
import { subjectPageSchema, subjectQuerySchema } from './schema.ts'

export const SUBJECT_LISTS = contracts({
  listSubjects: {
    tag: 'Events',
    errors: 'problem',
    method: 'get',
    path: '/v1/subjects',
    access: ['events.read', 'support.read'],
    summary: 'List payments, charges and registrations as they are now',
    description: [
      'Each subject once, newest change first, with its newest events and their deliveries. A subject is listed where one event of it has all that the query',
      'asks for; `status` is that of the newest event. `next` continues with older ones, until `more` is false: a page may be short or empty before that.',
      'A subject that changes meanwhile moves to the first page.',
    ].join(' '),
    query: subjectQuerySchema,
    answers: {
      200: { description: 'A page of subjects.', schema: subjectPageSchema },
      503: { description: 'The store is unavailable, or too many requests are waiting.' },
    },
  },
})
