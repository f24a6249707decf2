import type { Response } from 'express'
import type { z } from 'zod'
import type { Destination } from '../../domain/destination.ts'
import { iso } from '../../platform/time.ts'
import { sendJson } from '../http/answer.ts'
import { type Endpoint, segmentOf } from '../http/endpoint.ts'
import { queryOf } from '../http/query.ts'
import { NO_KIND, serviceBody, WEBHOOK_REMOVED } from './body.ts'
import { checkServiceRequest, ServiceApiError } from './problem.ts'
import { type Registrations, registrationPage } from './registrations.ts'
import {
  newRegistrationSchema,
  registeredSchema,
  registrationListSchema,
  registrationQuerySchema,
  registrationRecordSchema,
} from './schema.ts'

interface RegistrationWebhookOptions {
  readonly registrations: Registrations
  readonly now: () => number
}

const mayRead = { tag: 'Registrations', errors: 'service', access: ['registration.webhook.read'] } as const
const mayWrite = { ...mayRead, access: ['registration.webhook.write'] } as const
const one = {
  path: '/registration/v1/webhook/:identificadorWebhook',
  segments: { identificadorWebhook: 'Id of the webhook, from the answer to its registration.' },
}

/** The registration webhook: Document 1, endpoints 18 to 21. */
export function registrationWebhookEndpoints(options: RegistrationWebhookOptions): readonly Endpoint[] {
  return [registerWebhook(options), showWebhook(options), listWebhooks(options), deleteWebhook(options)]
}

function registerWebhook({ registrations }: RegistrationWebhookOptions): Endpoint {
  return {
    ...{ ...mayWrite, id: 'registerRegistrationWebhook', method: 'post', path: '/registration/v1/webhook' },
    summary: 'Register a webhook for registrations (endpoint 18)',
    body: serviceBody(newRegistrationSchema, { webhookUrl: 'https://app.example/webhooks' }),
    answers: {
      200: { description: 'The webhook receives events stored from now on.', schema: registeredSchema },
      409: { description: 'The URL is already registered, or the maximum number of webhooks is reached.' },
      422: NO_KIND,
    },
    async handler(request, response) {
      const { webhookUrl } = checkServiceRequest(newRegistrationSchema, request.body ?? {}, 'the webhook')
      const requested = { kind: 'registration', url: webhookUrl, member: 'webhookUrl' } as const
      const { destination, isNew } = await registrations.register(request, requested)
      const identificadorWebhook = idOf(destination)
      if (!isNew) throw alreadyRegistered(identificadorWebhook)
      send<typeof registeredSchema>(response, { identificadorWebhook })
    },
  }
}

function showWebhook({ registrations }: RegistrationWebhookOptions): Endpoint {
  return {
    ...{ ...mayRead, ...one, id: 'showRegistrationWebhook', method: 'get' },
    summary: 'Show a webhook for registrations (endpoint 19)',
    answers: { 200: { description: 'The webhook.', schema: registrationRecordSchema } },
    async handler(request, response) {
      const all = await registrations.list(request, 'registration')
      send<typeof registrationRecordSchema>(response, recordOf(find(all, segmentOf(request, 'identificadorWebhook'))))
    },
  }
}

function listWebhooks({ registrations, now }: RegistrationWebhookOptions): Endpoint {
  return {
    ...{ ...mayRead, id: 'listRegistrationWebhooks', method: 'get', path: '/registration/v1/webhooks' },
    summary: 'List webhooks for registrations (endpoint 20)',
    query: registrationQuerySchema,
    answers: { 200: { description: 'A page of webhooks.', schema: registrationListSchema } },
    async handler(request, response) {
      const query = checkServiceRequest(registrationQuerySchema, queryOf(request.url), 'the query')
      const all = await registrations.list(request, 'registration')
      // Those that were registered while the clock was ahead are listed, too.
      const newest = Math.max(now(), ...all.map(({ createdAt }) => createdAt))
      const { inicio = iso(0), fim = iso(newest) } = query
      const page = {
        ...{ inicio, fim },
        ...{ page: query['paginacao.paginaAtual'], perPage: query['paginacao.itensPorPagina'] },
      }
      send<typeof registrationListSchema>(response, registrationPage(all, page, recordOf))
    },
  }
}

function deleteWebhook({ registrations }: RegistrationWebhookOptions): Endpoint {
  return {
    ...{ ...mayWrite, ...one, id: 'deleteRegistrationWebhook', method: 'delete' },
    summary: 'Remove a webhook for registrations (endpoint 21)',
    answers: { 204: WEBHOOK_REMOVED },
    async handler(request, response) {
      const all = await registrations.list(request, 'registration')
      await registrations.remove(request, find(all, segmentOf(request, 'identificadorWebhook')))
      response.status(204).end()
    },
  }
}

function send<Schema extends z.ZodType>(response: Response, body: z.output<Schema>): void {
  sendJson(response, body)
}

function recordOf(registration: Destination): z.output<typeof registrationRecordSchema> {
  return {
    webhookUrl: registration.url,
    identificadorWebhook: idOf(registration),
    criacao: iso(registration.createdAt),
  }
}

function idOf({ registrationId }: Destination): string {
  if (registrationId === null) throw new TypeError('unreachable: every registration has an id')
  return registrationId
}

/** UUIDs are case-insensitive (RFC 9562 section 4). */
function find(all: readonly Destination[], identificadorWebhook: string): Destination {
  const found = all.find(({ registrationId }) => registrationId === identificadorWebhook.toLowerCase())
  if (found !== undefined) return found
  throw new ServiceApiError(404, 'there is no webhook with this identificadorWebhook', {
    nome: 'webhook_nao_encontrado',
  })
}

function alreadyRegistered(identificadorWebhook: string): ServiceApiError {
  return new ServiceApiError(
    409,
    `this webhookUrl is registered already, with the identificadorWebhook ${identificadorWebhook}: delete that one first`,
    { nome: 'url_cadastrada' },
  )
}
