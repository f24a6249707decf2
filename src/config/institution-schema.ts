import { z } from 'zod'
import { KINDS_BY_NAME_ONLY } from '../domain/event.ts'
import { CALLER_USAGES, CRL_EXPIRED } from '../domain/trust.ts'
import { SUBJECT_ATTRIBUTES, type SubjectAttribute } from '../platform/certificate-subject.ts'
import { duration, environment, field, fingerprint, oneOf, pointers, routePath, serial, text } from './fields.ts'
import type { FileFields } from './secret-files.ts'
import { checkUsage, reportOn } from './section-checks.ts'

/** In paths, URLs and metrics, too. */
export const institutionName = text('a name such as bank-a', (name) =>
  /^[a-z][a-z0-9-]{0,31}$/.test(name)
    ? null
    : 'is not a name for an institution: start with a small letter, then up to 31 small letters, digits and hyphens',
)

export const TRUST_MISSING =
  "names no chain of the service, so no caller could be accepted: put the service's CA certificates (PEM) into a file and install it here " +
  'with `- environment: production` and `chain: ../certs/trust/production.pem`'

const certificateUrl = text('an https address, such as https://service.example/chain.pem', (value) =>
  URL.canParse(value) && new URL(value).protocol === 'https:'
    ? null
    : 'must be an https address, such as https://service.example/chain.pem',
)

const names = z.array(text('a name')).prefault([])
const callerRules = z.strictObject({
  subjectCommonNames: names,
  subjectAlternativeNames: names,
  fingerprints: z.array(fingerprint).prefault([]),
  subject: z.strictObject(subjectLists()).optional(),
})

function subjectLists() {
  const values = z
    .array(text('a value, in quotes'))
    .min(1, 'is empty: write the values, or leave the key out')
    .optional()
  return Object.fromEntries(SUBJECT_ATTRIBUTES.map((name) => [name, values])) as Record<SubjectAttribute, typeof values>
}

const deniedCallers = z.strictObject({
  fingerprints: z.array(fingerprint).prefault([]),
  serials: z.array(serial).prefault([]),
})

/** The chains of one institution. */
export function trustSchema(files: FileFields) {
  const chain = z
    .strictObject({
      environment,
      chain: files.path("the path of the service's chain, PEM"),
      certificateUrl: certificateUrl.optional(),
      allow: callerRules.prefault({}),
      deny: deniedCallers.prefault({}),
      usage: oneOf(CALLER_USAGES).prefault('client'),
      crl: z.array(files.path('the path of a revocation list, PEM or DER')).prefault([]),
      crlExpired: oneOf(CRL_EXPIRED).prefault('warn'),
    })
    .superRefine(...reportOn(checkUsage))
  return z
    .array(chain, { error: ({ input }) => (input === undefined || input === null ? TRUST_MISSING : undefined) })
    .min(1, TRUST_MISSING)
}

export const KINDS_MISSING =
  'names no kind, so no path could be called: add one, such as `payment: { path: /callbacks/payment }`'

/** The kinds of one institution. */
export function kindsSchema() {
  const kind = z.strictObject({
    path: routePath,
    split: pointers.optional(),
    subject: pointers.optional(),
    status: pointers.optional(),
    deduplicateBy: pointers.optional(),
    accounts: z.strictObject({ allow: z.array(accountRule()).prefault([]) }).prefault({}),
    alertAfter: duration({ min: '1s', max: '3650d' }).optional(),
    search: searchSchema.prefault({}),
    personalData: pointers.optional(),
  })
  return z
    .record(kindName, kind, {
      error: ({ input }) => (input === undefined || input === null ? KINDS_MISSING : undefined),
    })
    .refine((kinds) => Object.keys(kinds).length > 0, { error: KINDS_MISSING })
}

/** Nothing that frames a message has such a name. */
const echoedHeader = field<string>('the name of a header, such as x-request-id', (value) => {
  const name = String(value).toLowerCase()
  return /^x-[a-z0-9-]{1,62}$/.test(name)
    ? { value: name }
    : { problem: 'must be the name of a header that begins with x-: letters, digits and hyphens, at most 64' }
})

const answerBody = field<string>('the body of the answer, such as "200"', (value) =>
  typeof value === 'string' && /^[ -~]{0,1024}$/.test(value)
    ? { value }
    : { problem: 'must be text of printable ASCII, at most 1,024 characters, in quotes' },
)

const ANSWER_STATUSES = [200, 202]

/** What the institution wants for a stored callback. */
export const answerSchema = z.strictObject({
  status: field<number>('200 or 202', (value) =>
    ANSWER_STATUSES.includes(Number(value)) ? { value: Number(value) } : { problem: 'must be 200 or 202' },
  ).prefault(200),
  body: answerBody.optional(),
  echoHeaders: z.array(echoedHeader).max(8, 'must be at most 8 headers').prefault([]),
  validation: field<'get'>('get', (value) => (value === 'get' ? { value } : { problem: 'must be get' })).optional(),
})

/** `off` is short for leaving out the whole body. */
const searchSchema = z.preprocess(
  (value, context) => {
    if (value === 'off') return { exclude: [''] }
    if (typeof value === 'object' && !Array.isArray(value)) return value
    context.addIssue({ code: 'custom', message: 'must be off, or the members to leave out: { exclude: [/senha] }' })
    return z.NEVER
  },
  z.strictObject({ exclude: pointers.prefault([]) }),
)

function accountRule() {
  return z.strictObject({
    pointers: pointers.refine((list) => list.length > 0, 'is empty: write where a fact names its account'),
    values: z
      .array(text('an account or a key of yours, in quotes, such as "012345-6"'))
      .min(1, 'is empty, so every fact would be quarantined: write your accounts or keys'),
  })
}

const kindName = z.string().superRefine((name, context) => {
  const problem = KINDS_BY_NAME_ONLY.includes(name)
    ? "is reserved for the gateway's own events: choose another name"
    : 'is not a name for a kind: start with a small letter, then up to 31 letters, digits and hyphens'
  const isAllowed = /^[a-z][A-Za-z0-9-]{0,31}$/.test(name) && !KINDS_BY_NAME_ONLY.includes(name)
  if (!isAllowed) context.addIssue({ code: 'custom', message: problem })
})
