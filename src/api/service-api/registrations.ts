/**
 * A registration is a destination with a UUID. The store finds the one of the same owner, kinds and URL, or makes it,
 * in one transaction. URL and kinds of a registration never change, because the service's contract shows them.
 */

import { randomUUID } from 'node:crypto'
import type { Request } from 'express'
import type { z } from 'zod'
import type { Destination } from '../../domain/destination.ts'
import { isRegistrationFor, type Registered, type RegisteredKind } from '../../domain/registration.ts'
import type { Store } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { storeViews } from '../auth/store-scope.ts'
import type { DestinationEndpointsOptions } from '../destinations/endpoints.ts'
import { appDestination, ownershipOf, refusalOfUrl } from './app-destination.ts'
import { ServiceApiError } from './problem.ts'
import type { registrationListSchema } from './schema.ts'

export interface RegistrationsOptions
  extends Pick<DestinationEndpointsOptions, 'kinds' | 'defaults' | 'newSecret' | 'checkUrl' | 'onChanged' | 'now'> {
  readonly store: Store
  readonly log: Log
}

/** A requested registration. */
export interface RequestedRegistration {
  readonly kind: RegisteredKind
  readonly url: string
  /** Name of the URL member in the body. */
  readonly member: string
}

/** Destinations created through the service's own API, which has separate endpoints for each kind. */
export interface Registrations {
  /**
   * The principal's own; with an operator scope (`operations.read` to read, `operations.write` to change) also those of others. Oldest first.
   */
  list(request: Request, kind: RegisteredKind): Promise<Destination[]>
  /**
   * Idempotent for the same URL and owner. @throws ServiceApiError 400 `webhook_invalido` for a forbidden URL, 422 for a kind that the gateway does
   * not receive; PortariaError `conflict` beyond the limits
   */
  register(request: Request, requested: RequestedRegistration): Promise<Registered>
  /** Cancels its pending deliveries before the promise is fulfilled. */
  remove(request: Request, registration: Destination): Promise<void>
}

export function createRegistrations(options: RegistrationsOptions): Registrations {
  const { store, log } = options
  const storeFor = storeViews(store)

  return {
    async list(request, kind) {
      return (await storeFor(request).listDestinations()).filter((one) => isRegistrationFor(kind, one))
    },
    async register(request, requested) {
      const { kind, url } = requested
      if (!options.kinds.includes(kind)) throw new ServiceApiError(422, kindMissing(kind))
      await checkUrl(requested, options.checkUrl)
      const id = randomUUID()
      const { owner, environments } = ownershipOf(request)
      const name = `${kind}-${id.split('-')[0]}`
      const settings = appDestination({ name, url, kinds: [kind], environments }, options)
      const registered = await store.registerDestination(settings, { id, owner }, options.now())
      if (registered.isNew) {
        await options.onChanged()
        log.info({ ...fieldsOf(registered.destination), kind, client: owner }, 'registration.created')
      }
      return registered
    },
    async remove(request, registration) {
      await store.deleteDestination(registration.id).catch(throwDeleted)
      await options.onChanged()
      log.info({ ...fieldsOf(registration), client: ownershipOf(request).owner }, 'registration.deleted')
    },
  }
}

/** Another request was faster. */
function throwDeleted(cause: unknown): never {
  if (!(cause instanceof PortariaError && cause.code === 'not_found')) throw cause
  throw new ServiceApiError(404, 'this webhook has just been deleted', { nome: 'webhook_nao_encontrado', cause })
}

function kindMissing(kind: RegisteredKind): string {
  return `this gateway receives no callbacks of kind ${kind}: its operator can add the kind to callbacks.kinds`
}

function fieldsOf({ registrationId, name }: Destination) {
  return { registration: registrationId, destination: name }
}

async function checkUrl(
  { url, member }: RequestedRegistration,
  check: RegistrationsOptions['checkUrl'],
): Promise<void> {
  const refusal = await refusalOfUrl(url, check)
  if (refusal === null) return
  const { message } = refusal
  const violations = [{ pointer: `/${member}`, words: message }]
  throw new ServiceApiError(400, message, { nome: 'webhook_invalido', violations, cause: refusal })
}

export interface ListPage {
  /** Limits of the period, ISO 8601, inclusive; an end without a fraction includes its whole second. */
  readonly inicio: string
  readonly fim: string
  readonly page: number
  readonly perPage: number
}

/** A page of endpoints 20 and 23, with the applied parameters. */
export function registrationPage<Record>(
  all: readonly Destination[],
  { inicio, fim, page, perPage }: ListPage,
  recordOf: (registration: Destination) => Record,
): { parametros: z.output<typeof registrationListSchema>['parametros']; webhooks: Record[] } {
  const [from, to] = [Date.parse(inicio), Date.parse(fim) + (fim.includes('.') ? 0 : 999)]
  const found = all.filter(({ createdAt }) => createdAt >= from && createdAt <= to)
  const paginacao = {
    paginaAtual: page,
    itensPorPagina: perPage,
    quantidadeDePaginas: Math.ceil(found.length / perPage),
    quantidadeTotalDeItens: found.length,
  }
  const webhooks = found.slice(page * perPage, (page + 1) * perPage).map(recordOf)
  return { parametros: { inicio, fim, paginacao }, webhooks }
}
