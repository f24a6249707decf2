import type { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { isWithin, pageOf, requireOrder } from '../http/lists.ts'
import { problem, type ServiceError, violationsOf } from '../http/service-error.ts'
import type { Site } from '../site.ts'
import type { Webhook } from '../webhooks/callback.ts'
import { httpsUrl, requireTwoRequests } from '../webhooks/registering.ts'
import { identifierSchema, listQuery, listSchema, registrationBody, webhookSchema } from './webhook-schema.ts'

/** Webhooks of the registration interface: Document 1, endpoints 18 to 21. */
export function registrationWebhookEndpoints(site: Site): Endpoint[] {
  const isField = site.settings.errors === 'field'
  const ownWebhooks = (account: string) =>
    site.webhooks.registered
      .list()
      .filter((webhook) => webhook.interface === 'registration' && webhook.account === account)

  /** @throws ServiceError */
  function ownWebhook(account: string, id: string | undefined): Webhook {
    const found = ownWebhooks(account).find((webhook) => webhook.id === id)
    if (found !== undefined) return found
    throw isField
      ? problem(400, 'identificador_webhook', 'Nenhum webhook tem este identificador.')
      : problem(404, 'webhook_nao_encontrado', 'Nenhum webhook tem este identificador.')
  }

  /** @throws ServiceError 409 */
  function requireNew(account: string, href: string): void {
    const known = ownWebhooks(account).find((webhook) => new URL(webhook.url).href === href)
    if (known !== undefined)
      throw problem(409, 'url_cadastrada', `Esta URL já está cadastrada com o identificador ${known.id}.`)
  }

  return [
    endpoint({
      number: '1:18',
      id: 'createRegistrationWebhook',
      method: 'post',
      path: '/v1/webhook',
      scope: 'svc.registration.webhook.write',
      summary: 'Register a webhook of the registration interface',
      body: registrationBody,
      answers: {
        200: { description: 'Registered', schema: identifierSchema },
        400: { description: 'The address is not accepted' },
        409: { description: 'Registered already' },
      },
      invalid: (error) => invalidAddress(isField, error),
      async run({ body, application: { account }, headers }) {
        const moved = 'chave' in body ? movedWebhook(account, body.chave) : undefined
        const given = 'chave' in body ? body.url : body.webhookUrl
        const url = httpsUrl(site, given)
        requireNew(account, url.href)
        await requireTwoRequests(site, url, headers)
        // Another request may have registered it in the meantime.
        requireNew(account, url.href)
        if (moved === undefined) {
          const { id } = site.webhooks.register({ interface: 'registration', account, url: given })
          return { status: 200, json: { identificadorWebhook: id } }
        }
        site.webhooks.move(moved, given)
        return { status: 200, json: { identificadorWebhook: moved.id } }
      },
    }),
    endpoint({
      number: '1:19',
      id: 'showRegistrationWebhook',
      method: 'get',
      path: '/v1/webhook/:identificadorWebhook',
      scope: 'svc.registration.webhook.read',
      summary: 'Show a webhook of the registration interface',
      answers: {
        200: { description: 'The webhook', schema: webhookSchema },
        404: { description: 'No webhook of the account has this id' },
      },
      run: ({ params, application }) => ({
        status: 200,
        json: recordOf(ownWebhook(application.account, params.identificadorWebhook)),
      }),
    }),
    endpoint({
      number: '1:20',
      id: 'listRegistrationWebhooks',
      method: 'get',
      path: '/v1/webhooks',
      scope: 'svc.registration.webhook.read',
      summary: 'List the webhooks of the registration interface',
      query: listQuery,
      answers: { 200: { description: 'A page of webhooks', schema: listSchema } },
      run({ query, application, at }) {
        const { inicio = new Date(0).toISOString(), fim = new Date(at).toISOString() } = query
        if (query.inicio !== undefined && query.fim !== undefined) requireOrder(inicio, fim, '/fim')
        const within = ownWebhooks(application.account).filter(({ createdAt }) => isWithin(createdAt, inicio, fim))
        const { items, paginacao } = pageOf(within, query)
        return { status: 200, json: { parametros: { inicio, fim, paginacao }, webhooks: items.map(recordOf) } }
      },
    }),
    endpoint({
      number: '1:21',
      id: 'deleteRegistrationWebhook',
      method: 'delete',
      path: '/v1/webhook/:identificadorWebhook',
      scope: 'svc.registration.webhook.write',
      summary: 'Delete a webhook of the registration interface',
      answers: {
        204: { description: 'Deleted' },
        404: { description: 'No webhook of the account has this id' },
      },
      run({ params, application }) {
        site.webhooks.remove(ownWebhook(application.account, params.identificadorWebhook))
        return { status: 204 }
      },
    }),
  ]

  /** @throws ServiceError 400 */
  function movedWebhook(account: string, chave: string): Webhook {
    const found = ownWebhooks(account).find(({ id }) => id === chave)
    if (found === undefined) throw problem(400, 'chave_invalida', 'Nenhum webhook tem esta chave.')
    return found
  }
}

function recordOf({ url, id, createdAt }: Webhook) {
  return { webhookUrl: url, identificadorWebhook: id, criacao: new Date(createdAt).toISOString() }
}

/** In the field an address that is no URL has a name of its own. */
function invalidAddress(isField: boolean, error: z.ZodError): ServiceError {
  const violations = violationsOf(error)
  const isAddress = violations.every(({ caminho }) => ['/webhookUrl', '/url'].includes(caminho))
  const nome = isField && isAddress ? 'url_webhook' : 'erro_de_validacao'
  return problem(400, nome, 'A requisição não é válida: veja os erros.', violations)
}
