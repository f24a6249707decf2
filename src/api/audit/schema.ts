import { z } from 'zod'
import { ACTION_CHANNELS } from '../../domain/actions/action.ts'
import { EVENT_ORDERS } from '../../domain/event.ts'
import { cursor, instant, limit, oneOf, text } from '../http/query.ts'
import { fingerprint, numbered, pageOf, time } from '../http/schema-parts.ts'

export const actionSchema = z
  .strictObject({
    id: numbered('act'),
    at: time,
    actor: z
      .string()
      .describe('Id of the client, of a person who signed in at an OpenID provider (per_…), or operator'),
    actorName: z
      .string()
      .nullable()
      .describe('Name of the client or the person; null: the operator, or a client that is not known here'),
    channel: z
      .enum(ACTION_CHANNELS)
      .describe(
        'page: from a page of the gateway; api: over the API listener; control: by a command on the control socket',
      ),
    action: z.string().describe('operationId of the endpoint, such as pauseDestination'),
    target: z.string().nullable().describe('The object as the path names it; null: the path names none'),
    reason: z.string().nullable(),
    details: z
      .record(z.string(), z.string())
      .nullable()
      .describe(
        'What was created or changed, for whom and with which scopes, as the request says; null: nothing. Of a person of an OpenID provider also person (the name), issuer and sub',
      ),
    refersTo: numbered('act')
      .nullable()
      .describe(
        'The action that this entry says has failed; null: this entry is the action, recorded before it was performed',
      ),
    hash: fingerprint.describe('SHA-256 over the entry and the hash of the one before it'),
  })
  .meta({ id: 'Action', description: 'Something that a person or an app changed, or saw of masked data.' })

export const actionPageSchema = pageOf('ActionPage', actionSchema, z.string().describe('A cursor: pass it as `after`'))

export const actionQuerySchema = z.strictObject({
  after: cursor,
  limit,
  actor: text('Only actions of this client, by its id, or of operator.'),
  action: text('Only this action: the operationId of an endpoint, such as pauseDestination.'),
  target: text('Only actions upon this object, as their paths named it.'),
  from: instant('Only actions at or after this time.'),
  to: instant('Only actions before this time.'),
  order: oneOf(EVENT_ORDERS, 'asc: oldest first (default). desc: newest first; default of `after`: the newest entry.'),
})
