import { describe, expect, it } from 'vitest'
import { billetTermsOf } from '../../src/bills/bill.ts'
import { amountsOn } from '../../src/money/amounts.ts'
import type { BilletBill, BilletTerms } from '../../src/money/billet-terms.ts'
import type { Billet } from '../../src/rules/billet-barcode.ts'
import { buildBilletBarcode, readBillet } from '../../src/rules/billet-barcode.ts'

/** Of 100.00, due on Monday, 9 March 2026. */
function billet(terms: Partial<BilletTerms>, dueDate: string | null = '2026-03-09'): BilletBill {
  const barcode = buildBilletBarcode({ bank: 237, amountCents: 10_000, dueDate, freeField: '1'.repeat(25) })
  const digits = readBillet(barcode) as Billet
  return { kind: 'billet', digits, dueDate, terms: { ...billetTermsOf(digits, dueDate), ...terms }, charge: null }
}
const on = (day: string, terms: Partial<BilletTerms>, dueDate?: string | null) => amountsOn(billet(terms, dueDate), day)

describe('a billet that was paid in full', () => {
  const fine = { type: 'percentage', value: 200 } as const
  const interest = { type: 'currency', value: 10 } as const
  const discount = { type: 'currency', value: 1_500, until: '2026-03-05' } as const
  const partial = { maxPayments: 9 }

  it.each([
    ['on its due date', [{ cents: 10_000, day: '2026-03-09' }]],
    ['early, with the discount', [{ cents: 8_500, day: '2026-03-05' }]],
    ['late, with the fine and the interest of the day', [{ cents: 10_210, day: '2026-03-10' }]],
    [
      'in parts',
      [
        { cents: 4_000, day: '2026-03-09' },
        { cents: 6_130, day: '2026-03-10' },
      ],
    ],
    [
      'in parts, the later one asked for first',
      [
        { cents: 6_130, day: '2026-03-10' },
        { cents: 4_000, day: '2026-03-09' },
      ],
    ],
  ])('costs nothing on any day: %s', (_when, paid) => {
    const bill = billet({ fine, interest, discount, partial })
    const later = ['2026-03-10', '2026-03-11', '2027-03-09'].map((day) => amountsOn(bill, day, paid))
    expect(later).toEqual(Array(3).fill({ original: 10_000, abatement: 0, fine: 0, interest: 0, discount: 0, due: 0 }))
  })

  it('in part costs fine and interest of what was open at the due date', () => {
    const bill = billet({ fine, interest: { type: 'percentage', value: 300 }, partial })
    const paid = [
      { cents: 4_000, day: '2026-03-09' },
      { cents: 1_000, day: '2026-03-10' },
    ]
    expect(amountsOn(bill, '2026-03-19', paid)).toMatchObject({ fine: 120, interest: 60, due: 5_180 })
    // Of a due date at the weekend, the first business day is still in time.
    const atWeekend = { ...bill, dueDate: '2026-03-07' }
    expect(amountsOn(atWeekend, '2026-03-17', paid)).toMatchObject({ fine: 120, interest: 60, due: 5_180 })
  })
})

describe('the amount of a billet', () => {
  it('is its own without terms, on every day', () => {
    const amounts = { original: 10_000, abatement: 0, fine: 0, interest: 0, discount: 0, due: 10_000 }
    expect([on('2026-03-01', {}), on('2030-01-01', {})]).toEqual([amounts, amounts])
  })

  it('has a fine from the day after the due date on, the same on every day', () => {
    const fine = { type: 'currency', value: 150 } as const
    const due = (day: string) => on(day, { fine }).fine
    expect(['2026-03-09', '2026-03-10', '2026-06-10'].map(due)).toEqual([0, 150, 150])
    expect(on('2026-03-10', { fine: { type: 'percentage', value: 200 } }).due).toBe(10_200)
  })

  it('has interest for each day after the due date: cents a day, or a percentage for 30 days', () => {
    const daily = { type: 'currency', value: 3 } as const
    expect(['2026-03-09', '2026-03-10', '2026-03-19'].map((day) => on(day, { interest: daily }).interest)).toEqual([
      0, 3, 30,
    ])
    const monthly = { type: 'percentage', value: 100 } as const
    expect(['2026-03-10', '2026-04-08'].map((day) => on(day, { interest: monthly }).interest)).toEqual([3, 100])
  })

  it('has neither on the first business day after a due date at the weekend, and then interest from the due date', () => {
    const terms = { fine: { type: 'currency', value: 100 }, interest: { type: 'currency', value: 10 } } as const
    const amounts = ['2026-03-07', '2026-03-09', '2026-03-10'].map((day) => on(day, terms, '2026-03-07'))
    expect(amounts.map(({ fine, interest }) => [fine, interest])).toEqual([
      ...[
        [0, 0],
        [0, 0],
      ],
      [100, 30],
    ])
  })

  it('has no fine and no interest without a due date', () => {
    const terms = { fine: { type: 'currency', value: 100 }, interest: { type: 'currency', value: 10 } } as const
    expect(on('2040-01-01', terms, null).due).toBe(10_000)
  })

  it('has its discount up to and on its last day', () => {
    const discount = { type: 'percentage', value: 1_500, until: '2026-03-05' } as const
    expect(['2026-03-04', '2026-03-05', '2026-03-06'].map((day) => on(day, { discount }).due)).toEqual([
      8_500, 8_500, 10_000,
    ])
    const large = { type: 'currency', value: 20_000, until: '2026-03-05' } as const
    expect(on('2026-03-05', { discount: large }).due).toBe(0)
  })

  it('is reduced by the abatement, to which the percentages do not refer', () => {
    const amounts = on('2026-03-10', { abatement: 1_000, fine: { type: 'percentage', value: 200 } })
    expect([amounts.abatement, amounts.fine, amounts.due]).toEqual([1_000, 180, 9_180])
    expect(on('2026-03-02', { abatement: 20_000 })).toMatchObject({ abatement: 10_000, due: 0 })
  })
})
