import { type Response, Router } from 'express'
import type { z } from 'zod'
import type { Destination } from '../../domain/destination.ts'
import type { ScopeNames } from '../../domain/scopes.ts'
import { iso } from '../../platform/time.ts'
import { requireScope } from '../auth/authentication.ts'
import { sendJson } from '../http/answer.ts'
import { optionalJsonBody } from '../http/json-body.ts'
import { checkServiceRequest, ServiceApiError } from './problem.ts'
import { listOf, type Registrations } from './registrations.ts'
import {
  newRegistrationSchema,
  type registeredSchema,
  type registrationListSchema,
  registrationQuerySchema,
  type registrationRecordSchema,
} from './schema.ts'
import { serviceQueryOf } from './service-api-request.ts'

const WEBHOOK = '/registration/v1/webhook'
const WEBHOOKS = '/registration/v1/webhooks'
const ONE_WEBHOOK = '/registration/v1/webhook/:identificadorWebhook'

export interface RegistrationRoutesOptions {
  readonly registrations: Registrations
  readonly scopeNames: ScopeNames
  readonly now: () => number
}

/** The registration webhook: Document 1, endpoints 18 to 21. Behind the authentication. */
export function registrationRoutes({ registrations, scopeNames, now }: RegistrationRoutesOptions): Router {
  const mayWrite = requireScope('registration.webhook.write', scopeNames)
  const mayRead = requireScope('registration.webhook.read', scopeNames)
  const router = Router()

  router.post(WEBHOOK, mayWrite, ...optionalJsonBody, async function registerWebhook(request, response) {
    const { webhookUrl } = checkServiceRequest(newRegistrationSchema, request.body ?? {}, 'the webhook')
    const wanted = { kind: 'registration', url: webhookUrl, member: 'webhookUrl' } as const
    const { destination, isNew } = await registrations.register(request, wanted)
    const identificadorWebhook = idOf(destination)
    if (!isNew) throw alreadyRegistered(identificadorWebhook)
    send<typeof registeredSchema>(response, { identificadorWebhook })
  })

  router.get(WEBHOOKS, mayRead, async function listWebhooks(request, response) {
    const query = checkServiceRequest(registrationQuerySchema, serviceQueryOf(request), 'the query')
    const { inicio = iso(0), fim = iso(now()) } = query
    const page = {
      ...{ inicio, fim },
      ...{ page: query['paginacao.paginaAtual'], perPage: query['paginacao.itensPorPagina'] },
    }
    const all = await registrations.list(request, 'registration')
    send<typeof registrationListSchema>(response, listOf(all, page, recordOf))
  })

  router.get(ONE_WEBHOOK, mayRead)
  router.get(ONE_WEBHOOK, async function showWebhook(request, response) {
    const all = await registrations.list(request, 'registration')
    send<typeof registrationRecordSchema>(response, recordOf(find(all, request.params.identificadorWebhook)))
  })

  router.delete(ONE_WEBHOOK, mayWrite)
  router.delete(ONE_WEBHOOK, async function deleteWebhook(request, response) {
    const all = await registrations.list(request, 'registration')
    await registrations.remove(request, find(all, request.params.identificadorWebhook))
    response.status(204).end()
  })

  return router
}

function send<Schema extends z.ZodType>(response: Response, body: z.output<Schema>): void {
  sendJson(response, JSON.stringify(body))
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

/** RFC 9562 section 4: capital letters mean the same. What is no UUID at all is no webhook either. */
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
    { nome: 'webhook_ja_cadastrado' },
  )
}
