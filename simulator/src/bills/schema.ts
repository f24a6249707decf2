import { z } from 'zod'
import { PAYMENT_STATUSES } from '../money/payment.ts'
import { isCalendarDate } from '../rules/calendar-date.ts'

const cents = z.int().min(0)
const timestamp = z.string().regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/)
const digits = z.string().regex(/^\d+$/)
export const barcode = z.string().regex(/^\d{44}$/)
export const typeableLine = z.string().regex(/^(\d{47}|\d{48})$/)

const DATE_WANTED = 'informe uma data no formato YYYY-MM-DD'

export const day = z.string(DATE_WANTED).refine(isCalendarDate, DATE_WANTED).meta({ format: 'date' })

/** No date: to be paid when it is presented. */
export const ON_PRESENTATION = 'contraApresentacao'
const dueDate = z.union([timestamp, z.literal(ON_PRESENTATION)])

export const billetSchema = z.object({
  tipo: z.literal('boleto'),
  banco: z.object({ codigo: z.int(), nome: z.string() }),
  codBarras: barcode,
  linhaDigitavel: typeableLine,
  datas: z.object({ vencimento: dueDate, limitePagamento: timestamp }),
  beneficiario: z.object({ nome: z.string(), fantasia: z.string(), documento: z.string() }),
  pagador: z.object({ nome: z.string(), documento: z.string() }),
  valores: z.object({ original: cents, abatimento: cents, multa: cents, juros: cents, desconto: cents, final: cents }),
  informacoesPagamento: z.object({
    divergente: z.object({ deveAceitar: z.boolean(), valorMinimo: cents, valorMaximo: cents }),
    parcial: z.object({ deveAceitar: z.boolean(), limiteDePagamentos: z.int() }),
    podeSerPago: z.boolean(),
  }),
})

export const taxSchema = z.object({
  tipo: z.literal('tributo'),
  banco: z.null(),
  codBarras: barcode,
  linhaDigitavel: typeableLine,
  datas: z.object({ vencimento: dueDate, limitePagamento: z.null() }),
  beneficiario: z.null(),
  pagador: z.null(),
  sacadorAvalista: z.null(),
  valores: z.object({ original: cents, abatimento: z.null(), pago: z.null(), final: cents }),
  informacoesPagamento: z.null(),
})

export const billSchema = z.discriminatedUnion('tipo', [billetSchema, taxSchema])

const CENTS_WANTED = 'informe um número inteiro de centavos, a partir de 1'

export const paymentBody = z.strictObject({
  valor: z.int(CENTS_WANTED).min(1, CENTS_WANTED).describe('In cents'),
  dataPagamento: day.describe('YYYY-MM-DD; a day that is no business day means the next one'),
  descricao: z.string().optional(),
})

const status = z.enum(PAYMENT_STATUSES)
const dates = z.object({ solicitacao: timestamp, pagamento: timestamp })

export const createdSchema = z.object({ idPagamento: digits, valorPago: cents, status, data: dates })

export const paymentSchema = createdSchema.extend({
  motivoRecusa: z.string().nullable(),
  codBarras: barcode.optional().describe('This member and the following ones: only of a payment that was not made'),
  linhaDigitavel: typeableLine.optional(),
  retornoBancario: z.string().optional(),
  protocolo: z.null().optional(),
  descricao: z.string().optional(),
  horario: z.object({ solicitacao: timestamp }).optional(),
})

export const summaryQuery = z.object({ dataInicio: day, dataFim: day })

export const summarySchema = z.object({
  datas: z.object({ inicial: z.iso.date(), final: z.iso.date() }),
  solicitacoes: z.object({
    total: z.int(),
    processando: z.int(),
    sucesso: z.int(),
    falha: z.int(),
    cancelada: z.int(),
  }),
  solicitacoesFalhas: z.array(z.int()),
})

/** With strict errors, all have `nome` and `mensagem`. */
export const detailProblemSchema = z.object({ nome: z.string().optional(), mensagem: z.string() })
export const paymentProblemSchema = z.union([
  z.object({ erro: z.literal(0), descricao: z.string() }),
  z.object({ nome: z.string(), mensagem: z.string() }),
])
