import type { z } from 'zod'
import type { Payment } from '../money/payment.ts'
import { localDateTime } from '../rules/local-time.ts'
import type { createdSchema, paymentSchema } from './schema.ts'

/** A payment as endpoint 10 answers. Until its execution `data.pagamento` is the day on which it will be made. */
export function createdView(payment: Payment, zone: string): z.output<typeof createdSchema> {
  const { executedAt, day } = payment
  return {
    idPagamento: String(payment.id),
    valorPago: payment.amountCents,
    status: payment.status,
    data: {
      solicitacao: localDateTime(payment.requestedAt, zone),
      pagamento: executedAt === null ? `${day} 00:00:00` : localDateTime(executedAt, zone),
    },
  }
}

/** A payment as endpoint 11 shows it; one that was not made has members of its own (service-errors.md, also seen). */
export function paymentView(payment: Payment, zone: string): z.output<typeof paymentSchema> {
  const view = { ...createdView(payment, zone), motivoRecusa: payment.reason }
  if (payment.status !== 'NAO_REALIZADO') return view
  return {
    ...view,
    codBarras: payment.barcode,
    linhaDigitavel: payment.typeableLine,
    retornoBancario: payment.reason ?? '',
    protocolo: null,
    descricao: payment.description,
    horario: { solicitacao: view.data.solicitacao },
  }
}
