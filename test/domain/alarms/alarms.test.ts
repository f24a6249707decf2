import { describe, expect, it } from 'vitest'
import {
  type AlarmMute,
  type AlarmReason,
  type AlarmState,
  entriesBetween,
  keyOfAlarm,
  stateOf,
} from '../../../src/domain/alarms/alarm.ts'
import { afterLook } from '../../../src/domain/alarms/changes.ts'
import { afterFailed, afterSent, dueMessage, withoutEmptySums } from '../../../src/domain/alarms/due.ts'
import { noticeOf, withNotices } from '../../../src/domain/alarms/notices.ts'
import type { QuietHours } from '../../../src/domain/alarms/quiet-hours.ts'
import { unjudgedAfter } from '../../../src/domain/alarms/unjudged.ts'
import { NOON } from '../../support/builders.ts'

const HOUR = 3_600_000
const GROUP = 30_000

function reason(code: AlarmReason['code'], subject = '', changes: Partial<AlarmReason> = {}): AlarmReason {
  return { code, subject, severity: 'problem', value: null, detail: null, until: null, ...changes }
}

const OPEN = reason('circuit_open', 'books')

/** Alarms as the runner has them, with a clock and a store of texts that the test turns. */
function createAlarms(channels: readonly string[] = ['team'], quietHours: QuietHours | null = null) {
  let state: AlarmState = { alarms: [], mutes: [], channels: [] }
  let now = NOON
  const failing = new Set<string>()
  const rules = { groupMs: GROUP, quietHours }
  return {
    failing,
    get state() {
      return state
    },
    change(next: (state: AlarmState, now: number) => AlarmState) {
      state = next(state, now)
    },
    /** What is sent after so long, where these are the reasons: the codes by `+`, `-` and `=` for what began, ended and goes on. */
    look(afterMs: number, reasons: readonly AlarmReason[], isWhole = true, unknown = ''): string[] {
      now += afterMs
      // As over a restart.
      state = stateOf(entriesBetween({ alarms: [], mutes: [], channels: [] }, state))
      state = afterLook(state, { reasons, isWhole, isUnknown: (one) => keyOfAlarm(one) === unknown, channels, now })
      state = withoutEmptySums(state, rules, now)
      return channels.flatMap((name) => {
        const channel = state.channels.find((one) => one.name === name)
        const message = channel && dueMessage(state, channel, rules, now)
        if (!message) return []
        if (failing.has(name)) {
          const failed = afterFailed(state, message, {
            error: { code: 'webhook_failing', words: '500' },
            now,
            quietHours,
          })
          state = failed.state
          return failed.givenUp.map((one) => `${name} gives up ${keyOfAlarm(one)}`)
        }
        state = afterSent(state, message)
        const texts = (sign: string, list: typeof message.began) =>
          list.map((one) => `${sign}${keyOfAlarm(one).trim()}`)
        const all = [...texts('+', message.began), ...texts('-', message.ended), ...texts('=', message.goingOn)]
        return [`${name}: ${all.join(', ')}`]
      })
    },
  }
}

describe('what is sent', () => {
  it('is what began, once, and what ended, once', () => {
    const alarms = createAlarms()
    expect(alarms.look(0, [OPEN])).toEqual([])
    expect(alarms.look(GROUP, [OPEN])).toEqual(['team: +circuit_open books'])
    expect(alarms.look(HOUR, [OPEN])).toEqual([])
    expect(alarms.look(HOUR, [])).toEqual([])
    expect(alarms.look(GROUP, [])).toEqual(['team: -circuit_open books'])
    expect(alarms.look(HOUR, [])).toEqual([])
    expect(alarms.state.alarms).toEqual([])
  })

  it('is together what changes within the time of a group', () => {
    const alarms = createAlarms()
    alarms.look(0, [OPEN])
    alarms.look(GROUP - 1, [OPEN, reason('space_short')])
    expect(alarms.look(1, [OPEN, reason('space_short')])).toEqual(['team: +circuit_open books, +space_short'])
  })

  it('is nothing of a reason that is over, or back, before the group was sent', () => {
    const alarms = createAlarms()
    alarms.look(0, [OPEN])
    alarms.look(10, [])
    expect(alarms.look(GROUP, [])).toEqual([])
    alarms.look(0, [OPEN])
    alarms.look(GROUP, [OPEN])
    alarms.look(HOUR, [])
    alarms.look(GROUP - 1, [OPEN])
    expect(alarms.look(HOUR, [OPEN])).toEqual([])
  })

  it('of which nothing is known since the start is not over', () => {
    const alarms = createAlarms()
    const failing = reason('service_failing', 'payment (production)')
    alarms.look(0, [failing])
    expect(alarms.look(GROUP, [failing])).toHaveLength(1)
    alarms.look(HOUR, [], true, keyOfAlarm(failing))
    expect(alarms.look(GROUP, [failing])).toEqual([])
    alarms.look(HOUR, [], true, 'service_failing payment (sandbox)')
    expect(alarms.look(GROUP, [])).toHaveLength(1)
  })

  it('is no end where the reasons could not be read', () => {
    const alarms = createAlarms()
    alarms.look(0, [OPEN])
    alarms.look(GROUP, [OPEN])
    alarms.look(HOUR, [], false)
    expect(alarms.look(HOUR, [], false)).toEqual([])
    alarms.look(0, [])
    expect(alarms.look(GROUP, [])).toEqual(['team: -circuit_open books'])
  })
})

describe('a channel that fails', () => {
  it('sends everything once it works, but never what ended meanwhile', () => {
    const alarms = createAlarms()
    alarms.failing.add('team')
    alarms.look(0, [OPEN, reason('space_short')])
    alarms.look(GROUP, [OPEN, reason('space_short')])
    expect(alarms.state.channels).toMatchObject([
      { failingSince: NOON + GROUP, error: { code: 'webhook_failing', words: '500' } },
    ])
    alarms.look(HOUR, [OPEN])
    alarms.failing.clear()
    expect(alarms.look(HOUR, [OPEN])).toEqual(['team: +circuit_open books'])
    expect(alarms.state.channels).toMatchObject([{ failingSince: null, error: null }])
  })

  it('is given up for an alarm after a day, and for its end', () => {
    const alarms = createAlarms()
    alarms.failing.add('team')
    alarms.look(0, [OPEN])
    expect(alarms.look(24 * HOUR, [OPEN])).toEqual([])
    expect(alarms.look(1, [OPEN])).toEqual(['team gives up circuit_open books'])
    alarms.failing.clear()
    expect(alarms.look(HOUR, [OPEN])).toEqual([])
    alarms.look(HOUR, [])
    expect(alarms.look(GROUP, [])).toEqual([])
  })

  it('is a reason that the others send, and does not send its own failure', () => {
    const alarms = createAlarms(['team', 'mail'])
    const own = reason('alarm_failing', 'team')
    alarms.failing.add('team')
    alarms.look(0, [OPEN])
    expect(alarms.look(GROUP, [OPEN])).toEqual(['mail: +circuit_open books'])
    alarms.look(1, [OPEN, own])
    expect(alarms.look(GROUP, [OPEN, own])).toEqual(['mail: +alarm_failing team'])
    alarms.failing.clear()
    expect(alarms.look(1, [OPEN, own])).toEqual(['team: +circuit_open books'])
    expect(alarms.look(HOUR, [OPEN, own])).toEqual([])
    alarms.look(1, [OPEN])
    expect(alarms.look(GROUP, [OPEN])).toEqual(['mail: -alarm_failing team'])
  })
})

describe('quiet hours', () => {
  // NOON is 12:00 UTC.
  const QUIET = { fromMinute: 13 * 60, toMinute: 15 * 60, timeZone: 'UTC' }
  const untilThree = (time: number) => NOON + 3 * HOUR - time

  it('hold back all but what loses callbacks, and end with one message of what is open', () => {
    const alarms = createAlarms(['team'], QUIET)
    const before = reason('destination_paused', 'app')
    alarms.look(0, [before])
    expect(alarms.look(GROUP, [before])).toEqual(['team: +destination_paused app'])
    const losing = reason('callbacks_failing')
    alarms.look(HOUR, [before, OPEN, losing, reason('search_behind')])
    expect(alarms.look(GROUP, [before, OPEN, losing])).toEqual(['team: +callbacks_failing'])
    alarms.look(0, [before, OPEN])
    expect(alarms.look(GROUP, [before, OPEN])).toEqual(['team: -callbacks_failing'])
    const passed = HOUR + 3 * GROUP
    expect(alarms.look(untilThree(NOON + passed + 1), [before, OPEN])).toEqual([])
    expect(alarms.look(1, [before, OPEN])).toEqual(['team: +circuit_open books, =destination_paused app'])
    expect(alarms.look(HOUR, [before, OPEN])).toEqual([])
  })

  it('end without a message where nothing is open; what begins later is grouped as ever', () => {
    const alarms = createAlarms(['team'], QUIET)
    alarms.look(0, [])
    alarms.look(2 * HOUR, [OPEN])
    alarms.look(60_000, [])
    expect(alarms.look(2 * HOUR, [])).toEqual([])
    expect(alarms.look(1, [OPEN])).toEqual([])
    expect(alarms.look(GROUP, [OPEN])).toEqual(['team: +circuit_open books'])
  })
})

describe('a mute', () => {
  const mutedFor = (which: Pick<AlarmMute, 'code' | 'subject'>, ms: number) => (state: AlarmState, now: number) => ({
    ...state,
    mutes: [...state.mutes, { id: 'mut_1', ...which, mutedAt: now, until: now + ms, mutedBy: 'operator', note: null }],
  })
  const ONE = { code: OPEN.code, subject: 'books' }

  it.each([ONE, { ...ONE, subject: null }, { code: null, subject: null }])(
    'holds an alarm back until it ends: %j',
    (which) => {
      const alarms = createAlarms()
      alarms.change(mutedFor(which, 48 * HOUR))
      const other = reason('circuit_open', 'app')
      alarms.look(0, [OPEN, other])
      expect(alarms.look(GROUP, [OPEN, other])).toEqual(which === ONE ? ['team: +circuit_open app'] : [])
      expect(alarms.look(48 * HOUR, [OPEN])).toEqual([])
      expect(alarms.state.mutes).toEqual([])
      expect(alarms.look(GROUP, [OPEN]).join()).toContain('+circuit_open books')
    },
  )

  it('that is ended early frees what it held back, which is tried for a day again', () => {
    const alarms = createAlarms()
    alarms.change(mutedFor(ONE, 72 * HOUR))
    alarms.look(0, [OPEN])
    expect(alarms.look(48 * HOUR, [OPEN])).toEqual([])
    alarms.change((state, now) => ({ ...state, mutes: state.mutes.map((one) => ({ ...one, until: now })) }))
    alarms.failing.add('team')
    expect(alarms.look(0, [OPEN])).toEqual([])
    expect(alarms.look(GROUP, [OPEN])).toEqual([])
    alarms.failing.clear()
    expect(alarms.look(GROUP, [OPEN])).toEqual(['team: +circuit_open books'])
    expect(alarms.state.mutes).toEqual([])
  })

  it('sends nothing of what began and ended meanwhile, and at its end that what was sent before is over', () => {
    const alarms = createAlarms()
    alarms.look(0, [OPEN])
    alarms.look(GROUP, [OPEN])
    alarms.change(mutedFor({ code: null, subject: null }, HOUR))
    const other = reason('space_out')
    alarms.look(0, [other])
    expect(alarms.look(GROUP, [])).toEqual([])
    expect(alarms.look(HOUR, [])).toEqual([])
    expect(alarms.look(GROUP, [])).toEqual(['team: -circuit_open books'])
  })
})

describe('operator events', () => {
  const event = (body: object) => ({ body: JSON.stringify(body), madeAt: NOON })
  const silent = event({ type: 'expected.silent', kind: 'payment', environment: 'production', subject: 'E123' })

  it('of expected subjects are counted by kind, without the subject of any payment', () => {
    const alarms = createAlarms()
    const notice = noticeOf(silent) as AlarmReason
    expect(JSON.stringify(notice)).not.toContain('E123')
    alarms.change((state, now) => withNotices(state, [notice, notice], now))
    alarms.change((state, now) => withNotices(state, [notice], now))
    expect(alarms.state.alarms).toMatchObject([{ subject: 'payment (production)', value: 3 }])
    alarms.look(0, [])
    expect(alarms.look(GROUP, [])).toEqual(['team: +subjects_silent payment (production)'])
    expect(alarms.look(HOUR, [])).toEqual([])
    expect(alarms.state.alarms).toEqual([])
  })

  it('that the overview tells, too, are none of their own', () => {
    expect(noticeOf(event({ type: 'service.outage' }))).toBeNull()
    const expiring = { type: 'certificate.expiring', set: 'server', where: 'a.crt' }
    const warned = (days: number) =>
      noticeOf(event({ ...expiring, notAfter: new Date(NOON + days * 24 * HOUR).toISOString() }))
    expect(warned(-1)).toBeNull()
    const notice = warned(5) as AlarmReason
    expect(notice).toMatchObject({ code: 'certificate_warning', subject: 'server: a.crt', value: 5 })
    const alarms = createAlarms()
    alarms.change((state, now) => withNotices(state, [notice], now))
    const own = reason('certificate_expiring', 'server: a.crt')
    alarms.look(0, [own])
    expect(alarms.look(GROUP, [own])).toEqual(['team: +certificate_expiring server: a.crt'])
    alarms.change((state, now) => withNotices(state, [notice], now))
    expect(alarms.look(GROUP, [own])).toEqual(['team: +certificate_warning server: a.crt'])
  })
})

it.each([
  ['certificate_expiring', 'api-client: api', 0, true],
  ['certificate_expired', 'service-server: pix.example, production', HOUR - 1, true],
  ['certificate_expired', 'api-client: api', HOUR, false],
  ['certificate_expiring', 'server: server.crt', 0, false],
  ['circuit_open', 'api-client: api', 0, false],
] as const)('whether %s %s cannot be judged %i ms after the start', (code, subject, runningMs, isUnjudged) => {
  expect(unjudgedAfter(runningMs, { service: [] })({ code, subject })).toBe(isUnjudged)
})
