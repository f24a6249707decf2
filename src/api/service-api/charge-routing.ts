/**
 * An app gives the gateway its own notification address for a charge. The route is stored before the service is asked, so that no notification in
 * between goes elsewhere; it is confirmed or restored by the answer. Without an answer it stays unconfirmed, and the app repeats its request.
 * Changes of a charge by one owner run one after the other: a second one would restore the unconfirmed route of the first, which may be refused.
 */

import { randomUUID } from 'node:crypto'
import type { Caller } from '../../domain/client.ts'
import { namedParts } from '../../domain/realm.ts'
import {
  type ChargeKey,
  type ChargeRouteReads,
  type ChargeRouteWrites,
  isHeldByAnother,
  type OpenedRoute,
} from '../../domain/service/charge-route.ts'
import type { ChargesService, MetadataOutcome, ServiceMetadata } from '../../domain/service/charges-service.ts'
import type { Log } from '../../platform/log.ts'
import type { DestinationEndpointsOptions } from '../destinations/options.ts'
import { appDestination, ownershipOf, refusalOfUrl } from './app-destination.ts'
import { ChargesApiError } from './charges-problem.ts'
import type { ChargeMetadata } from './charges-schema.ts'

export interface ChargeRoutingOptions
  extends Pick<DestinationEndpointsOptions, 'defaults' | 'newSecret' | 'checkUrl' | 'onChanged' | 'now'> {
  readonly store: ChargeRouteReads & ChargeRouteWrites
  readonly log: Log
  readonly charges: ChargesService
  /** A client that is not revoked. */
  readonly findClient: (id: string) => object | undefined
}

/** @throws ChargesApiError, PortariaError */
export type ChangeMetadata = (caller: Caller, key: ChargeKey, metadata: ChargeMetadata) => Promise<void>

export function createChargeRouting(options: ChargeRoutingOptions): ChangeMetadata {
  const { store, charges, log, now, onChanged } = options

  /** @throws ChargesApiError 409 for a charge that another app routes */
  async function requireOwn(key: ChargeKey, owner: string | null): Promise<void> {
    const route = await store.getChargeRoute(key)
    if (route === null || !isHeldByAnother(route, owner, now())) return
    const isRevoked = route.owner !== null && options.findClient(route.owner) === undefined
    if (!isRevoked) throw routedElsewhere(key)
  }

  /** @throws ChargesApiError 503 */
  function requireService({ environment }: ChargeKey, need: 'metadata' | 'routing'): void {
    const problem = charges.problemOf(environment, need)
    if (problem !== null) throw new ChargesApiError(503, problem)
  }

  async function passOn(key: ChargeKey, metadata: ServiceMetadata): Promise<void> {
    requireService(key, 'metadata')
    const outcome = await charges.changeMetadata(key, metadata)
    if (outcome.kind !== 'done') throw errorOf(outcome)
  }

  async function endRoute(key: ChargeKey, owner: string | null): Promise<void> {
    if (!(await store.deleteChargeRoute(key, owner))) return
    await onChanged()
    log.info({ ...fieldsOf(key), client: owner }, 'charge_route.ended')
  }

  async function open(key: ChargeKey, url: string, caller: Caller): Promise<OpenedRoute> {
    const { owner, environments } = ownershipOf(caller)
    const name = `route-${randomUUID().split('-')[0]}`
    const settings = appDestination({ name, url, kinds: ['charge'], environments }, options)
    const opened = await store.openChargeRoute({ ...key, owner, settings }, now())
    if (opened.isNewDestination) await onChanged()
    return opened
  }

  async function route(caller: Caller, key: ChargeKey, { url, ...metadata }: { url: string } & ServiceMetadata) {
    requireService(key, 'routing')
    await checkUrl(url, options.checkUrl)
    const opened = await open(key, url, caller)
    const outcome = await charges.changeMetadata(key, {
      ...metadata,
      notification_url: charges.ownAddressOf(key.environment),
    })
    await settle(key, opened, outcome)
  }

  async function settle(key: ChargeKey, { route, previous, destination }: OpenedRoute, outcome: MetadataOutcome) {
    const fields = { ...fieldsOf(key), destination: destination.name, client: route.owner }
    if (outcome.kind === 'done') {
      await store.confirmChargeRoute(key, route.owner, now())
      return log.info(fields, 'charge_route.set')
    }
    const error = errorOf(outcome)
    const reason = outcome.kind === 'failed' ? outcome.reason : error.message
    if (outcome.kind === 'failed' && outcome.isOutcomeUnknown) {
      log.warn({ ...fields, reason }, 'charge_route.unconfirmed')
    } else {
      await store.restoreChargeRoute(route, previous)
      await onChanged()
      log.warn({ ...fields, reason }, 'charge_route.refused')
    }
    throw error
  }

  const changeInTurn: ChangeMetadata = async (caller, key, { notification_url: url, custom_id: customId }) => {
    const metadata = customId === undefined ? {} : { custom_id: customId }
    if (typeof url === 'string') return route(caller, key, { ...metadata, url })
    const { owner } = ownershipOf(caller)
    await requireOwn(key, owner)
    // A body without any member asks only whether the charge exists.
    if (url === undefined || customId !== undefined) await passOn(key, metadata)
    if (url === null) await endRoute(key, owner)
  }
  const inTurn = createTurns()
  return function changeMetadata(caller, key, metadata) {
    const { environment, resource, resourceId } = key
    const name = JSON.stringify([environment, resource, resourceId, ownershipOf(caller).owner])
    return inTurn(name, () => changeInTurn(caller, key, metadata))
  }
}

interface Turns {
  readonly last: Promise<void>
  readonly count: number
}

/** An app that stops waiting repeats its request: without a limit, the requests to a service that does not answer would pile up. */
const MOST_AT_ONCE = 10

/** Tasks of one name run one after the other, in the order of their calls. @throws ChargesApiError 503 */
function createTurns() {
  const turns = new Map<string, Turns>()
  return async function inTurn(name: string, task: () => Promise<void>): Promise<void> {
    const { last, count } = turns.get(name) ?? { last: Promise.resolve(), count: 0 }
    if (count >= MOST_AT_ONCE) throw new ChargesApiError(503, `${count} changes of it are under way; ${NOT_DONE}`)
    const running = last.then(task, task)
    turns.set(name, { last: running, count: count + 1 })
    try {
      await running
    } finally {
      const { last, count } = turns.get(name) as Turns
      if (count === 1) turns.delete(name)
      else turns.set(name, { last, count: count - 1 })
    }
  }
}

/** Of the service's refusals; the others become 400. */
const PASSED_ON: readonly number[] = [400, 404, 409, 412, 422]

const UNKNOWN = 'the service gave no answer, so the address may be set or not: repeat the request'
const NOT_DONE = 'nothing was changed: repeat the request later'

function errorOf(outcome: Exclude<MetadataOutcome, { kind: 'done' }>): ChargesApiError {
  if (outcome.kind === 'failed')
    return new ChargesApiError(503, `${outcome.text}; ${outcome.isOutcomeUnknown ? UNKNOWN : NOT_DONE}`, {
      waitMs: outcome.retryAfterMs,
    })
  const { status, code, error, description } = outcome
  return new ChargesApiError(
    PASSED_ON.includes(status) ? status : 400,
    description ?? `the service refused the change with HTTP ${status}`,
    {
      ...(code !== null && { code }),
      ...(error !== null && { error }),
    },
  )
}

function routedElsewhere({ resource }: ChargeKey): ChargesApiError {
  return new ChargesApiError(409, `another app receives the notifications of this ${resource}: it must end that first`)
}

/** @throws ChargesApiError 400 */
async function checkUrl(url: string, check: ChargeRoutingOptions['checkUrl']): Promise<void> {
  const refusal = await refusalOfUrl(url, check)
  if (refusal === null) return
  throw new ChargesApiError(400, { property: '/notification_url', message: refusal.message }, { cause: refusal })
}

function fieldsOf({ environment, resource, resourceId }: ChargeKey) {
  return { ...namedParts(environment), resource, id: resourceId }
}
