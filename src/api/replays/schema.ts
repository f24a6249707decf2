import { z } from 'zod'
import { EVENTS_OF_REPLAY, REPLAY_MODES, REPLAY_STATES } from '../../domain/replay.ts'
import { eventFilterSchema } from '../events/filter-schema.ts'
import { idBehind, limit, oneOf, order } from '../http/query.ts'
import { clientIdSchema, eventIdSchema, numbered, pageOf, time } from '../http/schema-parts.ts'

const replayFilterSchema = eventFilterSchema
  .extend({
    events: z
      .array(eventIdSchema)
      .min(1, 'must name at least one event')
      .max(EVENTS_OF_REPLAY)
      .optional()
      .describe('Only these events, of those that the other members select'),
  })
  .meta({ id: 'ReplayFilter', description: 'Selects events of a replay; omitted members select all.' })

const MODE_WORDS =
  'all: every matching event; failed: events with an exhausted or canceled delivery; missing: events never delivered, failed ones included'

/** The body of `POST /v1/replays`. */
export const newReplaySchema = z
  .strictObject({
    destination: z.string().describe('Name or id of the destination'),
    mode: z
      .enum(REPLAY_MODES, { error: `one of ${REPLAY_MODES.join(', ')}` })
      .default('missing')
      .describe(MODE_WORDS),
    filter: replayFilterSchema.default({}).describe('Default without kinds: every kind of the destination'),
    dryRun: z.boolean('true or false').default(false).describe('Only count'),
  })
  .meta({ id: 'NewReplay' })

const count = z.int().min(0)
const selection = {
  destination: numbered('dst'),
  destinationName: z.string(),
  mode: z.enum(REPLAY_MODES),
  filter: replayFilterSchema,
  matched: count.describe('Number of matching events at the time of the count'),
  leftOut: count.describe(
    'Number of events that match, too, but were left out then: their delivery still waited, or an attempt at it was not recorded yet',
  ),
}

export const replayCountSchema = z
  .strictObject(selection)
  .meta({ id: 'ReplayCount', description: 'What a replay would deliver.' })

export const replaySchema = z
  .strictObject({
    id: numbered('rpl'),
    ...selection,
    state: z
      .enum(REPLAY_STATES)
      .describe('done: every delivery was created, and some may still be pending; failed: the destination was removed'),
    reason: z.string().nullable().describe('Why the replay failed; null: it did not'),
    created: count.describe('Number of deliveries created so far'),
    waiting: count.describe('Number of these deliveries that are pending'),
    position: z.string().describe('A cursor: every event up to it is processed'),
    askedBy: clientIdSchema.nullable().describe('null: the operator'),
    createdAt: time,
    endedAt: time.nullable(),
  })
  .meta({ id: 'Replay', description: 'A replay of many events to one destination.' })

export const canceledReplaySchema = replaySchema
  .extend({ underWay: count.describe('Number of its deliveries whose attempts had begun: they may still arrive') })
  .meta({ id: 'CanceledReplay', description: 'A replay that was canceled.' })

export const replayPageSchema = pageOf(
  'ReplayPage',
  replaySchema,
  numbered('rpl').nullable().describe('Pass it as `after`; null: no replays exist yet'),
)

export const replayQuerySchema = z.strictObject({
  after: idBehind('rpl'),
  limit,
  state: oneOf(REPLAY_STATES, 'Only replays in this state.'),
  order,
})
