import { describe, expect, it } from 'vitest'
import { endOfDay, instantOf, localDate, localDateTime } from '../../src/rules/local-time.ts'

const SAO_PAULO = 'America/Sao_Paulo'
const at = (text: string) => Date.parse(text)

describe('local time', () => {
  it('is that of the zone, midnight being 00:00:00', () => {
    expect(localDateTime(at('2026-03-02T02:59:59.999Z'), SAO_PAULO)).toBe('2026-03-01 23:59:59')
    expect(localDateTime(at('2026-03-02T03:00:00Z'), SAO_PAULO)).toBe('2026-03-02 00:00:00')
    expect(localDate(at('2026-03-02T02:59:59Z'), SAO_PAULO)).toBe('2026-03-01')
    expect(localDateTime(at('2026-07-01T00:00:00Z'), 'Asia/Kathmandu')).toBe('2026-07-01 05:45:00')
  })

  it('has years of four digits', () => {
    expect(localDateTime(at('0001-01-02T12:00:00Z'), 'UTC')).toBe('0001-01-02 12:00:00')
  })

  it('is turned back into its instant, in winter, in summer and before 1970', () => {
    for (const zone of [SAO_PAULO, 'Europe/Berlin', 'Asia/Kathmandu', 'UTC', 'Pacific/Kiritimati'])
      for (const text of [
        '0001-01-02T00:00:00Z',
        '0999-06-01T12:00:00Z',
        '1969-12-31T23:59:59Z',
        '2018-12-24T12:34:56Z',
        '2026-03-02T03:00:00Z',
        '2026-07-01T00:00:00Z',
      ]) {
        const [date = '', time = ''] = localDateTime(at(text), zone).split(' ')
        expect([zone, instantOf(date, time, zone)]).toEqual([zone, at(text)])
      }
  })

  it('ends a day at the first instant of the next one', () => {
    expect(endOfDay('2026-03-02', SAO_PAULO)).toBe(at('2026-03-03T03:00:00Z'))
    // Daylight saving time began at midnight: the next day had no 00:00:00.
    expect(endOfDay('2018-11-03', SAO_PAULO)).toBe(at('2018-11-04T03:00:00Z'))
    expect(endOfDay('0001-01-01', 'UTC')).toBe(at('0001-01-02T00:00:00Z'))
    expect(endOfDay('9999-12-31', SAO_PAULO)).toBeGreaterThan(at('9999-12-31T23:59:59Z'))
  })

  it('of a repeated time the first instant counts, and a time that is left out is later', () => {
    expect(instantOf('2026-10-25', '02:30:00', 'Europe/Berlin')).toBe(at('2026-10-25T00:30:00Z'))
    expect(instantOf('2026-03-29', '02:30:00', 'Europe/Berlin')).toBe(at('2026-03-29T01:30:00Z'))
    // Daylight saving time began at midnight: this day had no 00:00:00.
    expect(instantOf('2018-11-04', '00:00:00', SAO_PAULO)).toBe(at('2018-11-04T03:00:00Z'))
  })
})
