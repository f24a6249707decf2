/**
 * A registration is a destination with a UUID. The store finds the one of the same owner, kinds and URL, or makes it,
 * in one transaction. URL and kinds of a registration never change, because the service's contract shows them.
 */

import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { Caller } from '../../domain/client.ts'
import type { Destination } from '../../domain/destination.ts'
import { isRegistrationFor, type Registered, type RegisteredKind } from '../../domain/registration.ts'
import type { Store } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { storeViews } from '../auth/store-scope.ts'
import type { DestinationEndpointsOptions } from '../destinations/options.ts'
import { appDestination, ownershipOf } from './app-destination.ts'
import { ServiceApiError } from './problem.ts'
import type { registrationListSchema } from './schema.ts'
import { SENTENCES, UNKNOWN_ID, UNKNOWN_URL } from './sentences.ts'
import { type GivenUrl, requireUsableUrl } from './url-refusal.ts'

export interface RegistrationsOptions
  extends Pick<
    DestinationEndpointsOptions,
    'unnamedKinds' | 'defaults' | 'newSecret' | 'checkUrl' | 'onChanged' | 'now'
  > {
  readonly store: Store
  readonly log: Log
}

/** A requested registration. */
export interface RequestedRegistration extends GivenUrl {
  readonly kind: RegisteredKind
}

/** Destinations created through the service's own API, which has separate endpoints for each kind. */
export interface Registrations {
  /**
   * The principal's own; with an operator scope (`operations.read` to read, `operations.write` to change) also those of others. Oldest first.
   */
  list(caller: Caller, kind: RegisteredKind): Promise<Destination[]>
  /**
   * Idempotent for the same URL and owner. @throws ServiceApiError 400 for a URL to which the gateway does not forward, 422 for a kind that it does
   * not receive; PortariaError `conflict` beyond the limits
   */
  register(caller: Caller, requested: RequestedRegistration): Promise<Registered>
  /** Gives it another URL, to which waiting deliveries go, too. @returns as `Store.moveRegistration`. @throws ServiceApiError 400 as `register` */
  move(caller: Caller, registration: Destination, given: GivenUrl): Promise<Registered>
  /** Cancels its pending deliveries before the promise is fulfilled. */
  remove(caller: Caller, registration: Destination): Promise<void>
}

export function createRegistrations(options: RegistrationsOptions): Registrations {
  const { store, log } = options
  const storeFor = storeViews(store)

  return {
    async list(caller, kind) {
      return (await storeFor(caller).listDestinations()).filter((one) => isRegistrationFor(kind, one))
    },
    async register(caller, requested) {
      const { kind, url } = requested
      if (!options.unnamedKinds.includes(kind)) throw new ServiceApiError(422, SENTENCES[422])
      await requireUsableUrl(requested, options.checkUrl)
      const id = randomUUID()
      const { owner, environments } = ownershipOf(caller)
      const name = `${kind}-${id.split('-')[0]}`
      const settings = appDestination({ name, url, kinds: [kind], environments }, options)
      const registered = await store.registerDestination(settings, { id, owner }, options.now())
      if (registered.isNew) {
        await options.onChanged()
        log.info({ ...fieldsOf(registered.destination), kind, client: owner }, 'registration.created')
      }
      return registered
    },
    async move(caller, registration, given) {
      await requireUsableUrl(given, options.checkUrl)
      const moved = await store.moveRegistration(registration.id, given.url).catch(throwUnknown('chave_invalida'))
      if (moved.isNew) {
        await options.onChanged()
        log.info({ ...fieldsOf(registration), client: ownershipOf(caller).owner }, 'registration.moved')
      }
      return moved
    },
    async remove(caller, registration) {
      const nome = isRegistrationFor('registration', registration) ? 'identificador_webhook' : 'webhook_nao_encontrado'
      await store.deleteDestination(registration.id).catch(throwUnknown(nome))
      await options.onChanged()
      log.info({ ...fieldsOf(registration), client: ownershipOf(caller).owner }, 'registration.deleted')
    },
  }
}

/** Names for a webhook that is not there (service-errors.md). `chave_invalida`: of one that should be moved. */
type Unknown = 'identificador_webhook' | 'webhook_nao_encontrado' | 'chave_invalida'

export function unknownWebhook(nome: Unknown, cause?: unknown): ServiceApiError {
  const sentence = nome === 'webhook_nao_encontrado' ? UNKNOWN_URL : UNKNOWN_ID
  return new ServiceApiError(nome === 'chave_invalida' ? 400 : 404, sentence, { nome, cause })
}

/** Another request was faster. */
function throwUnknown(nome: Unknown) {
  return function throwIt(cause: unknown): never {
    throw cause instanceof PortariaError && cause.code === 'not_found' ? unknownWebhook(nome, cause) : cause
  }
}

function fieldsOf({ registrationId, name }: Destination) {
  return { registration: registrationId, destination: name }
}

/** @throws ServiceApiError 400 for a period that ends before it begins. @param end of its last member, a JSON Pointer */
export function requireOrder(from: string, to: string, end: string): void {
  if (Date.parse(to) >= Date.parse(from)) return
  const words = 'O fim do período é anterior ao início.'
  throw new ServiceApiError(400, words, { nome: 'data_invalida', violations: [{ pointer: end, words }] })
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
