import { z } from 'zod'
import { KINDS_BY_NAME_ONLY } from '../domain/event.ts'
import { type KindRule, kindDefaults, type WantedAnswer } from '../domain/kinds.ts'
import { realmOf } from '../domain/realm.ts'
import { searchRuleOf } from '../domain/search/search-rule.ts'
import { CALLER_USAGES, CRL_EXPIRED } from '../domain/trust.ts'
import { SUBJECT_ATTRIBUTES, type SubjectAttribute } from '../platform/certificate-subject.ts'
import {
  duration,
  environment,
  field,
  fingerprint,
  oneOf,
  pointers,
  RELOADED,
  routePath,
  serial,
  text,
  timeout,
} from './fields.ts'
import type { Named } from './named.ts'
import { PRESETS } from './presets.ts'
import type { FileFields } from './secret-files.ts'
import { at, type ReportProblem, reportOn } from './section-checks.ts'
import { serviceSchema } from './service-schema.ts'

/** Those with a name. Without one, the keys of an institution are in `callbacks` and `service`. */
export function institutionsSchema(files: FileFields, ofService: FileFields) {
  return z.array(
    z.strictObject({
      name: institutionName,
      /** The keys that it brings are compared themselves. */
      preset: oneOf(PRESETS).optional().meta(RELOADED),
      trust: trustSchema(files).optional().meta(RELOADED),
      suffixes: z.array(routePath).prefault([]),
      kinds: kindsSchema(),
      answer: answerSchema.prefault({}),
      limits: z.strictObject({ answerWithin: timeout().optional() }).prefault({}),
      /** How long it sends a callback again that was not taken; null: unknown. */
      givesUpAfter: duration({ min: '1s', max: '3650d' }).optional(),
      service: serviceSchema(ofService).prefault([]).meta(RELOADED),
    }),
  )
}

export type Institution = Named<z.output<ReturnType<typeof institutionsSchema>>>[number]

/** Its chains, kinds and services are in the lists of all. */
export function toInstitution({ name, suffixes, answer, limits, givesUpAfterMs }: Institution) {
  const wanted: WantedAnswer = {
    ...answer,
    body: answer.body ?? String(answer.status),
    withinMs: limits.answerWithinMs,
  }
  return { name, suffixes, answer: wanted, givesUpAfterMs }
}

export function toChain(owner: string | null, chain: NonNullable<Institution['trust']>[number]) {
  return { ...chain, environment: realmOf(owner, chain.environment) }
}

export function toKind(
  owner: string | null,
  [name, { accounts, search, ...kind }]: [string, Institution['kinds'][string]],
): KindRule {
  // What becomes of it is frozen.
  const { split, subject, status, deduplicateBy, personalData } = structuredClone(kindDefaults(name))
  return {
    ...kind,
    institution: owner,
    name,
    split: kind.split ?? split,
    subject: kind.subject ?? subject,
    status: kind.status ?? status,
    deduplicateBy: kind.deduplicateBy ?? deduplicateBy,
    accounts: accounts.allow,
    search: searchRuleOf(search.exclude, kind.split ?? split),
    personalData: kind.personalData ?? personalData,
  }
}

/** In paths, URLs and metrics, too. */
const institutionName = text('a name such as bank-a', (name) =>
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
  subject: z.strictObject(subjectLists()).prefault({}),
})

function subjectLists() {
  const values = z
    .array(text('a value, in quotes'))
    .min(1, 'is empty: write the values, or leave the key out')
    .default([])
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
      /** A PEM file, which may have a folder of the same name with further chains beside it, or such a folder. */
      chain: files.path("the path of the service's chain, PEM"),
      /** Where the service publishes the chain. */
      certificateUrl: certificateUrl.optional(),
      allow: callerRules.prefault({}),
      deny: deniedCallers.prefault({}),
      /** any: only with an `allow` that is not empty. */
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
const answerSchema = z.strictObject({
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

function checkUsage(value: unknown, report: ReportProblem): void {
  const allow = Object(at(value, 'allow'))
  const lists = [...Object.values(allow), ...Object.values(Object(at(allow, 'subject')))]
  if (at(value, 'usage') !== 'any' || lists.some((list) => Array.isArray(list) && list.length > 0)) return
  report(
    ['usage'],
    "is any, so every certificate of the chain's authority could call: say who the caller is, under allow " +
      '(subjectCommonNames, subjectAlternativeNames, subject or fingerprints), or write client',
  )
}
