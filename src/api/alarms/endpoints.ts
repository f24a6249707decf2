import { type AlarmMute, muteEntry, stateOf } from '../../domain/alarms/alarm.ts'
import { readKeptFacts } from '../../domain/alarms/alarm-facts.ts'
import type { AlarmPlan, AlarmSource } from '../../domain/alarms/alarm-source.ts'
import { clientOf } from '../../domain/client.ts'
import { newMuteId } from '../../domain/public-id.ts'
import type { Store } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { parseTime, TIME_FORMS } from '../../platform/time.ts'
import type { Handlers } from '../http/contract.ts'
import { segmentOf } from '../http/endpoint.ts'
import { served } from '../http/served.ts'
import { ALARM_CHANGES, ALARM_READS } from './contract.ts'
import { alarmsView, muteView, testView } from './view.ts'

export interface AlarmReadParts {
  readonly store: Pick<
    Store,
    'listAlarmEntries' | 'listDestinations' | 'listEvents' | 'listDeliveries' | 'listAttempts'
  >
  readonly alarms: Pick<AlarmSource, 'plan'>
  readonly now: () => number
}

export interface AlarmParts extends AlarmReadParts {
  readonly store: AlarmReadParts['store'] & Pick<Store, 'keepAlarmEntries'>
  readonly alarms: AlarmSource
}

const MOST_MUTES = 100
const LONGEST_MS = 366 * 86_400_000

const READS: Handlers<typeof ALARM_READS, AlarmReadParts> = {
  async listAlarms(_call, { store, alarms, now }) {
    const state = stateOf(await store.listAlarmEntries())
    const facts = await readKeptFacts(store, state.alarms)
    return { json: alarmsView(state, { plan: alarms.plan(), facts, now: now() }) }
  },
}

const CHANGES: Handlers<typeof ALARM_CHANGES, AlarmParts> = {
  async testAlarms({ body }, { alarms }) {
    const names = requirePlan(alarms).channels.map(({ name }) => name)
    if (alarms.test === null) throw new PortariaError('conflict', say`no gateway runs that could send: start it`)
    if (body.channel !== undefined && !names.includes(body.channel))
      throw new PortariaError(
        'not_found',
        say`there is no channel ${{ id: shown(body.channel) }}: ${{ names: names.join(', ') }}`,
      )
    return { json: testView(await alarms.test(body.channel === undefined ? names : [body.channel])) }
  },
  async muteAlarms(call, { store, alarms, now }) {
    requirePlan(alarms)
    const { code, subject = null, note = null } = call.body
    if (code === 'all' && subject !== null)
      throw new PortariaError('request_invalid', say`a subject needs a code: write the one of its alarm, or no subject`)
    const until = untilOf(call.body.until, now())
    const { mutes } = stateOf(await store.listAlarmEntries())
    if (mutes.filter((one) => one.until > now()).length >= MOST_MUTES)
      throw new PortariaError(
        'conflict',
        say`there are ${{ most: MOST_MUTES }} mutes already: end one, or mute a whole code`,
      )
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
  async unmuteAlarms(call, { store, alarms, now }) {
    const id = segmentOf(call, 'id')
    const { mutes } = stateOf(await store.listAlarmEntries())
    const mute = mutes.find((one) => one.id === id && one.until > now())
    if (mute === undefined)
      throw new PortariaError('not_found', say`there is no mute ${{ id: shown(id) }}, or it has ended`)
    // The look that finds it over frees what it held back, and removes it.
    await store.keepAlarmEntries([muteEntry({ ...mute, until: now() })])
    alarms.wake()
    return { status: 204 }
  },
}

export function alarmEndpoints(parts: AlarmParts) {
  return { ...alarmReads(parts), ...served(ALARM_CHANGES, CHANGES, parts) }
}

export function alarmReads(parts: AlarmReadParts) {
  return served(ALARM_READS, READS, parts)
}

/** @throws PortariaError `conflict` */
function requirePlan(alarms: AlarmSource): AlarmPlan {
  const plan = alarms.plan()
  if (plan !== null && plan.channels.length > 0) return plan
  throw new PortariaError('conflict', say`no channel is configured: write one into the section alarms, and reload`)
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
  throw new PortariaError('request_invalid', say`until ${{ words }}`, { violations: [{ pointer: '/until', words }] })
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 64))
}
