import { Router } from 'express'
import type { z } from 'zod'
import type { Destination } from '../../domain/destination.ts'
import { isSameUrl } from '../../domain/registration.ts'
import { iso } from '../../platform/time.ts'
import { requireScope } from '../auth/authentication.ts'
import { sendJson } from '../http/answer.ts'
import { optionalJsonBody } from '../http/json-body.ts'
import { checkServiceRequest, ServiceApiError } from './problem.ts'
import type { RegistrationRoutesOptions } from './registration-routes.ts'
import { listOf, ownershipOf } from './registrations.ts'
import { type paymentWebhookListSchema, paymentWebhookQuerySchema, paymentWebhookSchema } from './schema.ts'
import { serviceQueryOf } from './service-api-request.ts'

const WEBHOOK = '/payment/v1/webhook'

/** The payment webhook: Document 1, endpoints 22 to 24. Behind the authentication. */
export function paymentWebhookRoutes({
  registrations,
  scopeNames,
}: Pick<RegistrationRoutesOptions, 'registrations' | 'scopeNames'>): Router {
  const mayWrite = requireScope('payment.webhook.write', scopeNames)
  const mayRead = requireScope('payment.webhook.read', scopeNames)
  const router = Router()

  router.put(WEBHOOK, mayWrite, ...optionalJsonBody, async function registerWebhook(request, response) {
    const { url } = checkServiceRequest(paymentWebhookSchema, request.body ?? {}, 'the webhook')
    const { destination } = await registrations.register(request, { kind: 'payment', url, member: 'url' })
    const body: z.output<typeof paymentWebhookSchema> = { url: destination.url }
    response.status(201)
    sendJson(response, JSON.stringify(body))
  })

  router.get(WEBHOOK, mayRead, async function listWebhooks(request, response) {
    const query = checkServiceRequest(paymentWebhookQuerySchema, serviceQueryOf(request), 'the query')
    const page = {
      ...{ inicio: query.dataInicio, fim: query.dataFim },
      ...{ page: query['paginacao.paginaAtual'], perPage: query['paginacao.itensPorPagina'] },
    }
    const all = await registrations.list(request, 'payment')
    const body: z.output<typeof paymentWebhookListSchema> = listOf(all, page, ({ url, createdAt }) => ({
      url,
      criacao: iso(createdAt),
    }))
    sendJson(response, JSON.stringify(body))
  })

  router.delete(WEBHOOK, mayWrite, ...optionalJsonBody, async function deleteWebhook(request, response) {
    const { url } = checkServiceRequest(paymentWebhookSchema, request.body ?? {}, 'the webhook')
    const all = await registrations.list(request, 'payment')
    await registrations.remove(request, find(all, { url, owner: ownershipOf(request).owner }))
    response.status(204).end()
  })

  return router
}

/** One's own; an operator's scope reaches that of another client where it is the only one. */
function find(all: readonly Destination[], { url, owner }: { url: string; owner: string | null }): Destination {
  const same = all.filter((one) => isSameUrl(one.url, url))
  const own = same.filter((one) => one.owner === owner)
  const [found, ...others] = own.length > 0 ? own : same
  if (found === undefined)
    throw new ServiceApiError(404, 'there is no webhook with this url', { nome: 'webhook_nao_encontrado' })
  if (others.length === 0) return found
  throw new ServiceApiError(
    409,
    `${same.length} clients have registered this url: say which is meant with DELETE /v1/destinations/:id`,
  )
}
