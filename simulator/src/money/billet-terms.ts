import type { Billet } from '../rules/billet-barcode.ts'
import type { CalendarDate } from '../rules/calendar-date.ts'

/** currency: in cents. percentage: in hundredths of a percent. */
export interface Rate {
  readonly type: 'currency' | 'percentage'
  readonly value: number
}

/** What the service knows of every bill beside its digits. */
export interface TaxTerms {
  /** The service does not know this barcode, as if the issuer had not registered it. */
  readonly unknown: boolean
  /** false: the issuer withdrew it. */
  readonly payable: boolean
}

/** What the interbank registry knows of a billet. Amounts in cents. */
export interface BilletTerms extends TaxTerms {
  readonly beneficiary: { readonly name: string; readonly tradeName: string; readonly document: string }
  readonly payer: { readonly name: string; readonly document: string }
  /** The last day on which it can be paid. */
  readonly payableUntil: CalendarDate
  /** Taken off in every case. */
  readonly abatement: number
  /** Once, when it is paid late. */
  readonly fine: Rate | null
  /** For each day that it is late: cents a day, or a percentage a month of 30 days. */
  readonly interest: Rate | null
  /** Up to and on a day. */
  readonly discount: (Rate & { readonly until: CalendarDate }) | null
  /** Other amounts than the one that is due are accepted within these bounds. */
  readonly divergent: { readonly min: number; readonly max: number } | null
  readonly partial: { readonly maxPayments: number } | null
}

/** The charge of a billet, as the payment interface knows it. */
export interface BilledCharge {
  readonly id: number
  /** Why it takes no payment; null: it does. */
  readonly obstacle: 'paid' | 'withdrawn' | null
}

export interface BilletBill {
  readonly kind: 'billet'
  readonly digits: Billet
  /** null: the digits name no date, or one that is out of range today. */
  readonly dueDate: CalendarDate | null
  readonly terms: BilletTerms
  /** null: it is no billet of a charge. */
  readonly charge: BilledCharge | null
}
