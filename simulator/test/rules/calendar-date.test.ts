import { expect, it } from 'vitest'
import {
  addDays,
  addMonths,
  dateOfDay,
  dayNumberOf,
  isCalendarDate,
  laterBy,
  weekdayOf,
} from '../../src/rules/calendar-date.ts'

it.each(['2026-01-31', '2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'])(
  '%s is a day of the calendar',
  (date) => {
    expect(isCalendarDate(date)).toBe(true)
    expect(dateOfDay(dayNumberOf(date))).toBe(date)
  },
)

it.each([
  '2026-02-29',
  '1900-02-29',
  '2026-13-01',
  '2026-00-10',
  '2026-04-31',
  '2026-1-1',
  '2026-01-01T00:00',
  '26-01-01',
  '',
])('%j is no day of the calendar', (text) => {
  expect(isCalendarDate(text)).toBe(false)
  expect(() => dayNumberOf(text)).toThrow(RangeError)
})

it('days are added over the ends of months and years', () => {
  expect([addDays('2024-02-28', 1), addDays('2026-12-31', 1), addDays('2026-03-01', -1)]).toEqual([
    '2024-02-29',
    '2027-01-01',
    '2026-02-28',
  ])
})

it('weekdays count from Sunday', () => {
  expect(['2026-11-22', '2026-11-23', '2026-11-28'].map(weekdayOf)).toEqual([0, 1, 6])
})

it('the same day of another month is its last day where that month is too short', () => {
  const moved = [addMonths('2026-03-31', -1), addMonths('2024-02-29', 12), addMonths('2026-11-15', 2)]
  expect([...moved, addMonths('2026-08-31', -6)]).toEqual(['2026-02-28', '2025-02-28', '2027-01-15', '2026-02-28'])
})

it('a date some months later is at the latest the last day of the calendar', () => {
  const later = [
    laterBy('2026-01-31', 1),
    laterBy('9999-01-15', 11),
    laterBy('9999-01-15', 12),
    laterBy('9999-12-31', 1),
  ]
  expect(later).toEqual(['2026-02-28', '9999-12-15', '9999-12-31', '9999-12-31'])
})
