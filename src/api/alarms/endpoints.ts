import { type AlarmMute, muteEntry, stateOf } from '../../domain/alarms/alarm.ts'
import type { AlarmPlan, AlarmSource } from '../../domain/alarms/alarm-source.ts'
import { clientOf } from '../../domain/client.ts'
import { newMuteId } from '../../domain/public-id.ts'
import type { Store } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'
import { parseTime, TIME_FORMS } from '../../platform/time.ts'
import { membersOf } from '../audit/details.ts'
import { endpoint, segmentOf } from '../http/endpoint.ts'
import { optionalBody, requiredBody } from '../http/json-body.ts'
import { alarmsSchema, alarmTestRequestSchema, alarmTestSchema, createdMuteSchema, newMuteSchema } from './schema.ts'
import { alarmsView, muteView, testView } from './view.ts'

export interface AlarmEndpointsOptions {
  readonly store: Pick<Store, 'listAlarmEntries' | 'keepAlarmEntries'>
  readonly alarms: AlarmSource
  readonly now: () => number
}

const common = { tag: 'Operations', errors: 'problem' } as const
const MOST_MUTES = 100
const LONGEST_MS = 366 * 86_400_000

export function alarmEndpoints(options: AlarmEndpointsOptions) {
  return {
    listAlarms: listAlarms(options),
    testAlarms: testAlarms(options),
    muteAlarms: muteAlarms(options),
    unmuteAlarms: unmuteAlarms(options),
  }
}

function listAlarms({ store, alarms, now }: AlarmEndpointsOptions) {
  return endpoint({
    ...common,
    method: 'get',
    path: '/v1/alarms',
    access: ['operations.read'],
    summary: 'List alarms, channels and mutes',
    description: 'Reasons of the overview as the channels of the section `alarms` know them, a few seconds old.',
    answers: { 200: { description: 'Alarms.', schema: alarmsSchema } },
    run: async () => ({ json: alarmsView(stateOf(await store.listAlarmEntries()), alarms.plan(), now()) }),
  })
}

function testAlarms({ alarms }: AlarmEndpointsOptions) {
  return endpoint({
    ...common,
    method: 'post',
    path: '/v1/alarms/test',
    access: ['operations.write'],
    takesTurn: false,
    summary: 'Test channels of alarms',
    description:
      'This node sends a test message now, by every channel at the same time. It takes at most 20 s. A success ends the failure of a channel.',
    body: optionalBody(alarmTestRequestSchema, { what: 'the request for a test', example: { channel: 'team' } }),
    details: ({ body }) => membersOf(body, ['channel']),
    answers: {
      200: { description: 'What came of it, also where nothing was sent.', schema: alarmTestSchema },
      404: { description: 'There is no such channel.' },
      409: { description: 'No channel is configured, or no gateway runs.' },
    },
    async run({ body }) {
      const names = requirePlan(alarms).channels.map(({ name }) => name)
      if (alarms.test === null) throw new PortariaError('conflict', 'no gateway runs that could send: start it')
      if (body.channel !== undefined && !names.includes(body.channel))
        throw new PortariaError('not_found', `there is no channel ${shown(body.channel)}: ${names.join(', ')}`)
      return { json: testView(await alarms.test(body.channel === undefined ? names : [body.channel])) }
    },
  })
}

function muteAlarms({ store, alarms, now }: AlarmEndpointsOptions) {
  return endpoint({
    ...common,
    method: 'post',
    path: '/v1/alarms/mutes',
    access: ['operations.write'],
    summary: 'Mute alarms for a time',
    description:
      'Nothing is sent of these alarms until then, on every node; what is still open at that time is sent. The overview shows them nevertheless.',
    body: requiredBody(newMuteSchema, {
      what: 'the mute',
      example: { code: 'circuit_open', subject: 'books', until: '2026-03-02T18:00:00Z', note: 'maintenance' },
    }),
    details: ({ body }) => membersOf(body, ['code', 'subject', 'until']),
    answers: {
      201: { description: 'The mute.', schema: createdMuteSchema },
      409: { description: 'No channel is configured, or there are too many mutes.' },
    },
    async run(call) {
      requirePlan(alarms)
      const { code, subject = null, note = null } = call.body
      if (code === 'all' && subject !== null)
        throw new PortariaError('request_invalid', 'a subject needs a code: write the one of its alarm, or no subject')
      const until = untilOf(call.body.until, now())
      const { mutes } = stateOf(await store.listAlarmEntries())
      if (mutes.filter((one) => one.until > now()).length >= MOST_MUTES)
        throw new PortariaError('conflict', `there are ${MOST_MUTES} mutes already: end one, or mute a whole code`)
      const mute: AlarmMute = {
        id: newMuteId(),
        code: code === 'all' ? null : code,
        subject,
        mutedAt: now(),
        until,
        mutedBy: clientOf(call),
        note,
      }
      await store.keepAlarmEntries([muteEntry(mute)])
      return { status: 201, json: muteView(mute) }
    },
  })
}

function unmuteAlarms({ store, alarms, now }: AlarmEndpointsOptions) {
  return endpoint({
    ...common,
    method: 'delete',
    path: '/v1/alarms/mutes/:id',
    access: ['operations.write'],
    segments: { id: 'The mute.' },
    summary: 'End a mute',
    description: 'What it has held back and is still open is sent.',
    answers: { 204: { description: 'It is ended.' } },
    async run(call) {
      const id = segmentOf(call, 'id')
      const { mutes } = stateOf(await store.listAlarmEntries())
      const mute = mutes.find((one) => one.id === id && one.until > now())
      if (mute === undefined) throw new PortariaError('not_found', `there is no mute ${shown(id)}, or it has ended`)
      // The look that finds it over frees what it held back, and removes it.
      await store.keepAlarmEntries([muteEntry({ ...mute, until: now() })])
      alarms.wake()
      return { status: 204 }
    },
  })
}

/** @throws PortariaError `conflict` */
function requirePlan(alarms: AlarmSource): AlarmPlan {
  const plan = alarms.plan()
  if (plan !== null && plan.channels.length > 0) return plan
  throw new PortariaError('conflict', 'no channel is configured: write one into the section alarms, and reload')
}

/** @throws PortariaError `request_invalid` */
function untilOf(text: string, now: number): number {
  const until = parseTime(text)
  const problem =
    until === null
      ? `must be ${TIME_FORMS}`
      : until <= now
        ? 'must be in the future'
        : until > now + LONGEST_MS && 'must be at most a year from now'
  if (until !== null && problem === false) return until
  const words = String(problem)
  throw new PortariaError('request_invalid', `until ${words}`, { violations: [{ pointer: '/until', words }] })
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 64))
}
