import { describe, expect, it } from 'vitest'
import { easterOf, isBusinessDay, isHoliday, nextBusinessDay } from '../../src/rules/business-days.ts'
import { addDays } from '../../src/rules/calendar-date.ts'

/** Another algorithm than that of the code: Oudin, 1940. */
function oudin(year: number): string {
  const floor = Math.floor
  const century = floor(year / 100)
  const golden = year % 19
  let i = (century - floor(century / 4) - floor((century - floor((century - 17) / 25)) / 3) + 19 * golden + 15) % 30
  i -= floor(i / 28) * (1 - floor(1 / (i + 1)) * floor((21 - golden) / 11) * floor(29 / (i + 1)))
  const j = (year + floor(year / 4) + i + 2 - century + floor(century / 4)) % 7
  const l = i - j
  const month = 3 + floor((l + 40) / 44)
  const day = l + 28 - 31 * floor(month / 4)
  return `${year}-0${month}-${String(day).padStart(2, '0')}`
}

function holidaysOf(year: number): string[] {
  const days = Array.from({ length: 366 }, (_, index) => addDays(`${year}-01-01`, index))
  return days.filter((day) => day.startsWith(String(year)) && isHoliday(day)).map((day) => day.slice(5))
}

describe('business days', () => {
  it('Easter is that of another algorithm', () => {
    const years = Array.from({ length: 400 }, (_, index) => 1900 + index)
    expect(years.map(easterOf)).toEqual(years.map(oudin))
  })

  it('holidays are those of the calendar of ANBIMA', () => {
    const before = '01-01 02-20 02-21 04-07 04-21 05-01 06-08 09-07 10-12 11-02 11-15 12-25'
    expect(holidaysOf(2023)).toEqual(before.split(' '))
    const since = '01-01 02-12 02-13 03-29 04-21 05-01 05-30 09-07 10-12 11-02 11-15 11-20 12-25'
    expect(holidaysOf(2024)).toEqual(since.split(' '))
    const later = '01-01 02-08 02-09 03-26 04-21 05-01 05-27 09-07 10-12 11-02 11-15 11-20 12-25'
    expect(holidaysOf(2027)).toEqual(later.split(' '))
  })

  it('20 November is a holiday since 2024', () => {
    expect([isBusinessDay('2023-11-20'), isBusinessDay('2024-11-20')]).toEqual([true, false])
  })

  it('weekends are none, 31 December is one', () => {
    const days = ['2026-03-06', '2026-03-07', '2026-03-08', '2026-03-09', '2026-12-31']
    expect(days.map(isBusinessDay)).toEqual([true, false, false, true, true])
  })

  it('the next business day is the day itself, or the first one after weekend and holidays', () => {
    // Carnival of 2026: Saturday 14 February to Tuesday the 17th.
    const days = ['2026-02-13', '2026-02-14', '2026-02-17', '2026-02-18', '2027-12-31', '2028-01-01']
    expect(days.map(nextBusinessDay)).toEqual([
      ...['2026-02-13', '2026-02-18', '2026-02-18', '2026-02-18', '2027-12-31', '2028-01-03'],
    ])
  })
})
