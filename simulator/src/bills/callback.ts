import type { Payment, PaymentStatus } from '../money/payment.ts'
import { localDate } from '../rules/local-time.ts'
import { decimalOf } from '../rules/money.ts'
import type { Site } from '../site.ts'

/** The body of a payment callback (service-decisions.md, payment callback). Its amount has decimals, although the API takes cents. */
export function callbackOf({ settings }: Site, payment: Payment, previous: PaymentStatus): string {
  const { settledAt, executedAt, protocol, reason } = payment
  return JSON.stringify({
    identificador: String(payment.id),
    status: { anterior: previous, atual: payment.status },
    valor: decimalOf(payment.amountCents),
    horario: {
      solicitacao: new Date(payment.requestedAt).toISOString(),
      ...(settledAt !== null && { liquidacao: new Date(settledAt).toISOString() }),
    },
    [settings.webhooks.paymentExtras]: {
      ...(protocol !== null && { protocolo: protocol }),
      codigoBarras: payment.barcode,
      linhaDigitavel: payment.typeableLine,
      dataExecucao: executedAt === null ? payment.day : localDate(executedAt, settings.timeZone),
      ...(reason !== null && { motivoRecusa: reason }),
    },
  })
}
