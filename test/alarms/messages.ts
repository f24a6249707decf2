import { messageOf } from '../../src/alarms/message.ts'
import type { Alarm } from '../../src/domain/alarms/alarm.ts'
import type { Language } from '../../src/messages/languages.ts'
import { NOON } from '../support/builders.ts'

export function anAlarm(changes: Partial<Alarm> = {}): Alarm {
  return {
    code: 'circuit_open',
    subject: 'books',
    severity: 'problem',
    value: null,
    detail: null,
    until: null,
    beganAt: NOON,
    endedAt: null,
    freeAt: NOON,
    told: {},
    ...changes,
  }
}

export function aMessage(
  began: readonly Alarm[] = [anAlarm()],
  ended: readonly Alarm[] = [],
  { language = 'en', timeZone = null }: { language?: Language; timeZone?: string | null } = {},
) {
  const due = { channel: 'team', began, ended, goingOn: [], sumsUp: null }
  return messageOf(due, { language, timeZone, gateway: 'gw-1', now: NOON + 60_000 })
}
