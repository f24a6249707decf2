import { z } from 'zod'
import { NOTICE_CODES } from '../../domain/alarms/alarm.ts'
import { CHANNEL_KINDS } from '../../domain/alarms/alarm-source.ts'
import { ALARM_FAILURE_CODES } from '../../domain/alarms/failure.ts'
import { SEND_STATES } from '../../domain/alarms/send-state.ts'
import { REASON_CODES } from '../../domain/overview/reasons.ts'
import { STANDINGS } from '../../domain/whereabouts.ts'
import { TIME_FORMS } from '../../platform/time.ts'
import { reasonSchema } from '../audit/recording.ts'
import { time } from '../http/schema-parts.ts'

export const ALARM_CODES = [...REASON_CODES, ...NOTICE_CODES] as const

const failureSchema = z
  .strictObject({
    code: z.enum(ALARM_FAILURE_CODES).describe('Stable'),
    text: z.string(),
    nextStep: z.string().describe('What to do'),
    words: z.string().nullable().describe('Of the receiver or of the system, as they came; null: none'),
  })
  .meta({ id: 'AlarmFailure', description: 'Why a message was not sent.' })

const channelName = z.string().describe('The channel, as the configuration names it')

const muteSchema = z
  .strictObject({
    id: z.string().regex(/^mut_[0-9a-z]{10}$/),
    code: z.enum([...ALARM_CODES, 'all']).describe('all: every alarm'),
    subject: z.string().nullable().describe('null: every subject of the code'),
    mutedAt: time,
    until: time,
    by: z.string().describe("operator, or a client's id"),
    note: z.string().nullable(),
  })
  .meta({ id: 'AlarmMute', description: 'Nothing is sent of these alarms for a time.' })

const alarmSchema = z
  .strictObject({
    code: z.enum(ALARM_CODES).describe('As in the overview; or an operator event that no reason of it tells'),
    subject: z.string().nullable().describe('What it is about; null: the gateway'),
    severity: z.enum(['problem', 'warning']),
    text: z.string(),
    detail: z.string().nullable().describe('As in the overview'),
    value: z.number().nullable().describe('When it began: as in the overview'),
    until: z.string().nullable().describe('As in the overview'),
    nextStep: z.string().describe('What to do'),
    beganAt: time,
    endedAt: time.nullable().describe('It is over, and a channel has still to send that; null: it goes on'),
    waiting: z
      .strictObject({
        payments: z.int().describe('Those with an amount, each once'),
        amount: z.string().describe('The sum of their newest amounts, in reais'),
        others: z.int().describe('Without an amount'),
        more: z.boolean().describe('Of more than 1,000 events, only the newest are counted'),
      })
      .nullable()
      .describe('What waits for the destination now; null: nothing, or it is about no destination'),
    oldest: z
      .strictObject({ standing: z.enum(STANDINGS), status: z.int().nullable().describe('HTTP') })
      .nullable()
      .describe('Where the oldest delivery is that does not arrive; null: there is none'),
    lastAnswer: z
      .strictObject({ status: z.int().nullable(), error: z.string().nullable(), at: time })
      .nullable()
      .describe('Of the latest attempt of a delivery that failed; null: none is known'),
    muted: z.string().nullable().describe('The mute that holds it back, the longest one; null: none'),
    channels: z.array(
      z.strictObject({
        name: channelName,
        state: z
          .enum(SEND_STATES)
          .describe(
            'waiting: in a moment; quiet: at the end of the quiet hours; failing: tried again for a day; given_up: not sent within it; left_out: its own failure',
          ),
      }),
    ),
  })
  .meta({ id: 'Alarm', description: 'A reason of the overview since it began, until every channel has sent its end.' })

export const alarmsSchema = z
  .strictObject({
    configured: z.boolean().describe('The configuration has the section `alarms`'),
    heartbeat: z.boolean(),
    quiet: z.boolean().describe('Quiet hours, now: only what loses callbacks is sent'),
    channels: z.array(
      z
        .strictObject({
          name: channelName,
          kind: z.enum(CHANNEL_KINDS),
          failingSince: time.nullable().describe('null: its last message was sent, or there was none'),
          error: failureSchema.nullable(),
        })
        .meta({ id: 'AlarmChannel' }),
    ),
    alarms: z.array(alarmSchema).describe('In the order of their beginnings'),
    mutes: z.array(muteSchema),
  })
  .meta({ id: 'Alarms', description: 'Alarms, what each channel has sent of them, and mutes.' })

export const alarmTestRequestSchema = z
  .strictObject({ channel: channelName.optional().describe('Only this channel; left out: every one') })
  .meta({ id: 'AlarmTestRequest' })

export const alarmTestSchema = z
  .strictObject({
    channels: z.array(
      z.strictObject({
        name: channelName,
        sent: z.boolean(),
        error: failureSchema.nullable().describe('null: the message was sent'),
      }),
    ),
  })
  .meta({ id: 'AlarmTest', description: 'What came of the test of each channel.' })

export const newMuteSchema = z
  .strictObject({
    code: z
      .enum([...ALARM_CODES, 'all'])
      .describe('Which alarms; all: every one, also those by which callbacks are lost'),
    subject: z.string().min(1).max(500).optional().describe('Only of this subject; left out: of every one'),
    until: z.string().describe(`In the future, at most a year: ${TIME_FORMS}`),
    note: reasonSchema.optional().describe('Why, for all who see the mute. No personal data.'),
  })
  .meta({ id: 'NewAlarmMute' })

export const createdMuteSchema = muteSchema
