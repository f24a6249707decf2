import { z } from 'zod'
import { REPLAY_MODES, REPLAY_STATES, type ReplayFilter, type ReplayMode } from '../../domain/replay.ts'
import { eventFilterFrom, eventFilterSchema } from '../events/filter-schema.ts'
import { idBehind, limit, oneOf } from '../http/query.ts'
import { clientIdSchema, numbered, pageOf, time } from '../http/schema-parts.ts'
import { checkBody } from '../http/violations.ts'

const MODE_WORDS =
  'all: every event that matches; failed: those whose delivery was exhausted or canceled; missing: those that were never delivered, failed ones and those that were never owed'

/** The body of `POST /v1/replays`. */
export const newReplaySchema = z
  .strictObject({
    destination: z.string().describe('Name or id of the destination'),
    mode: z
      .enum(REPLAY_MODES, { error: `one of ${REPLAY_MODES.join(', ')}` })
      .default('missing')
      .describe(MODE_WORDS),
    filter: eventFilterSchema.default({}).describe('Without kinds: all that the destination wants'),
    dryRun: z.boolean('true or false').default(false).describe('Only count'),
  })
  .meta({ id: 'NewReplay' })

const count = z.int().min(0)
const wished = {
  destination: numbered('dst'),
  destinationName: z.string(),
  mode: z.enum(REPLAY_MODES),
  filter: eventFilterSchema,
  matched: count.describe('How many events there were to deliver when they were counted'),
}

export const replayCountSchema = z
  .strictObject(wished)
  .meta({ id: 'ReplayCount', description: 'What a replay would deliver.' })

export const replaySchema = z
  .strictObject({
    id: numbered('rpl'),
    ...wished,
    state: z
      .enum(REPLAY_STATES)
      .describe('done: everything is owed, though some of it may still wait; failed: its destination was removed'),
    reason: z.string().nullable().describe('Why it failed; null: it did not'),
    owed: count.describe('How many events it has made owed so far'),
    waiting: count.describe('So many of them are not delivered yet'),
    position: z.string().describe('A cursor: events up to here are owed, or need not be'),
    askedBy: clientIdSchema.nullable().describe('null: the operator'),
    createdAt: time,
    endedAt: time.nullable(),
  })
  .meta({ id: 'Replay', description: 'Events that are delivered once more.' })

export const replayPageSchema = pageOf(
  'ReplayPage',
  replaySchema,
  numbered('rpl').nullable().describe('Pass it as after; null: there is no replay yet'),
)

export interface AskedReplay {
  readonly destination: string
  readonly mode: ReplayMode
  readonly filter: ReplayFilter
  readonly dryRun: boolean
}

/** @throws PortariaError `request_invalid` with every violation */
export function parseReplay(body: unknown): AskedReplay {
  const { filter, ...asked } = checkBody(newReplaySchema, body, { what: 'the replay' })
  return { ...asked, filter: eventFilterFrom(filter) }
}

export const replayQuerySchema = z.strictObject({
  after: idBehind('rpl'),
  limit,
  state: oneOf(REPLAY_STATES, 'Only replays in this state.'),
})
