import fc from 'fast-check'
import { expect, it } from 'vitest'
import { billetTermsOf } from '../../src/bills/bill.ts'
import { chargedOn, obstacleTo, offerOf } from '../../src/bills/payable.ts'
import type { Paid } from '../../src/money/amounts.ts'
import type { BilletBill, BilletTerms } from '../../src/money/billet-terms.ts'
import { type Billet, buildBilletBarcode, readBillet } from '../../src/rules/billet-barcode.ts'

const DUE = '2026-03-09'

function billet(amountCents: number, terms: Partial<BilletTerms>): BilletBill {
  const barcode = buildBilletBarcode({ bank: 237, amountCents, dueDate: DUE, freeField: '1'.repeat(25) })
  const digits = readBillet(barcode) as Billet
  return { kind: 'billet', digits, dueDate: DUE, terms: { ...billetTermsOf(digits, DUE), ...terms }, charge: null }
}

/** The amounts that are accepted one after the other. */
function accepted(bill: BilletBill, amounts: readonly number[]): number[] {
  const paid: Paid[] = []
  for (const cents of amounts) if (obstacleTo(offerOf(bill, DUE, paid), cents) === null) paid.push({ cents, day: DUE })
  return paid.map(({ cents }) => cents)
}

const amounts = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 12 })

it('partial payments are never more than the amount, nor more than the limit', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 5 }), amounts, (total, most, tried) => {
      const paid = accepted(billet(total, { partial: { maxPayments: most } }), tried)
      const sum = paid.reduce((all, one) => all + one, 0)
      expect(sum).toBeLessThanOrEqual(total)
      expect(paid.length).toBeLessThanOrEqual(most)
      // An amount that still fits was accepted when it was tried.
      if (tried.length > 0 && paid.length < most)
        expect(tried.some((one) => one <= total - sum && !paid.includes(one))).toBe(false)
    }),
  )
})

it('without partial payments there is one at most, of the amount or within the bounds', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 60 }), amounts, (total, min, tried) => {
      const bounds = { min, max: min + 10 }
      const isGood = (one: number) => one === total || (one >= min && one <= min + 10)
      const good = tried.filter(isGood)
      expect(accepted(billet(total, { divergent: bounds }), tried)).toEqual(good.slice(0, 1))
      expect(accepted(billet(total, {}), tried)).toEqual(tried.filter((one) => one === total).slice(0, 1))
    }),
  )
})

it('without partial payments an amount within the bounds pays in full: nothing is due on any day', () => {
  const fine = { type: 'percentage', value: 200 } as const
  const interest = { type: 'currency', value: 10 } as const
  const bill = billet(10_000, { fine, interest, divergent: { min: 5_000, max: 20_000 } })
  const paid = [{ cents: 5_000, day: DUE }]
  for (const day of [DUE, '2026-03-10', '2027-03-09']) {
    expect(chargedOn(bill, day, paid)).toMatchObject({ original: 10_000, fine: 0, interest: 0, due: 0 })
    expect(offerOf(bill, day, paid)).toMatchObject({ dueCents: 0, obstacle: 'paid' })
  }
})
