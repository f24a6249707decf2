import type { z } from 'zod'
import type { Caller } from '../../domain/client.ts'
import type { Destination } from '../../domain/destination.ts'
import type { Registered } from '../../domain/registration.ts'
import { iso } from '../../platform/time.ts'
import { urlFor } from '../auth/shown-urls.ts'
import { type Call, endpoint, segmentOf } from '../http/endpoint.ts'
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

const mayRead = {
  tag: 'Registrations',
  errors: 'service',
  checkQuery: checkServiceRequest,
  access: ['registration.webhook.read'],
} as const
const mayWrite = { ...mayRead, access: ['registration.webhook.write'] } as const
/** Their holders may see what they registered. */
const WRITING = ['registration.webhook.write', 'destinations.write'] as const
const one = {
  path: '/registration/v1/webhook/:identificadorWebhook',
  segments: { identificadorWebhook: 'Id of the webhook, from the answer to its registration.' },
}

/** The registration webhook: Document 1, endpoints 18 to 21. */
export function registrationWebhookEndpoints(options: RegistrationWebhookOptions) {
  return {
    registerRegistrationWebhook: registerWebhook(options),
    showRegistrationWebhook: showWebhook(options),
    listRegistrationWebhooks: listWebhooks(options),
    deleteRegistrationWebhook: deleteWebhook(options),
  }
}

function registerWebhook({ registrations }: RegistrationWebhookOptions) {
  return endpoint({
    ...mayWrite,
    method: 'post',
    path: '/registration/v1/webhook',
    summary: 'Register a webhook for registrations (endpoint 18)',
    description: 'With `url` and `chave`: gives the webhook with this `identificadorWebhook` another URL.',
    body: serviceBody(registrationBodySchema, { webhookUrl: 'https://app.example/webhooks' }, checkRegistration),
    answers: {
      200: { description: 'The webhook receives events stored from now on.', schema: registeredSchema },
      409: { description: 'The URL is already registered, or the maximum number of webhooks is reached.' },
      422: NO_KIND,
    },
    async run(call) {
      const { destination, isNew } = await ('chave' in call.body ? move(call, call.body) : make(call, call.body))
      const identificadorWebhook = idOf(destination)
      if (!isNew) throw alreadyRegistered(identificadorWebhook)
      return { json: { identificadorWebhook } }
    },
  })

  function make(caller: Caller, { webhookUrl: url }: z.output<typeof newRegistrationSchema>): Promise<Registered> {
    return registrations.register(caller, { kind: 'registration', url, member: 'webhookUrl' })
  }

  async function move(caller: Caller, { url, chave }: z.output<typeof movedRegistrationSchema>): Promise<Registered> {
    const moved = find(await registrations.list(caller, 'registration'), chave)
    if (moved === undefined) throw unknownWebhook('chave_invalida')
    return registrations.move(caller, moved, { url, member: 'url' })
  }
}

/** With `chave` the body moves a webhook. */
function checkRegistration(given: unknown) {
  return 'chave' in Object(given)
    ? checkServiceRequest(movedRegistrationSchema, given, { '/url': 'url_webhook' })
    : checkServiceRequest(newRegistrationSchema, given, { '/webhookUrl': 'url_webhook' })
}

function showWebhook({ registrations }: RegistrationWebhookOptions) {
  return endpoint({
    ...mayRead,
    ...one,
    method: 'get',
    summary: 'Show a webhook for registrations (endpoint 19)',
    answers: { 200: { description: 'The webhook.', schema: registrationRecordSchema } },
    async run(call) {
      const all = await registrations.list(call, 'registration')
      return { json: recordOf(call, required(all, call)) }
    },
  })
}

function listWebhooks({ registrations, now }: RegistrationWebhookOptions) {
  return endpoint({
    ...mayRead,
    method: 'get',
    path: '/registration/v1/webhooks',
    summary: 'List webhooks for registrations (endpoint 20)',
    query: registrationQuerySchema,
    answers: { 200: { description: 'A page of webhooks.', schema: registrationListSchema } },
    async run(call) {
      const { query } = call
      const all = await registrations.list(call, 'registration')
      // Those that were registered while the clock was ahead are listed, too.
      const newest = Math.max(now(), ...all.map(({ createdAt }) => createdAt))
      const { inicio = iso(0), fim = iso(newest) } = query
      if (query.inicio !== undefined && query.fim !== undefined) requireOrder(inicio, fim, '/fim')
      const page = {
        inicio,
        fim,
        page: query['paginacao.paginaAtual'],
        perPage: query['paginacao.itensPorPagina'],
      }
      return { json: registrationPage(all, page, (one) => recordOf(call, one)) }
    },
  })
}

function deleteWebhook({ registrations }: RegistrationWebhookOptions) {
  return endpoint({
    ...mayWrite,
    ...one,
    method: 'delete',
    summary: 'Remove a webhook for registrations (endpoint 21)',
    answers: { 204: WEBHOOK_REMOVED },
    async run(call) {
      const all = await registrations.list(call, 'registration')
      await registrations.remove(call, required(all, call))
      return { status: 204 }
    },
  })
}

function recordOf(caller: Caller, registration: Destination): z.output<typeof registrationRecordSchema> {
  return {
    webhookUrl: urlFor(caller, registration, WRITING),
    identificadorWebhook: idOf(registration),
    criacao: iso(registration.createdAt),
  }
}

function idOf({ registrationId }: Destination): string {
  if (registrationId === null) throw new TypeError('unreachable: every registration has an id')
  return registrationId
}

/** @throws ServiceApiError 404 */
function required(all: readonly Destination[], call: Call): Destination {
  const found = find(all, segmentOf(call, 'identificadorWebhook'))
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
