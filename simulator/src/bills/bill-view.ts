import type { z } from 'zod'
import type { Paid } from '../money/amounts.ts'
import type { BilletBill } from '../money/billet-terms.ts'
import type { CalendarDate } from '../rules/calendar-date.ts'
import { bankNameOf } from './bank-names.ts'
import type { Bill, TaxBill } from './bill.ts'
import { chargedOn, offerOf } from './payable.ts'
import { type billetSchema, ON_PRESENTATION, type taxSchema } from './schema.ts'

/** A bill as endpoint 9 shows it. @param day on which it would be paid now @param paid as `offerOf` takes them */
export function viewOf(bill: Bill, day: CalendarDate, paid: readonly Paid[]) {
  return bill.kind === 'billet' ? billetView(bill, day, paid) : taxView(bill)
}

function billetView(bill: BilletBill, day: CalendarDate, paid: readonly Paid[]): z.output<typeof billetSchema> {
  const { digits, terms } = bill
  const amounts = chargedOn(bill, day, paid)
  const { bounds, obstacle } = offerOf(bill, day, paid)
  const { beneficiary, payer, partial } = terms
  return {
    tipo: 'boleto',
    banco: { codigo: digits.bank, nome: bankNameOf(digits.bank) },
    codBarras: digits.barcode,
    linhaDigitavel: digits.typeableLine,
    datas: { vencimento: dueDateText(bill), limitePagamento: `${terms.payableUntil} 00:00:00` },
    beneficiario: { nome: beneficiary.name, fantasia: beneficiary.tradeName, documento: beneficiary.document },
    pagador: { nome: payer.name, documento: payer.document },
    valores: {
      original: amounts.original,
      abatimento: amounts.abatement,
      multa: amounts.fine,
      juros: amounts.interest,
      desconto: amounts.discount,
      final: amounts.due,
    },
    informacoesPagamento: {
      divergente: {
        deveAceitar: terms.divergent !== null,
        valorMinimo: bounds.min,
        valorMaximo: bounds.max,
      },
      parcial: { deveAceitar: partial !== null, limiteDePagamentos: partial?.maxPayments ?? 0 },
      podeSerPago: obstacle === null,
    },
  }
}

function taxView(bill: TaxBill): z.output<typeof taxSchema> {
  const { barcode, typeableLine, amountCents } = bill.digits
  const amount = amountCents ?? 0
  return {
    tipo: 'tributo',
    banco: null,
    codBarras: barcode,
    linhaDigitavel: typeableLine,
    datas: { vencimento: dueDateText(bill), limitePagamento: null },
    beneficiario: null,
    pagador: null,
    sacadorAvalista: null,
    valores: { original: amount, abatimento: null, pago: null, final: amount },
    informacoesPagamento: null,
  }
}

function dueDateText({ dueDate }: Bill): string {
  return dueDate === null ? ON_PRESENTATION : `${dueDate} 00:00:00`
}
