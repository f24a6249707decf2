import { z } from 'zod'
import { digits } from '../http/query.ts'

/**
 * Requests and answers of endpoints 18 to 24 of Document 1. The names are the service's; those that it does not show (the query of endpoint 20,
 * errors) come from service-decisions.md.
 */

const URL_EXPECTED = 'Informe uma URL válida, como https://app.example/hook.'
const url = z.string({ error: URL_EXPECTED }).refine(URL.canParse, URL_EXPECTED)

/** Endpoint 18: the body. */
export const newRegistrationSchema = z.strictObject({ webhookUrl: url }).meta({ id: 'NewRegistrationWebhook' })

/** Endpoint 18: the body that moves a webhook to another address (service-errors.md). */
export const movedRegistrationSchema = z
  .strictObject({ url, chave: z.string({ error: 'Informe o identificadorWebhook.' }) })
  .meta({ id: 'MovedRegistrationWebhook' })

export const registrationBodySchema = z
  .union([newRegistrationSchema, movedRegistrationSchema])
  .meta({ id: 'RegistrationWebhookBody' })

/** Endpoints 22 and 24: the body; endpoint 22: the answer. */
export const paymentWebhookSchema = z.strictObject({ url }).meta({ id: 'PaymentWebhook' })

export const ITEMS_PER_PAGE = { min: 1, max: 1000, default: 100 } as const
const MAX_PAGE = 999_999_999

const paging = {
  'paginacao.paginaAtual': wholeNumber({ min: 0, max: MAX_PAGE })
    .prefault('0')
    .meta({ description: 'Number of the page, from 0.', default: 0 }),
  'paginacao.itensPorPagina': wholeNumber(ITEMS_PER_PAGE)
    .prefault(String(ITEMS_PER_PAGE.default))
    .meta({ description: 'Maximum number of webhooks on a page.', default: ITEMS_PER_PAGE.default }),
}

function wholeNumber({ min, max }: { min: number; max: number }) {
  return digits({ min, max, most: 9 }, () => `Informe uma só vez um número inteiro de ${min} a ${max}.`)
}

const EXAMPLE = '2026-01-31T12:00:00Z'
const TIME_EXPECTED = `Informe uma só vez data e hora com fuso, como ${EXAMPLE}.`
const time = z.iso.datetime({ offset: true, error: TIME_EXPECTED }).meta({ examples: [EXAMPLE] })
const TO_THE_SECOND = 'YYYY-MM-DDThh:mm:ssZ: UTC, without a fraction of a second'
const SECOND_EXPECTED = `Informe uma só vez data e hora em UTC no formato YYYY-MM-DDThh:mm:ssZ, sem fração de segundo, como ${EXAMPLE}.`
const timeToTheSecond = z.iso.datetime({ precision: 0, error: SECOND_EXPECTED }).meta({ examples: [EXAMPLE] })

/** Endpoint 20: the query. */
export const registrationQuerySchema = z.strictObject({
  inicio: time.optional().describe('Registered at or after this time. Default: from the beginning.'),
  fim: time.optional().describe('Registered at or before this time. Default: now, or the time of the newest webhook.'),
  ...paging,
})

/** Endpoint 23: the query. */
export const paymentWebhookQuerySchema = z.strictObject({
  dataInicio: timeToTheSecond.describe(`Registered at or after this time. Format ${TO_THE_SECOND}.`),
  dataFim: timeToTheSecond.describe(`Registered at or before this time. Format ${TO_THE_SECOND}.`),
  ...paging,
})

/** Endpoint 18: the answer. */
export const registeredSchema = z.strictObject({ identificadorWebhook: z.uuid() }).meta({ id: 'RegisteredWebhook' })

/** Endpoint 19: the answer; endpoint 20: a record of the list. */
export const registrationRecordSchema = z
  .strictObject({
    webhookUrl: z.string(),
    identificadorWebhook: z.uuid(),
    criacao: z.iso.datetime(),
  })
  .meta({ id: 'RegistrationWebhook' })

const paymentWebhookRecordSchema = z
  .strictObject({ url: z.string(), criacao: z.iso.datetime() })
  .meta({ id: 'ListedPaymentWebhook' })

const listParametersSchema = z
  .strictObject({
    inicio: z.iso.datetime({ offset: true }),
    fim: z.iso.datetime({ offset: true }),
    paginacao: z.strictObject({
      paginaAtual: z.int().min(0),
      itensPorPagina: z.int().min(ITEMS_PER_PAGE.min).max(ITEMS_PER_PAGE.max),
      quantidadeDePaginas: z.int().min(0),
      quantidadeTotalDeItens: z.int().min(0),
    }),
  })
  .meta({ id: 'ListParameters' })

/** Endpoint 20: the answer. */
export const registrationListSchema = z
  .strictObject({
    parametros: listParametersSchema,
    webhooks: z.array(registrationRecordSchema),
  })
  .meta({ id: 'RegistrationWebhookList' })

/** Endpoint 23: the answer. */
export const paymentWebhookListSchema = z
  .strictObject({
    parametros: listParametersSchema,
    webhooks: z.array(paymentWebhookRecordSchema),
  })
  .meta({ id: 'PaymentWebhookList' })

/** Errors below `/registration` and `/payment`, except for a missing scope and those of the token endpoint (RFC 6749). */
export const serviceErrorSchema = z
  .strictObject({
    nome: z.string().regex(/^[a-z]+(_[a-z]+)*$/),
    mensagem: z.string(),
    /** Every violation: a JSON Pointer (RFC 6901) into the body or the query, and the error there. */
    erros: z.array(z.strictObject({ caminho: z.string(), mensagem: z.string() })).optional(),
  })
  .meta({ id: 'ServiceApiError' })

/** 403 for a token without the scope. */
export const missingScopeSchema = z
  .strictObject({
    error: z.literal('insufficient_scope'),
    error_description: z.string(),
  })
  .meta({ id: 'MissingScope' })
