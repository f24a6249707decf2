import { iso } from '../platform/time.ts'
import { membersOf } from './answer.ts'
import { garbage } from './call.ts'
import type { ServiceClient, ServiceRequest } from './client.ts'
import { ServiceFailure } from './failure.ts'

/** Webhooks of the registration interface (Document 1, endpoints 18 to 21) and of the payment interface (22 to 24). */

export const WEBHOOK_INTERFACES = ['registration', 'payment'] as const
export type WebhookInterface = (typeof WEBHOOK_INTERFACES)[number]

export interface ServiceWebhook {
  /** `identificadorWebhook`; null: a webhook of the payment interface, which its URL identifies. */
  readonly id: string | null
  readonly url: string
  /** As the service writes it; null: it does not say. */
  readonly createdAt: string | null
}

interface Limits {
  readonly signal?: AbortSignal | undefined
}

/** The service makes its two requests, of up to 60 s each, before it answers. */
const REGISTERING_MS = 150_000
const PER_PAGE = 100
/** More pages are no list of webhooks. */
const MOST_PAGES = 1000

/** Endpoint 18. Not repeated when the answer is lost: then the failure's `isOutcomeUnknown` is true, and the list shows the outcome. @returns the id */
export async function createRegistrationWebhook(
  client: ServiceClient,
  url: string,
  { signal }: Limits = {},
): Promise<string> {
  const { status, json: answer } = await client.request('registration', {
    ...{ method: 'POST', path: '/v1/webhook', json: { webhookUrl: url }, timeoutMs: REGISTERING_MS },
    ...{ scope: 'svc.registration.webhook.write', ...(signal && { signal }) },
  })
  const { identificadorWebhook: id } = membersOf(answer)
  if (typeof id === 'string' && id !== '') return id
  throw garbage({ ...client, on: 'registration' }, status, 'answered a registration without identificadorWebhook')
}

/** Endpoint 19. */
export async function showRegistrationWebhook(
  client: ServiceClient,
  id: string,
  { signal }: Limits = {},
): Promise<ServiceWebhook> {
  const { status, json } = await client.request('registration', {
    ...{ method: 'GET', path: `/v1/webhook/${encodeURIComponent(id)}` },
    ...{ scope: 'svc.registration.webhook.read', ...(signal && { signal }) },
  })
  return webhookOf(json) ?? fail(client, 'registration', status, 'a webhook without webhookUrl')
}

/** Endpoint 21. A webhook that an earlier request of this call has deleted is no failure. */
export async function deleteRegistrationWebhook(
  client: ServiceClient,
  id: string,
  { signal }: Limits = {},
): Promise<void> {
  await deleteWith(client, 'registration', {
    ...{ method: 'DELETE', path: `/v1/webhook/${encodeURIComponent(id)}`, expects: 'nothing' },
    ...{ scope: 'svc.registration.webhook.write', ...(signal && { signal }) },
  })
}

/** Endpoint 22. The same URL again changes nothing, so that the call is repeated after transport errors. */
export async function putPaymentWebhook(client: ServiceClient, url: string, { signal }: Limits = {}): Promise<void> {
  const { status, json } = await client.request('payment', {
    ...{ method: 'PUT', path: '/v1/webhook', json: { url }, timeoutMs: REGISTERING_MS },
    ...{ scope: 'payment.webhook.write', ...(signal && { signal }) },
  })
  if (typeof membersOf(json).url !== 'string') fail(client, 'payment', status, 'a registration without url')
}

/** Endpoint 24, as endpoint 21. */
export async function deletePaymentWebhook(client: ServiceClient, url: string, { signal }: Limits = {}): Promise<void> {
  await deleteWith(client, 'payment', {
    ...{ method: 'DELETE', path: '/v1/webhook', json: { url }, expects: 'nothing' },
    ...{ scope: 'payment.webhook.write', ...(signal && { signal }) },
  })
}

/** Every webhook of the account, of all pages (endpoints 20 and 23). @param now in ms since 1970 */
export async function listWebhooks(
  client: ServiceClient,
  on: WebhookInterface,
  { now, signal }: Limits & { readonly now: number },
): Promise<readonly ServiceWebhook[]> {
  const webhooks: ServiceWebhook[] = []
  for (let page = 0; page < MOST_PAGES; page++) {
    const { items, pages } = await readPage(client, on, { page, now, signal })
    webhooks.push(...items)
    if (items.length === 0 || page + 1 >= pages) return webhooks
  }
  return fail(client, on, 200, `more than ${MOST_PAGES} pages of webhooks`)
}

interface PageQuery extends Limits {
  readonly page: number
  readonly now: number
}

async function readPage(client: ServiceClient, on: WebhookInterface, { page, now, signal }: PageQuery) {
  const { status, json } = await client.request(on, {
    method: 'GET',
    path: on === 'registration' ? '/v1/webhooks' : '/v1/webhook',
    query: {
      ...periodOf(on, now),
      'paginacao.paginaAtual': String(page),
      'paginacao.itensPorPagina': String(PER_PAGE),
    },
    scope: on === 'registration' ? 'svc.registration.webhook.read' : 'payment.webhook.read',
    ...(signal && { signal }),
  })
  const { webhooks, parametros } = membersOf(json)
  if (!Array.isArray(webhooks)) return fail(client, on, status, 'a list without webhooks')
  const items = webhooks.map((one) => webhookOf(one) ?? fail(client, on, status, 'a webhook without its URL'))
  const pages = Number(membersOf(membersOf(parametros).paginacao).quantidadeDePaginas ?? 1)
  if (!Number.isSafeInteger(pages)) return fail(client, on, status, 'a list without the number of its pages')
  return { items, pages }
}

const TEN_YEARS_MS = 3653 * 86_400_000

/** All times: a webhook that was registered a moment ago belongs to the list also where the clocks differ. That of the simulator may be years ahead. */
function periodOf(on: WebhookInterface, now: number): Record<string, string> {
  const [from, to] = [0, now + TEN_YEARS_MS].map((time) => iso(time).replace(/\.\d+Z$/, 'Z')) as [string, string]
  return on === 'registration' ? { inicio: from, fim: to } : { dataInicio: from, dataFim: to }
}

function webhookOf(value: unknown): ServiceWebhook | null {
  const { webhookUrl, url = webhookUrl, identificadorWebhook: id, criacao } = membersOf(value)
  if (typeof url !== 'string') return null
  return {
    id: typeof id === 'string' ? id : null,
    url,
    createdAt: typeof criacao === 'string' ? criacao : null,
  }
}

const UNKNOWN_WEBHOOK = ['identificador_webhook', 'webhook_nao_encontrado']

async function deleteWith(client: ServiceClient, on: WebhookInterface, request: ServiceRequest): Promise<void> {
  try {
    await client.request(on, request)
  } catch (error) {
    const isGone =
      error instanceof ServiceFailure && error.isOutcomeUnknown && UNKNOWN_WEBHOOK.includes(error.refusal?.name ?? '')
    if (!isGone) throw error
  }
}

function fail(client: ServiceClient, on: WebhookInterface, status: number, text: string): never {
  throw garbage({ environment: client.environment, on }, status, `answered ${text}`)
}
