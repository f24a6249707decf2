import { describe, expect, it } from 'vitest'
import { type AlarmState, entriesBetween, stateOf } from '../../../src/domain/alarms/alarm.ts'
import { NOON } from '../../support/builders.ts'
import type { StoreUnderTest } from './store-contract.ts'

const EMPTY: AlarmState = { alarms: [], mutes: [], channels: [] }

const STATE: AlarmState = {
  alarms: [
    {
      code: 'circuit_open',
      subject: 'books',
      severity: 'warning',
      value: null,
      detail: null,
      until: null,
      beganAt: NOON,
      endedAt: null,
      freeAt: NOON,
      told: { team: 'began' },
    },
  ],
  mutes: [
    {
      id: 'mut_0123456789',
      code: 'quarantine_waiting',
      subject: null,
      mutedAt: NOON,
      until: NOON + 1,
      mutedBy: 'operator',
      note: 'holidays',
    },
  ],
  channels: [{ name: 'team', failingSince: NOON, error: { code: 'webhook_failing', words: '500' }, summedUpAt: NOON }],
}

/** What every Store promises about alarms. */
export function describeAlarms(name: string, createStoreUnderTest: () => StoreUnderTest): void {
  describe(`${name}: alarms`, () => {
    it('keeps entries over a restart, changes and removes those that are written again, and leaves the others', async () => {
      const underTest = createStoreUnderTest()
      const store = await underTest.open()
      expect(await store.listAlarmEntries()).toEqual([])
      await store.keepAlarmEntries(entriesBetween(EMPTY, STATE))
      await store.close()

      const reopened = await underTest.reopen()
      expect(stateOf(await reopened.listAlarmEntries())).toEqual(STATE)
      const [alarm] = STATE.alarms
      const ended = { ...STATE, alarms: [{ ...alarm, endedAt: NOON + 9 } as typeof alarm & object], mutes: [] }
      const entries = entriesBetween(STATE, ended)
      expect(entries.map(({ record, value }) => [record, value === null])).toEqual([
        ['alarm', false],
        ['mute', true],
      ])
      await reopened.keepAlarmEntries(entries)
      expect(stateOf(await reopened.listAlarmEntries())).toEqual(ended)
    })
  })
}
