import { chargeMetadataEndpoints } from './charge-metadata.ts'
import type { ChargeRoutingOptions } from './charge-routing.ts'
import { paymentWebhookEndpoints } from './payment-webhooks.ts'
import { registrationWebhookEndpoints } from './registration-webhooks.ts'
import { createRegistrations, type RegistrationsOptions } from './registrations.ts'

/** Base addresses of the service's own webhook API (service-decisions.md, Interfaces and base addresses). */
export const SERVICE_API_BASES = ['/registration', '/payment']

/**
 * The service's own webhook API (Document 1, endpoints 18 to 24) and metadata of charges (Document 2, endpoints 3 and 12), for apps that call the
 * gateway as they would call the service.
 */
export function serviceApiEndpoints(options: RegistrationsOptions & ChargeRoutingOptions) {
  const registrations = createRegistrations(options)
  return {
    ...registrationWebhookEndpoints({ registrations, now: options.now }),
    ...paymentWebhookEndpoints(registrations),
    ...chargeMetadataEndpoints(options),
  }
}
