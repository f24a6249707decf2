import type { z } from 'zod'
import type { Destination } from '../../domain/destination.ts'
import { isSameUrl } from '../../domain/registration.ts'
import { iso } from '../../platform/time.ts'
import { sendJson } from '../http/answer.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { queryOf } from '../http/query.ts'
import { ownershipOf } from './app-destination.ts'
import { NO_KIND, serviceBody, WEBHOOK_REMOVED } from './body.ts'
import { checkServiceRequest, ServiceApiError } from './problem.ts'
import { type Registrations, registrationPage, requireOrder, unknownWebhook } from './registrations.ts'
import { paymentWebhookListSchema, paymentWebhookQuerySchema, paymentWebhookSchema } from './schema.ts'

const mayRead = { tag: 'Registrations', errors: 'service', access: ['payment.webhook.read'] } as const
const mayWrite = { ...mayRead, access: ['payment.webhook.write'] } as const
const path = '/payment/v1/webhook'

/** The payment webhook: Document 1, endpoints 22 to 24. */
export function paymentWebhookEndpoints(registrations: Registrations): readonly Endpoint[] {
  return [registerWebhook(registrations), listWebhooks(registrations), deleteWebhook(registrations)]
}

function registerWebhook(registrations: Registrations): Endpoint {
  return {
    ...{ ...mayWrite, id: 'registerPaymentWebhook', method: 'put', path },
    summary: 'Register a webhook for payments (endpoint 22)',
    description: 'Idempotent.',
    body: serviceBody(paymentWebhookSchema, { url: 'https://app.example/webhooks' }),
    answers: {
      201: { description: 'The webhook receives events stored from now on.', schema: paymentWebhookSchema },
      409: { description: 'The maximum number of webhooks is reached.' },
      422: NO_KIND,
    },
    async handler(request, response) {
      const { url } = checkServiceRequest(paymentWebhookSchema, request.body ?? {})
      const { destination } = await registrations.register(request, { kind: 'payment', url, member: 'url' })
      const body: z.output<typeof paymentWebhookSchema> = { url: destination.url }
      response.status(201)
      sendJson(response, body)
    },
  }
}

function listWebhooks(registrations: Registrations): Endpoint {
  return {
    ...{ ...mayRead, id: 'listPaymentWebhooks', method: 'get', path },
    summary: 'List webhooks for payments (endpoint 23)',
    query: paymentWebhookQuerySchema,
    answers: { 200: { description: 'A page of webhooks.', schema: paymentWebhookListSchema } },
    async handler(request, response) {
      const query = checkServiceRequest(paymentWebhookQuerySchema, queryOf(request.url))
      requireOrder(query.dataInicio, query.dataFim, '/dataFim')
      const page = {
        ...{ inicio: query.dataInicio, fim: query.dataFim },
        ...{ page: query['paginacao.paginaAtual'], perPage: query['paginacao.itensPorPagina'] },
      }
      const all = await registrations.list(request, 'payment')
      const body: z.output<typeof paymentWebhookListSchema> = registrationPage(all, page, ({ url, createdAt }) => ({
        url,
        criacao: iso(createdAt),
      }))
      sendJson(response, body)
    },
  }
}

function deleteWebhook(registrations: Registrations): Endpoint {
  return {
    ...{ ...mayWrite, id: 'deletePaymentWebhook', method: 'delete', path },
    summary: 'Remove a webhook for payments (endpoint 24)',
    body: serviceBody(paymentWebhookSchema, { url: 'https://app.example/webhooks' }),
    answers: {
      204: WEBHOOK_REMOVED,
      404: { description: 'No such webhook is registered.' },
      409: { description: 'Several clients have registered this URL.' },
    },
    async handler(request, response) {
      const { url } = checkServiceRequest(paymentWebhookSchema, request.body ?? {})
      const all = await registrations.list(request, 'payment')
      await registrations.remove(request, find(all, { url, owner: ownershipOf(request).owner }))
      response.status(204).end()
    },
  }
}

/** The principal's own webhook first; with an operator scope also that of another client, if the URL is unambiguous. */
function find(all: readonly Destination[], { url, owner }: { url: string; owner: string | null }): Destination {
  const same = all.filter((one) => isSameUrl(one.url, url))
  const own = same.filter((one) => one.owner === owner)
  const [found, ...others] = own.length > 0 ? own : same
  if (found === undefined) throw unknownWebhook('webhook_nao_encontrado')
  if (others.length === 0) return found
  throw new ServiceApiError(
    409,
    `Esta URL foi cadastrada por ${same.length} clientes: remova o certo com DELETE /v1/destinations/:id.`,
  )
}
