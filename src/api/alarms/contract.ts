import { contracts } from '../http/contract.ts'
import { alarmsSchema, alarmTestRequestSchema, alarmTestSchema, createdMuteSchema, newMuteSchema } from './schema.ts'

const common = { tag: 'Operations', errors: 'problem' } as const

export const ALARM_READS = contracts({
  listAlarms: {
    ...common,
    method: 'get',
    path: '/v1/alarms',
    access: ['operations.read'],
    summary: 'List alarms, channels and mutes',
    description: 'Reasons of the overview as the channels of the section `alarms` know them, a few seconds old.',
    answers: { 200: { description: 'Alarms.', schema: alarmsSchema } },
  },
})

export const ALARM_CHANGES = contracts({
  testAlarms: {
    ...common,
    method: 'post',
    path: '/v1/alarms/test',
    access: ['operations.write'],
    takesTurn: false,
    summary: 'Test channels of alarms',
    action: 'test channels of alarms',
    description:
      'This node sends a test message now, by every channel at the same time. It takes at most 20 s. A success ends the failure of a channel.',
    body: {
      schema: alarmTestRequestSchema,
      what: 'the request for a test',
      example: { channel: 'team' },
      isOptional: true,
    },
    details: ['channel'],
    answers: {
      200: { description: 'What came of it, also where nothing was sent.', schema: alarmTestSchema },
      404: { description: 'There is no such channel.' },
      409: { description: 'No channel is configured, or no gateway runs.' },
    },
  },
  muteAlarms: {
    ...common,
    method: 'post',
    path: '/v1/alarms/mutes',
    access: ['operations.write'],
    summary: 'Mute alarms for a time',
    action: 'mute alarms',
    description:
      'Nothing is sent of these alarms until then, on every node; what is still open at that time is sent. The overview shows them nevertheless.',
    body: {
      schema: newMuteSchema,
      what: 'the mute',
      example: { code: 'circuit_open', subject: 'books', until: '2026-03-02T18:00:00Z', note: 'maintenance' },
    },
    details: ['code', 'subject', 'until'],
    answers: {
      201: { description: 'The mute.', schema: createdMuteSchema },
      409: { description: 'No channel is configured, or there are too many mutes.' },
    },
  },
  unmuteAlarms: {
    ...common,
    method: 'delete',
    path: '/v1/alarms/mutes/:id',
    access: ['operations.write'],
    segments: { id: 'The mute.' },
    summary: 'End a mute',
    action: 'end a mute of alarms',
    description: 'What it has held back and is still open is sent.',
    answers: { 204: { description: 'It is ended.' } },
  },
})
