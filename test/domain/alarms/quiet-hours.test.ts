import { expect, it } from 'vitest'
import { isQuiet, lastEndOf, type QuietHours } from '../../../src/domain/alarms/quiet-hours.ts'

const at = (text: string) => Date.parse(text)
const hours = (from: number, to: number, timeZone: string): QuietHours => ({
  fromMinute: from * 60,
  toMinute: to * 60,
  timeZone,
})
const NIGHT = hours(22, 7, 'America/Sao_Paulo')

it.each([
  ['2026-11-28T21:59:59-03:00', false],
  ['2026-11-28T22:00:00-03:00', true],
  ['2026-11-29T00:30:00-03:00', true],
  ['2026-11-29T06:59:59-03:00', true],
  ['2026-11-29T07:00:00-03:00', false],
])('over midnight: %s is quiet: %s', (time, expected) => {
  expect(isQuiet(NIGHT, at(time))).toBe(expected)
})

it('knows hours of one day, too', () => {
  const lunch = hours(12, 14, 'UTC')
  expect(['11:59', '12:00', '13:59', '14:00'].map((time) => isQuiet(lunch, at(`2026-11-28T${time}:30Z`)))).toEqual([
    false,
    true,
    true,
    false,
  ])
})

it('says when the last ones ended, to the minute; null while they last', () => {
  const end = at('2026-11-28T07:00:00-03:00')
  expect(lastEndOf(NIGHT, end)).toBe(end)
  expect(lastEndOf(NIGHT, at('2026-11-28T21:59:59-03:00'))).toBe(end)
  expect(lastEndOf(NIGHT, at('2026-11-28T06:59:59-03:00'))).toBeNull()
})

it('follows the clocks on the wall where they are changed', () => {
  // Berlin goes from 2:00 to 3:00 on 2026-03-29, and from 3:00 back to 2:00 on 2026-10-25.
  const night = hours(22, 7, 'Europe/Berlin')
  const spring = at('2026-03-29T07:00:00+02:00')
  expect(isQuiet(night, spring - 1)).toBe(true)
  expect(lastEndOf(night, at('2026-03-29T20:00:00+02:00'))).toBe(spring)
  const autumn = at('2026-10-25T07:00:00+01:00')
  expect(isQuiet(night, autumn - 1)).toBe(true)
  expect(lastEndOf(night, at('2026-10-25T20:00:00+01:00'))).toBe(autumn)
})

it('ends where the clocks leave its end out', () => {
  const early = { fromMinute: 23 * 60, toMinute: 150, timeZone: 'Europe/Berlin' }
  // There is no 2:30: the clocks show 3:00 after 1:59.
  expect(isQuiet(early, at('2026-03-29T01:59:59+01:00'))).toBe(true)
  const end = at('2026-03-29T03:00:00+02:00')
  expect(isQuiet(early, end)).toBe(false)
  expect(lastEndOf(early, at('2026-03-29T12:00:00+02:00'))).toBe(end)
})
