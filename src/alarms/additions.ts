import { setTimeout as delay } from 'node:timers/promises'
import { type AlarmFacts, MOST_FACTS } from '../domain/alarms/alarm-facts.ts'
import { type Alarm, type AlarmReason, keyOfAlarm } from '../domain/alarms/alarm.ts'
import type { AlarmAdditions } from './message.ts'

/** Addresses of the page about an alarm, and of the one that mutes it. */
export interface AlarmPages {
  of(alarm: AlarmReason): string
  readonly mute: string
}

/** null: there is nothing to tell beside the reason. */
export type ReadFacts = (alarm: AlarmReason) => Promise<AlarmFacts | null>

/** For all of them together. */
const FACTS_MS = 5000

/** What messages say beside the reasons of these alarms. A store that cannot be read, or not in time, holds no alarm back. */
export async function additionsTo(alarms: readonly Alarm[], readFacts: ReadFacts, pages: AlarmPages | null) {
  const added = new Map<string, AlarmAdditions>()
  const late = delay(FACTS_MS, null, { ref: false })
  for (const alarm of new Map(alarms.map((one) => [keyOfAlarm(one), one])).values()) {
    const reading = added.size < MOST_FACTS ? readFacts(alarm).catch(() => null) : null
    const { waiting = null, oldest = null, lastAnswer = null } = (await Promise.race([reading, late])) ?? {}
    added.set(keyOfAlarm(alarm), { waiting, oldest, lastAnswer, page: pages?.of(alarm) ?? null })
  }
  return added
}
