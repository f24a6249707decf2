import { describe, expect, it } from 'vitest'
import { addDays, dateOfDay, dayNumberOf } from '../../src/rules/calendar-date.ts'
import { dueDateOf, dueFactorOf } from '../../src/rules/due-factor.ts'

describe('the factor of a date', () => {
  it.each([
    // FEBRABAN's manual of the due factor, 2012-06-01.
    ['2000-07-03', 1000],
    ['2000-07-04', 1001],
    ['2012-04-27', 5316],
    ['2025-02-20', 9998],
    ['2025-02-21', 9999],
    // The second cycle, and the third.
    ['2025-02-22', 1000],
    ['2025-02-23', 1001],
    ['2049-10-13', 9999],
    ['2049-10-14', 1000],
  ])('%s is %i', (date, factor) => {
    expect(dueFactorOf(date)).toBe(factor)
  })

  it('rises by 1 a day and begins again at 1000 after 9999, for 60 years', () => {
    const first = dayNumberOf('2000-07-03')
    const factors = Array.from({ length: 22_000 }, (_, day) => dueFactorOf(dateOfDay(first + day)))
    expect(factors).toEqual(factors.map((_, day) => 1000 + (day % 9000)))
  })

  it('before 2000-07-03 there is none', () => {
    expect(() => dueFactorOf('2000-07-02')).toThrow(
      new RangeError('2000-07-02 has no due factor: the first one is that of 2000-07-03.'),
    )
  })
})

describe('the date of a factor', () => {
  const on = (date: string) => ({ kind: 'date', date })

  it.each([
    [1000, '2000-07-03', '2000-07-03'],
    [9999, '2025-02-21', '2025-02-21'],
    [1000, '2025-02-21', '2025-02-22'],
    [9999, '2025-02-22', '2025-02-21'],
    [1000, '2026-11-22', '2025-02-22'],
    [9624, '2026-11-22', '2024-02-12'],
    [1001, '2049-10-14', '2049-10-15'],
  ])('%i on %s is %s', (factor, today, date) => {
    expect(dueDateOf(factor, today)).toEqual(on(date))
  })

  it.each([
    '2000-07-03',
    '2012-06-01',
    '2017-02-01',
    '2025-02-21',
    '2025-02-22',
    '2026-11-22',
    '2041-01-01',
    '2060-02-29',
  ])('of all 9000 factors on %s is the one from 3000 days before to 5500 days after, or none', (today) => {
    const expected = new Map<number, string>()
    for (let day = -3000; day <= 5500; day++) {
      const date = addDays(today, day)
      if (date >= '2000-07-03') expected.set(dueFactorOf(date), date)
    }
    const factors = Array.from({ length: 9000 }, (_, i) => 1000 + i)
    const dates = factors.map((factor) => {
      const due = dueDateOf(factor, today)
      return `${factor} ${due.kind === 'date' ? due.date : due.kind}`
    })
    expect(dates).toEqual(factors.map((factor) => `${factor} ${expected.get(factor) ?? 'outOfRange'}`))
    expect(expected.size).toBe(today < '2009-01-01' ? 5501 : 8501)
  })

  it('is 3000 days ago still, and 3001 days ago no longer', () => {
    const factor = dueFactorOf('2026-01-01')
    expect(dueDateOf(factor, addDays('2026-01-01', 3000))).toEqual(on('2026-01-01'))
    expect(dueDateOf(factor, addDays('2026-01-01', 3001))).toEqual({ kind: 'outOfRange' })
  })

  it('is 5500 days ahead already, and 5501 days ahead not yet', () => {
    const factor = dueFactorOf('2041-01-01')
    expect(dueDateOf(factor, addDays('2041-01-01', -5500))).toEqual(on('2041-01-01'))
    expect(dueDateOf(factor, addDays('2041-01-01', -5501))).toEqual({ kind: 'outOfRange' })
  })

  it.each([0, 1, 500, 999])('%i, below 1000, is no due date', (factor) => {
    expect(dueDateOf(factor, '2026-11-22')).toEqual({ kind: 'none' })
  })
})
