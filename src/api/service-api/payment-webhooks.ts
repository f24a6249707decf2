import type { Destination } from '../../domain/destination.ts'
import { isSameUrl } from '../../domain/registration.ts'
import { iso } from '../../platform/time.ts'
import { urlFor } from '../auth/shown-urls.ts'
import { endpoint } from '../http/endpoint.ts'
import { ownershipOf } from './app-destination.ts'
import { NO_KIND, serviceBody, WEBHOOK_REMOVED } from './body.ts'
import { checkServiceRequest, ServiceApiError } from './problem.ts'
import { type Registrations, registrationPage, requireOrder, unknownWebhook } from './registrations.ts'
import { paymentWebhookListSchema, paymentWebhookQuerySchema, paymentWebhookSchema } from './schema.ts'

const mayRead = {
  tag: 'Registrations',
  errors: 'service',
  checkQuery: checkServiceRequest,
  access: ['payment.webhook.read'],
} as const
const mayWrite = { ...mayRead, access: ['payment.webhook.write'] } as const
/** Their holders may see what they registered. */
const WRITING = ['payment.webhook.write', 'destinations.write'] as const
const path = '/payment/v1/webhook'

const WEBHOOK = serviceBody(paymentWebhookSchema, { url: 'https://app.example/webhooks' }, (given) =>
  checkServiceRequest(paymentWebhookSchema, given),
)

/** The payment webhook: Document 1, endpoints 22 to 24. */
export function paymentWebhookEndpoints(registrations: Registrations) {
  return {
    registerPaymentWebhook: registerWebhook(registrations),
    listPaymentWebhooks: listWebhooks(registrations),
    deletePaymentWebhook: deleteWebhook(registrations),
  }
}

function registerWebhook(registrations: Registrations) {
  return endpoint({
    ...mayWrite,
    method: 'put',
    path,
    summary: 'Register a webhook for payments (endpoint 22)',
    description: 'Idempotent.',
    body: WEBHOOK,
    answers: {
      201: { description: 'The webhook receives events stored from now on.', schema: paymentWebhookSchema },
      409: { description: 'The maximum number of webhooks is reached.' },
      422: NO_KIND,
    },
    async run(call) {
      const { url } = call.body
      const { destination } = await registrations.register(call, { kind: 'payment', url, member: 'url' })
      return { status: 201, json: { url: destination.url } }
    },
  })
}

function listWebhooks(registrations: Registrations) {
  return endpoint({
    ...mayRead,
    method: 'get',
    path,
    summary: 'List webhooks for payments (endpoint 23)',
    query: paymentWebhookQuerySchema,
    answers: { 200: { description: 'A page of webhooks.', schema: paymentWebhookListSchema } },
    async run(call) {
      const { query } = call
      requireOrder(query.dataInicio, query.dataFim, '/dataFim')
      const page = {
        inicio: query.dataInicio,
        fim: query.dataFim,
        page: query['paginacao.paginaAtual'],
        perPage: query['paginacao.itensPorPagina'],
      }
      const all = await registrations.list(call, 'payment')
      const json = registrationPage(all, page, (one) => ({
        url: urlFor(call, one, WRITING),
        criacao: iso(one.createdAt),
      }))
      return { json }
    },
  })
}

function deleteWebhook(registrations: Registrations) {
  return endpoint({
    ...mayWrite,
    method: 'delete',
    path,
    summary: 'Remove a webhook for payments (endpoint 24)',
    body: WEBHOOK,
    answers: {
      204: WEBHOOK_REMOVED,
      404: { description: 'No such webhook is registered.' },
      409: { description: 'Several clients have registered this URL.' },
    },
    async run(call) {
      const { url } = call.body
      const all = await registrations.list(call, 'payment')
      await registrations.remove(call, find(all, { url, owner: ownershipOf(call).owner }))
      return { status: 204 }
    },
  })
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
