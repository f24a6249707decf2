import type { Request, RequestHandler } from 'express'
import { z } from 'zod'
import { type ActionChannel, LONGEST_REASON, LONGEST_TARGET, type NewAction } from '../../domain/actions/action.ts'
import { clientOf } from '../../domain/principal.ts'
import { numberedId } from '../../domain/public-id.ts'
import type { Store } from '../../domain/store.ts'
import { messageOf } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { callerOf } from '../auth/authentication.ts'
import { type Endpoint, segmentOf } from '../http/endpoint.ts'
import { readQuery } from '../http/query.ts'
import { readDetails } from './details.ts'

export interface RecordingOptions {
  readonly store: Pick<Store, 'recordAction'>
  readonly now: () => number
  readonly channel: ActionChannel
  readonly log: Log
}

/** Whether uses of the endpoint are recorded in the log of actions: it changes something, or shows masked data, on behalf of a person. */
export function isRecorded({ method, errors, recording }: Endpoint): boolean {
  return method !== 'get' && errors === 'problem' && recording !== 'off'
}

const REASON_FORM = `1 to ${LONGEST_REASON} characters, without control characters`
const reasonError = ({ input }: { readonly input?: unknown }) =>
  Array.isArray(input) ? `given ${input.length} times` : `must be ${REASON_FORM}`

/** Why a person does something, in words. White space around it is removed. */
export const reasonSchema = z
  .string({ error: reasonError })
  .trim()
  .min(1, { error: reasonError })
  .max(LONGEST_REASON, { error: reasonError })
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, { error: reasonError })

const reasonQuery = z.strictObject({
  reason: reasonSchema
    .optional()
    .describe(`Why, in words, for the log of actions (\`GET /v1/audit\`): ${REASON_FORM}. No personal data.`),
})

/**
 * The endpoint with every use recorded before it is performed. It takes the query parameter `reason`, which its own handler does not see. What fails is
 * recorded a second time, before the answer. A use that cannot be recorded is not performed: 503.
 */
export function recorded(endpoint: Endpoint, options: RecordingOptions): Endpoint {
  if (!isRecorded(endpoint)) return endpoint
  const { query } = endpoint
  return {
    ...endpoint,
    ...(isReasonInQuery(endpoint) && { query: query === undefined ? reasonQuery : query.extend(reasonQuery.shape) }),
    handler: recordedHandler(endpoint, reasonReader(endpoint), options),
  }
}

function isReasonInQuery({ recording }: Endpoint): boolean {
  return recording === undefined || recording === 'off'
}

/** Where the endpoint takes no other parameter, an unknown one is refused: `POST /v1/replays?dryRun=true` must not start a replay. */
function reasonReader({ recording, query }: Endpoint): (request: Request) => string | null {
  if (recording !== undefined && recording !== 'off') return recording.reasonOf
  return query === undefined ? ({ url }) => readQuery(url, reasonQuery).reason ?? null : takeReason
}

const givenReasons = new WeakMap<Request, string>()

/** The reason that a person gave for a recorded request, which its handler does not find in the query; null: none. */
export function givenReason(request: Request): string | null {
  return givenReasons.get(request) ?? null
}

function recordedHandler(
  endpoint: Endpoint,
  reasonOf: (request: Request) => string | null,
  { store, now, channel, log }: RecordingOptions,
): RequestHandler {
  const { id, segments = {}, details: detailsOf, handler } = endpoint
  const [named] = Object.keys(segments)

  async function recordFailure(refersTo: number, action: NewAction): Promise<void> {
    try {
      await store.recordAction({ ...action, at: now(), refersTo })
    } catch (error) {
      log.warn({ action: numberedId('act', refersTo), endpoint: id, error: messageOf(error) }, 'action.outcome_lost')
    }
  }

  return async function performRecorded(request, response, next) {
    const action: NewAction = {
      ...{ at: now(), actor: clientOf(callerOf(request)), channel, action: id },
      target: named === undefined ? null : segmentOf(request, named).slice(0, LONGEST_TARGET).toWellFormed(),
      ...{ reason: reasonOf(request)?.toWellFormed() ?? null, refersTo: null },
      details: await readDetails(detailsOf, request),
    }
    const number = await store.recordAction(action)
    if (action.reason !== null) givenReasons.set(request, action.reason)
    try {
      await handler(request, response, next)
    } catch (error) {
      await recordFailure(number, action)
      throw error
    }
    if (response.statusCode >= 400) await recordFailure(number, action)
  }
}

/** Reads the parameter and removes it from the URL, because handlers refuse unknown parameters. @throws PortariaError `request_invalid` */
function takeReason(request: Request): string | null {
  const mark = request.url.indexOf('?')
  if (mark === -1) return null
  const parts = request.url.slice(mark + 1).split('&')
  const isReason = (part: string) => new URLSearchParams(part).has('reason')
  const taken = parts.filter(isReason)
  if (taken.length === 0) return null
  const { reason } = readQuery(`?${taken.join('&')}`, reasonQuery)
  const left = parts.filter((part) => !isReason(part))
  request.url = request.url.slice(0, mark) + (left.length === 0 ? '' : `?${left.join('&')}`)
  return reason ?? null
}
