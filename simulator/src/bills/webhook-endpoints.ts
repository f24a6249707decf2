import { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { isWithin, pageOf, pageQuery, pageSchema, requireOrder, secondInUtc } from '../http/lists.ts'
import { problem } from '../http/service-error.ts'
import type { Site } from '../site.ts'
import { httpsUrl, requireTwoRequests } from '../webhooks/registering.ts'

const addressBody = z.strictObject({ url: z.url({ error: 'Informe uma URL válida.' }) })

const listQuery = z.object({ dataInicio: secondInUtc, dataFim: secondInUtc, ...pageQuery })

const listSchema = z.object({
  parametros: z.object({ inicio: z.iso.datetime(), fim: z.iso.datetime(), paginacao: pageSchema }),
  webhooks: z.array(z.object({ url: z.string(), criacao: z.iso.datetime() })),
})

/** Webhooks of the payment interface: Document 1, endpoints 22 to 24. */
export function paymentWebhookEndpoints(site: Site): Endpoint[] {
  const ownWebhooks = (account: string) =>
    site.webhooks.registered.list().filter((webhook) => webhook.interface === 'payment' && webhook.account === account)
  const ownWebhook = (account: string, href: string) =>
    ownWebhooks(account).find(({ url }) => new URL(url).href === href)

  return [
    endpoint({
      number: '1:22',
      id: 'putPaymentWebhook',
      method: 'put',
      path: '/v1/webhook',
      scope: 'payment.webhook.write',
      summary: 'Register a webhook of the payment interface; another URL adds one',
      body: addressBody,
      answers: {
        201: { description: 'Registered', schema: z.object({ url: z.string() }) },
        400: { description: 'The address is not accepted' },
      },
      async run({ body, application: { account }, headers }) {
        const url = httpsUrl(site, body.url)
        await requireTwoRequests(site, url, headers)
        if (ownWebhook(account, url.href) === undefined)
          site.webhooks.register({ interface: 'payment', account, url: body.url })
        return { status: 201, json: { url: body.url } }
      },
    }),
    endpoint({
      number: '1:23',
      id: 'listPaymentWebhooks',
      method: 'get',
      path: '/v1/webhook',
      scope: 'payment.webhook.read',
      summary: 'List the webhooks of the payment interface',
      query: listQuery,
      answers: { 200: { description: 'A page of webhooks', schema: listSchema } },
      run({ query, application }) {
        const { dataInicio: inicio, dataFim: fim } = query
        requireOrder(inicio, fim, '/dataFim')
        const within = ownWebhooks(application.account).filter(({ createdAt }) => isWithin(createdAt, inicio, fim))
        const { items, paginacao } = pageOf(within, query)
        const webhooks = items.map(({ url, createdAt }) => ({ url, criacao: new Date(createdAt).toISOString() }))
        return { status: 200, json: { parametros: { inicio, fim, paginacao }, webhooks } }
      },
    }),
    endpoint({
      number: '1:24',
      id: 'deletePaymentWebhook',
      method: 'delete',
      path: '/v1/webhook',
      scope: 'payment.webhook.write',
      summary: 'Delete a webhook of the payment interface',
      body: addressBody,
      answers: { 204: { description: 'Deleted' }, 404: { description: 'The account did not register this URL' } },
      run({ body, application }) {
        const known = ownWebhook(application.account, new URL(body.url).href)
        if (known === undefined) throw problem(404, 'webhook_nao_encontrado', 'Esta URL não está cadastrada.')
        site.webhooks.remove(known)
        return { status: 204 }
      },
    }),
  ]
}
