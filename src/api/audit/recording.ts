import { z } from 'zod'
import { type ActionChannel, LONGEST_REASON, LONGEST_TARGET, type NewAction } from '../../domain/actions/action.ts'
import { clientOf } from '../../domain/client.ts'
import { numberedId } from '../../domain/public-id.ts'
import type { Store } from '../../domain/store.ts'
import { messageOf } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { type Call, type Endpoint, segmentOf } from '../http/endpoint.ts'
import type { Operation } from '../http/operation.ts'
import { checkQuery } from '../http/query.ts'
import { readDetails, withPerson } from './details.ts'

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
 * The operation with every use recorded before it is performed. It takes the query parameter `reason`, which the endpoint gets as the call's reason. What
 * fails is recorded a second time, before the answer. A use that cannot be recorded is not performed: 503.
 */
export function recorded(operation: Operation, options: RecordingOptions): Operation {
  if (!isRecorded(operation)) return operation
  const { query } = operation
  return {
    ...operation,
    ...(isReasonInQuery(operation) && { query: query === undefined ? reasonQuery : withReasonOf(query) }),
    perform: performRecorded(operation, options),
  }
}

const extended = new WeakMap<z.ZodObject, z.ZodObject>()

/** Made once for every API of a process. */
function withReasonOf(query: z.ZodObject): z.ZodObject {
  const known = extended.get(query) ?? query.extend(reasonQuery.shape)
  extended.set(query, known)
  return known
}

function isReasonInQuery({ recording }: Endpoint): boolean {
  return recording === undefined || recording === 'off'
}

/** The reason of a call, and the query without it. Without other parameters an unknown one is refused: `?dryRun=true` must not start a replay. */
function withReason({ recording, query }: Endpoint, call: Call): Call {
  if (recording !== undefined && recording !== 'off') return { ...call, reason: recording.reasonOf(call) }
  const given = call.query as Readonly<Record<string, unknown>>
  const { reason, ...others } = given
  const named = Object.hasOwn(given, 'reason') ? { reason } : {}
  const checked = checkQuery(reasonQuery, query === undefined ? given : named)
  return { ...call, query: others, reason: checked.reason ?? null }
}

function performRecorded(operation: Operation, { store, now, channel, log }: RecordingOptions): Operation['perform'] {
  const { id, segments = {}, perform } = operation
  const [named] = Object.keys(segments)

  async function recordFailure(refersTo: number, action: NewAction): Promise<void> {
    try {
      await store.recordAction({ ...action, at: now(), refersTo })
    } catch (error) {
      log.warn({ action: numberedId('act', refersTo), endpoint: id, error: messageOf(error) }, 'action.outcome_lost')
    }
  }

  return async function performAndRecord(given) {
    const call = withReason(operation, given)
    const action: NewAction = {
      at: now(),
      actor: clientOf(call),
      channel,
      action: id,
      target: named === undefined ? null : segmentOf(call, named).slice(0, LONGEST_TARGET).toWellFormed(),
      reason: call.reason?.toWellFormed() ?? null,
      refersTo: null,
      details: withPerson(await readDetails(operation, call), call),
    }
    const number = await store.recordAction(action)
    try {
      return await perform(call)
    } catch (error) {
      await recordFailure(number, action)
      throw error
    }
  }
}
