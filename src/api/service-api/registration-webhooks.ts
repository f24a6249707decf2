import type { Request, Response } from 'express'
import type { z } from 'zod'
import type { Destination } from '../../domain/destination.ts'
import type { Registered } from '../../domain/registration.ts'
import { iso } from '../../platform/time.ts'
import { sendJson } from '../http/answer.ts'
import { type Endpoint, segmentOf } from '../http/endpoint.ts'
import { queryOf } from '../http/query.ts'
import { NO_KIND, serviceBody, WEBHOOK_REMOVED } from './body.ts'
import { checkServiceRequest, ServiceApiError } from './problem.ts'
import { type Registrations, registrationPage, requireOrder, unknownWebhook } from './registrations.ts'
import {
  movedRegistrationSchema,
  newRegistrationSchema,
  registeredSchema,
  registrationBodySchema,
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
    description: 'With `url` and `chave`: gives the webhook with this `identificadorWebhook` another URL.',
    body: serviceBody(registrationBodySchema, { webhookUrl: 'https://app.example/webhooks' }),
    answers: {
      200: { description: 'The webhook receives events stored from now on.', schema: registeredSchema },
      409: { description: 'The URL is already registered, or the maximum number of webhooks is reached.' },
      422: NO_KIND,
    },
    async handler(request, response) {
      const given: unknown = request.body ?? {}
      const { destination, isNew } =
        'chave' in Object(given) ? await moveWebhook(request, given) : await newWebhook(request, given)
      const identificadorWebhook = idOf(destination)
      if (!isNew) throw alreadyRegistered(identificadorWebhook)
      send<typeof registeredSchema>(response, { identificadorWebhook })
    },
  }

  function newWebhook(request: Request, given: unknown): Promise<Registered> {
    const { webhookUrl: url } = checkServiceRequest(newRegistrationSchema, given, { '/webhookUrl': 'url_webhook' })
    return registrations.register(request, { kind: 'registration', url, member: 'webhookUrl' })
  }

  async function moveWebhook(request: Request, given: unknown): Promise<Registered> {
    const { url, chave } = checkServiceRequest(movedRegistrationSchema, given, { '/url': 'url_webhook' })
    const moved = find(await registrations.list(request, 'registration'), chave)
    if (moved === undefined) throw unknownWebhook('chave_invalida')
    return registrations.move(request, moved, { url, member: 'url' })
  }
}

function showWebhook({ registrations }: RegistrationWebhookOptions): Endpoint {
  return {
    ...{ ...mayRead, ...one, id: 'showRegistrationWebhook', method: 'get' },
    summary: 'Show a webhook for registrations (endpoint 19)',
    answers: { 200: { description: 'The webhook.', schema: registrationRecordSchema } },
    async handler(request, response) {
      const all = await registrations.list(request, 'registration')
      send<typeof registrationRecordSchema>(response, recordOf(required(all, request)))
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
      const query = checkServiceRequest(registrationQuerySchema, queryOf(request.url))
      const all = await registrations.list(request, 'registration')
      // Those that were registered while the clock was ahead are listed, too.
      const newest = Math.max(now(), ...all.map(({ createdAt }) => createdAt))
      const { inicio = iso(0), fim = iso(newest) } = query
      if (query.inicio !== undefined && query.fim !== undefined) requireOrder(inicio, fim, '/fim')
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
      await registrations.remove(request, required(all, request))
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

/** @throws ServiceApiError 404 */
function required(all: readonly Destination[], request: Request): Destination {
  const found = find(all, segmentOf(request, 'identificadorWebhook'))
  if (found === undefined) throw unknownWebhook('identificador_webhook')
  return found
}

/** UUIDs are case-insensitive (RFC 9562 section 4). */
function find(all: readonly Destination[], identificadorWebhook: string): Destination | undefined {
  return all.find(({ registrationId }) => registrationId === identificadorWebhook.toLowerCase())
}

function alreadyRegistered(identificadorWebhook: string): ServiceApiError {
  const sentence = `Esta URL já está cadastrada, com o identificador ${identificadorWebhook}: remova-o antes.`
  return new ServiceApiError(409, sentence, { nome: 'url_cadastrada' })
}
