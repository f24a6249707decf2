import type { z } from 'zod'
import { type Caller, principalOf } from '../../domain/client.ts'
import type { Environment } from '../../domain/realm.ts'
import type { ChargeResource } from '../../domain/service/charge-route.ts'
import { PortariaError } from '../../platform/errors.ts'
import { type Call, endpoint, segmentOf } from '../http/endpoint.ts'
import { serviceBody } from './body.ts'
import { type ChargeRoutingOptions, createChargeRouting } from './charge-routing.ts'
import { ChargesApiError, checkChargesRequest } from './charges-problem.ts'
import {
  type ChargeMetadata,
  chargeMetadataSchema,
  doneSchema,
  metadataQuerySchema,
  subscriptionMetadataSchema,
} from './charges-schema.ts'

/** Base address of the charges interface. No client certificate is required below it (service-decisions.md, Interfaces). */
export const CHARGES_BASE = '/charges'

interface MetadataOf {
  readonly resource: ChargeResource
  readonly number: number
  readonly schema: z.ZodType<ChargeMetadata>
}

const DESCRIPTION = `The gateway sets its own address at the service and forwards the notifications to \`notification_url\`, as a destination of
origin \`route\`. \`custom_id\` is passed on.`
const EXAMPLE = { notification_url: 'https://app.example/charges', custom_id: 'order-17' }

/** Metadata of charges and subscriptions: Document 2, endpoints 3 and 12. */
export function chargeMetadataEndpoints(options: ChargeRoutingOptions) {
  const changeMetadata = createChargeRouting(options)
  const endpointOf = ({ resource, number, schema }: MetadataOf) =>
    endpoint({
      tag: 'Charges',
      errors: 'charges',
      checkQuery: checkChargesRequest,
      access: ['charges.metadata.write'],
      method: 'put',
      path: `${CHARGES_BASE}/v1/${resource}/:id/metadata`,
      segments: { id: `Id of the ${resource} at the service: digits.` },
      summary: `Route the notifications of a ${resource} to the app (endpoint ${number})`,
      description: DESCRIPTION,
      query: metadataQuerySchema,
      body: serviceBody(schema, EXAMPLE, (given) => checkChargesRequest(schema, given)),
      answers: {
        200: { description: 'The service has the address, and the notifications are forwarded.', schema: doneSchema },
        409: {
          description: `Another app routes this ${resource}, or the client has the maximum number of destinations.`,
        },
        412: { description: `The service refuses it for the status of the ${resource}.` },
        422: { description: 'The service refuses the values.' },
        503: {
          description: 'The gateway or the service cannot do this now; the text says whether it may have been done.',
        },
      },
      async run(call) {
        const environment = environmentOf(call, call.query.environment)
        await changeMetadata(call, { environment, resource, resourceId: idOf(call, resource) }, call.body)
        return { json: { code: 200 as const } }
      },
    })
  return {
    setChargeMetadata: endpointOf({ resource: 'charge', number: 3, schema: chargeMetadataSchema }),
    setSubscriptionMetadata: endpointOf({ resource: 'subscription', number: 12, schema: subscriptionMetadataSchema }),
  }
}

/** @throws ChargesApiError 404 */
function idOf(call: Call, resource: ChargeResource): string {
  const id = segmentOf(call, 'id')
  if (/^[1-9]\d{0,17}$/.test(id)) return id
  throw new ChargesApiError(404, `there is no ${resource} with this id: ids are digits`)
}

/** @throws ChargesApiError 400 where nothing says which; PortariaError `forbidden` for that of another client */
function environmentOf(caller: Caller, environment: Environment | undefined): Environment {
  const principal = principalOf(caller)
  const own = principal.kind === 'operator' ? 'any' : principal.environment
  if (own !== 'any' && environment !== undefined && environment !== own)
    throw new PortariaError('forbidden', `the client belongs to ${own}: it cannot change charges of ${environment}`)
  const meant = own === 'any' ? environment : own
  if (meant !== undefined) return meant
  const message =
    'is missing: add ?environment=production or ?environment=sandbox, because the caller belongs to neither'
  throw new ChargesApiError(400, { property: '/environment', message })
}
