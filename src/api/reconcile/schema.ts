import { z } from 'zod'
import { ENVIRONMENTS } from '../../domain/realm.ts'
import { problemOfSubject } from '../../domain/reconcile/reconciled-kinds.ts'
import { CHARGE_TYPES, SUBJECT_TYPES } from '../../domain/reconcile/subjects.ts'
import { parseTime, TIME_FORMS } from '../../platform/time.ts'
import { instant, limit, oneOf, text } from '../http/query.ts'
import { checked, environment, institution, time } from '../http/schema-parts.ts'

const subject = checked(problemOfSubject)
  .meta({ type: 'string' })
  .describe('Its id, as callbacks have it: at most 200 characters')

/** Most subjects of a list. */
export const MOST_SUBJECTS = 5000

const named = {
  kind: z.string().describe('A kind that `service[].reconcile` names'),
  institution: z.string().optional().describe('Default: the unnamed or only one'),
  environment,
  type: z.enum(CHARGE_TYPES, { error: `one of ${CHARGE_TYPES.join(', ')}` }).optional(),
}
const TYPE = 'Only of the kind of charges. Default: charge'

/** The body of `POST /v1/expected`. */
export const newExpectedSchema = z
  .strictObject({ ...named, type: named.type.describe(TYPE), subject })
  .meta({ id: 'NewExpectedSubject' })

export const expectedSchema = z
  .strictObject({
    kind: z.string(),
    institution,
    environment,
    subject: z.string(),
    type: z.enum(SUBJECT_TYPES).describe('What the service is asked about'),
  })
  .meta({ id: 'ExpectedSubject', description: 'An id of which callbacks are expected.' })

/** The body of `POST /v1/service/expected`. */
export const newExpectedListSchema = z
  .strictObject({ ...named, type: named.type.describe(TYPE), subjects: z.array(subject).min(1).max(MOST_SUBJECTS) })
  .meta({ id: 'NewExpectedSubjects' })

const count = z.int().min(0)

export const expectedCountSchema = z
  .strictObject({ expected: count, added: count.describe('Those that were not expected before') })
  .meta({ id: 'ExpectedCount' })

const gapDaySchema = z
  .strictObject({
    kind: z.string(),
    institution,
    environment,
    day: z.iso.date().describe('In UTC; of `unknown` the local day of the request'),
    received: count.describe('Events of callbacks'),
    reconciled: count.describe('Events that the service was asked for, because no callback had come'),
    duplicates: count.describe('Repeats of these events, late callbacks of reconciled ones included'),
    unknown: count.describe('What the service counts and does not name, and expected ids that it does not know'),
    delay: z
      .number()
      .min(0)
      .nullable()
      .describe('Within it 95 of 100 expected ids had their first event, in seconds; null: none was expected'),
    settledBy: z
      .string()
      .nullable()
      .describe('What settles the gap: an endpoint of the service, or `question to the service`; null: nothing'),
  })
  .meta({ id: 'GapDay', description: 'What was received, asked for and missed of a kind on a day.' })

export const gapsSchema = z
  .strictObject({
    data: z.array(gapDaySchema).describe('The newest day first'),
    openings: z
      .array(z.string())
      .describe('Accounts whose opening waits or was refused: the service does not tell which'),
  })
  .meta({ id: 'Gaps' })

export const gapsQuerySchema = z.strictObject({
  since: instant('Only the UTC day of this time, and later ones.'),
  institution: text('Only of this institution.'),
  environment: oneOf(ENVIRONMENTS, 'Only of this environment.'),
  limit,
})

/** The body of `POST /v1/service/reconcile`. */
export const newReconcileRunSchema = z
  .strictObject({
    since: checked((given) => (parseTime(given) === null ? TIME_FORMS : null))
      .optional()
      .describe('Only subjects that became known since then; a date alone means midnight UTC'),
    institution: z.string().optional().describe('Only of this institution'),
    environment: environment.optional().describe('Only of this environment'),
    dryRun: z.boolean('true or false').default(false).describe('Ask, and spend budget, but store nothing'),
  })
  .meta({ id: 'NewReconcileRun' })

const environmentRunSchema = z
  .strictObject({
    institution,
    environment,
    subjects: count.describe('Subjects that were looked at'),
    asked: count.describe('Questions that were asked'),
    planned: count.describe('Questions altogether, as far as they are known'),
    found: count.describe('Missed states that became events; of a dry run those that would'),
    unknown: count.describe('Ids that the service does not know'),
    undecided: count.describe('Openings that wait or were refused'),
    unnamed: count.describe('What the service counts and does not name'),
    failed: count.describe('Questions that failed'),
    problem: z.string().nullable().describe('Why the last of them failed'),
    left: count.describe('Questions not asked: a budget is used up, or the service is away'),
  })
  .meta({ id: 'ReconcileRunEnvironment' })

export const reconcileRunSchema = z
  .strictObject({
    id: z.string(),
    dryRun: z.boolean(),
    since: time.nullable(),
    state: z.enum(['running', 'done', 'failed']),
    beganAt: time,
    endedAt: time.nullable(),
    environments: z.array(environmentRunSchema),
  })
  .meta({ id: 'ReconcileRun', description: 'Questions to the service about what was missed.' })

const reconciledKindsSchema = z
  .strictObject({
    institution,
    environment,
    payments: z.string().nullable(),
    openings: z.string().nullable(),
    charges: z.string().nullable(),
  })
  .meta({ id: 'ReconciledKinds', description: 'The kind that holds each of these; null: none is asked about.' })

export const reconcileSchema = z
  .strictObject({
    kinds: z.array(reconciledKindsSchema),
    run: reconcileRunSchema.nullable().describe('The one that goes on, or the last one; null: none since the start'),
  })
  .meta({ id: 'Reconcile' })
