import type { Endpoint } from '../http/endpoint.ts'
import { paymentWebhookEndpoints } from './payment-webhooks.ts'
import { registrationWebhookEndpoints } from './registration-webhooks.ts'
import { createRegistrations, type RegistrationsOptions } from './registrations.ts'

/** Base addresses of the service's own API (spec/DECISIONS.md, Interfaces and base addresses). */
export const SERVICE_API_BASES = ['/registration', '/payment']

/** The service's own webhook API (Document 1, endpoints 18 to 24), for apps that register here as they would with the service. */
export function serviceApiEndpoints(options: RegistrationsOptions): readonly Endpoint[] {
  const registrations = createRegistrations(options)
  return [
    ...registrationWebhookEndpoints({ registrations, now: options.now }),
    ...paymentWebhookEndpoints(registrations),
  ]
}
