import { iso } from '../platform/time.ts'
import { membersOf } from './answer.ts'
import { garbage } from './call.ts'
import type { ServiceClient } from './client.ts'
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

/** What differs between the interfaces. */
const PARTS = {
  registration: {
    scope: 'svc.registration.webhook',
    register: { method: 'POST', member: 'webhookUrl', answered: 'identificadorWebhook' },
    list: { path: '/v1/webhooks', from: 'inicio', to: 'fim' },
  },
  payment: {
    scope: 'payment.webhook',
    register: { method: 'PUT', member: 'url', answered: 'url' },
    list: { path: '/v1/webhook', from: 'dataInicio', to: 'dataFim' },
  },
} as const

/** The service makes its two requests, of up to 60 s each, before it answers. */
const REGISTERING_MS = 150_000
const PER_PAGE = 100
/** More pages are no list of webhooks. */
const MOST_PAGES = 1000

/**
 * Endpoint 18 or 22. Registrations at the payment interface are repeated after transport errors, because the same URL again changes nothing. At the
 * other one a lost answer is a failure whose `isOutcomeUnknown` is true, and the list shows the outcome.
 */
export async function registerWebhook(client: ServiceClient, on: WebhookInterface, url: string): Promise<void> {
  const { scope, register } = PARTS[on]
  const { status, json } = await client.request(on, {
    method: register.method,
    path: '/v1/webhook',
    json: { [register.member]: url },
    timeoutMs: REGISTERING_MS,
    scope: `${scope}.write`,
  })
  const answered = membersOf(json)[register.answered]
  if (typeof answered !== 'string' || answered === '')
    fail(client, on, status, `a registration without ${register.answered}`)
}

const UNKNOWN_WEBHOOK = ['identificador_webhook', 'webhook_nao_encontrado']

/** Endpoint 21 or 24: only webhooks of the registration interface have an id. One that an earlier request of this call has deleted is no failure. */
export async function deleteWebhook(client: ServiceClient, { id, url }: ServiceWebhook): Promise<void> {
  const [on, target] =
    id === null
      ? (['payment', { path: '/v1/webhook', json: { url } }] as const)
      : (['registration', { path: `/v1/webhook/${encodeURIComponent(id)}` }] as const)
  try {
    await client.request(on, { method: 'DELETE', ...target, expects: 'nothing', scope: `${PARTS[on].scope}.write` })
  } catch (error) {
    const isGone =
      error instanceof ServiceFailure && error.isOutcomeUnknown && UNKNOWN_WEBHOOK.includes(error.refusal?.name ?? '')
    if (!isGone) throw error
  }
}

/** Every webhook of the account, of all pages (endpoints 20 and 23). @param now in ms since 1970 */
export async function listWebhooks(
  client: ServiceClient,
  on: WebhookInterface,
  now: number,
): Promise<readonly ServiceWebhook[]> {
  const webhooks: ServiceWebhook[] = []
  for (let page = 0; page < MOST_PAGES; page++) {
    const { items, pages } = await readPage(client, on, { page, now })
    webhooks.push(...items)
    if (items.length === 0 || page + 1 >= pages) return webhooks
  }
  return fail(client, on, 200, `more than ${MOST_PAGES} pages of webhooks`)
}

const TEN_YEARS_MS = 3653 * 86_400_000

async function readPage(client: ServiceClient, on: WebhookInterface, { page, now }: { page: number; now: number }) {
  const { scope, list } = PARTS[on]
  // All times: a webhook that was registered a moment ago belongs to the list also where the clocks differ. That of the simulator may be years ahead.
  const [from, to] = [0, now + TEN_YEARS_MS].map((time) => iso(time).replace(/\.\d+Z$/, 'Z')) as [string, string]
  const { status, json } = await client.request(on, {
    method: 'GET',
    path: list.path,
    query: {
      [list.from]: from,
      [list.to]: to,
      'paginacao.paginaAtual': String(page),
      'paginacao.itensPorPagina': String(PER_PAGE),
    },
    scope: `${scope}.read`,
  })
  const { webhooks, parametros } = membersOf(json)
  if (!Array.isArray(webhooks)) return fail(client, on, status, 'a list without webhooks')
  const items = webhooks.map((one) => webhookOf(one) ?? fail(client, on, status, 'a webhook without its URL'))
  const pages = Number(membersOf(membersOf(parametros).paginacao).quantidadeDePaginas ?? 1)
  if (!Number.isSafeInteger(pages)) return fail(client, on, status, 'a list without the number of its pages')
  return { items, pages }
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

function fail(client: ServiceClient, on: WebhookInterface, status: number, text: string): never {
  throw garbage({ environment: client.environment, on }, status, `answered ${text}`)
}
