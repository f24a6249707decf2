import { describe, expect, it } from 'vitest'
import { firstPaymentDay, type PaymentRequest, paymentDayOf } from '../../src/rules/cut-offs.ts'
import { instantOf } from '../../src/rules/local-time.ts'

const ZONE = 'America/Sao_Paulo'
/** A Monday. */
const MONDAY = '2026-03-02'

function at(time: string, request: Partial<PaymentRequest> = {}) {
  const now = instantOf(MONDAY, time, ZONE)
  return paymentDayOf({ kind: 'billet', amountCents: 100, date: MONDAY, now, zone: ZONE, ...request })
}
const today = { outcome: 'today', date: MONDAY }

describe('the cut-off of the same day, whose second still belongs to the time before it', () => {
  it.each([
    ['a billet', {}, '22:00:00', '22:00:01'],
    ['a billet of exactly 249000.00', { amountCents: 24_900_000 }, '22:00:00', '22:00:01'],
    ['a billet above 249000.00', { amountCents: 24_900_001 }, '14:00:00', '14:00:01'],
    ['a utility or tax', { kind: 'tax' as const }, '18:00:00', '18:00:01'],
    ['a large tax', { kind: 'tax' as const, amountCents: 24_900_001 }, '18:00:00', '18:00:01'],
  ])('of %s', (_what, request, last, after) => {
    expect([at(last, request), at(after, request)]).toEqual([today, { outcome: 'afterCutOff', cutOff: last }])
  })

  it('decides the first day on which a bill can be asked to be paid', () => {
    const asked = { kind: 'billet', amountCents: 100, zone: ZONE } as const
    const days = ['22:00:00', '22:00:01'].map((time) =>
      firstPaymentDay({ ...asked, now: instantOf(MONDAY, time, ZONE) }),
    )
    expect(days).toEqual([MONDAY, '2026-03-03'])
  })

  it('includes the fractions of its second', () => {
    const now = instantOf(MONDAY, '22:00:00', ZONE) + 999
    expect([at('00:00:00', { now }), at('00:00:00', { now: now + 1 }).outcome]).toEqual([today, 'afterCutOff'])
  })

  it('is local time of the zone', () => {
    const now = Date.parse('2026-03-02T20:59:59Z')
    const outcomes = [ZONE, 'UTC'].map((zone) => at('00:00:00', { kind: 'tax', now, zone }).outcome)
    expect(outcomes).toEqual(['today', 'afterCutOff'])
  })
})

describe('the day of payment', () => {
  it('is not before today', () => {
    expect(at('00:00:00', { date: '2026-03-01' })).toEqual({ outcome: 'past' })
  })

  it('after the cut-off the next business day is accepted', () => {
    expect(at('23:59:59', { kind: 'tax', date: '2026-03-03' })).toEqual({ outcome: 'scheduled', date: '2026-03-03' })
  })

  it('that is no business day means the next one', () => {
    expect(at('12:00:00', { date: '2026-03-07' })).toEqual({ outcome: 'scheduled', date: '2026-03-09' })
    expect(at('12:00:00', { date: '2026-04-03' })).toEqual({ outcome: 'scheduled', date: '2026-04-06' })
  })

  it('on a Sunday has no cut-off: what is asked for today is paid on Monday', () => {
    const now = instantOf('2026-03-01', '23:30:00', ZONE)
    expect(at('00:00:00', { now, date: '2026-03-01' })).toEqual({ outcome: 'scheduled', date: MONDAY })
  })
})
