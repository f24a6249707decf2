import { z } from 'zod'
import {
  AUTHENTICATION_FILTERS,
  DELIVERY_FORMATS,
  DELIVERY_ORDERS,
  DESTINATION_LIMIT,
  type DestinationSettings,
  ON_EXHAUSTED,
} from '../domain/destination.ts'
import {
  DESTINATION_LIMITS,
  problemOfDestinationName,
  problemOfHeaderName,
  problemOfHeaderValue,
  problemOfSubject,
} from '../domain/destination-rules.ts'
import { COMMAND } from '../platform/installation.ts'
import { attemptTimeout, concurrency, environment, field, integer, oneOf, schedule, text } from './fields.ts'
import type { forwardingSchema } from './forwarding-schema.ts'
import type { Named } from './named.ts'
import { type FileFields, secret } from './secret-files.ts'
import { at, type ReportProblem, reportOn } from './section-checks.ts'

const { rateLimit } = DESTINATION_LIMITS

/** Allowed URLs and existing kinds are checked with the rest of the file. */
export function destinationsSchema(files: FileFields) {
  return z
    .array(destinationSchema(files))
    .max(
      DESTINATION_LIMIT,
      `must be at most ${DESTINATION_LIMIT}: create the others with \`${COMMAND} destinations create\``,
    )
}

function destinationSchema(files: FileFields) {
  return z
    .strictObject({
      name: destinationName,
      url: text('the address of the destination, such as https://app.example/callbacks'),
      kinds: z.array(text('the name of a kind')).min(1, 'is empty: remove the key for every kind').optional(),
      environments: z.array(environment).min(1, 'is empty: remove the key for every environment').optional(),
      institutions: z
        .array(text('the name of an institution'))
        .min(1, 'is empty: remove the key for every institution')
        .optional(),
      subjects: subjects.optional(),
      authentication: oneOf(AUTHENTICATION_FILTERS).prefault('any'),
      format: oneOf(DELIVERY_FORMATS).prefault('original'),
      secret: secret.optional(),
      secretFile: files.secrets.optional(),
      timeout: attemptTimeout().optional(),
      concurrency: concurrency.optional(),
      rateLimit: integer(rateLimit.min, rateLimit.max).optional(),
      schedule: schedule().optional(),
      order: oneOf(DELIVERY_ORDERS).prefault('none'),
      onExhausted: oneOf(ON_EXHAUSTED).prefault('hold'),
      ca: files.authorities.optional(),
      headers: z
        .record(headerName, headerValue)
        .prefault({})
        .superRefine(...reportOn(checkHeaderNames)),
    })
    .superRefine(...reportOn(checkOneSecret))
}

export function toDestination(
  {
    secret,
    secretFile,
    ca,
    headers,
    timeoutMs,
    concurrency,
    ...settings
  }: Named<z.output<ReturnType<typeof destinationSchema>>>,
  forwarding: Named<z.output<ReturnType<typeof forwardingSchema>>>,
): DestinationSettings {
  return {
    ...settings,
    secrets: secretFile ?? (secret === null ? [] : [secret]),
    timeoutMs: timeoutMs ?? forwarding.timeoutMs,
    concurrency: concurrency ?? forwarding.concurrency,
    authorities: ca?.pem ?? null,
    headers: Object.entries(headers),
  }
}

const destinationName = text('a name such as app', problemOfDestinationName)

const { exactSubjects, subjectPrefixes } = DESTINATION_LIMITS

const subjects = z
  .strictObject({
    exact: z
      .array(text('a subject, in quotes', problemOfSubject))
      .max(exactSubjects, `must be at most ${exactSubjects}`)
      .prefault([]),
    prefix: z
      .array(text('the beginning of a subject, in quotes', problemOfSubject))
      .max(subjectPrefixes, `must be at most ${subjectPrefixes}`)
      .prefault([]),
  })
  .superRefine(...reportOn(checkSubjects))

const headerName = z.string().superRefine((name, context) => {
  const problem = problemOfHeaderName(name)
  if (problem !== null) context.addIssue({ code: 'custom', message: problem })
})

const headerValue = field<string>("the header's value", (value) => {
  const problem = typeof value === 'string' ? problemOfHeaderValue(value) : 'must be text: put it in quotes'
  return problem === null ? { value: String(value) } : { problem }
})

function checkOneSecret(value: unknown, report: ReportProblem): void {
  if (at(value, 'secret') !== undefined && at(value, 'secretFile') !== undefined)
    report(['secretFile'], 'contradicts secret: keep one of them')
}

function checkSubjects(value: unknown, report: ReportProblem): void {
  const isEmpty = (list: unknown) => list === undefined || (Array.isArray(list) && list.length === 0)
  if (typeof value === 'object' && isEmpty(at(value, 'exact')) && isEmpty(at(value, 'prefix')))
    report([], 'is empty, so that no event would match: remove the key for every event')
}

function checkHeaderNames(value: unknown, report: ReportProblem): void {
  const { headers } = DESTINATION_LIMITS
  if (Object.keys(Object(value)).length > headers) report([], `must be at most ${headers} headers`)
  const seen = new Set<string>()
  for (const name of Object.keys(Object(value))) {
    if (seen.has(name.toLowerCase())) report([name], 'is there twice: header names are not case-sensitive')
    seen.add(name.toLowerCase())
  }
}
