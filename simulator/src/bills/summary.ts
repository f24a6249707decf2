import type { z } from 'zod'
import { type PaymentStatus, paymentsOf } from '../money/payment.ts'
import type { CalendarDate } from '../rules/calendar-date.ts'
import { localDate } from '../rules/local-time.ts'
import type { Site } from '../site.ts'
import type { summarySchema } from './schema.ts'

type Group = 'processando' | 'sucesso' | 'falha' | 'cancelada'

const GROUPS: Readonly<Record<PaymentStatus, Group>> = {
  CRIADO: 'processando',
  AGENDADO: 'processando',
  EM_PROCESSAMENTO: 'processando',
  EXECUTADO: 'processando',
  LIQUIDADO: 'sucesso',
  NAO_REALIZADO: 'falha',
  CANCELADO: 'cancelada',
}

/** Counts of the payments that an account requested in a period, by local date; both ends belong to it. */
export function summaryOf(
  site: Site,
  account: string,
  first: CalendarDate,
  last: CalendarDate,
): z.output<typeof summarySchema> {
  const own = paymentsOf(site)
    .list()
    .filter((payment) => {
      const day = localDate(payment.requestedAt, site.settings.timeZone)
      return payment.account === account && day >= first && day <= last
    })
  const count = (group: Group) => own.filter(({ status }) => GROUPS[status] === group).length
  return {
    datas: { inicial: first, final: last },
    solicitacoes: {
      total: own.length,
      processando: count('processando'),
      sucesso: count('sucesso'),
      falha: count('falha'),
      cancelada: count('cancelada'),
    },
    solicitacoesFalhas: own.filter(({ status }) => GROUPS[status] === 'falha').map(({ id }) => id),
  }
}
