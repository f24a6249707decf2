import type { ServiceClient } from '../../service/client.ts'
import {
  createRegistrationWebhook,
  deletePaymentWebhook,
  deleteRegistrationWebhook,
  putPaymentWebhook,
  type ServiceWebhook,
  type WebhookInterface,
} from '../../service/webhooks.ts'

/** Endpoint 18 or 22 of Document 1. @throws ServiceFailure */
export async function registerWebhook(client: ServiceClient, on: WebhookInterface, url: string): Promise<void> {
  if (on === 'payment') await putPaymentWebhook(client, url)
  else await createRegistrationWebhook(client, url)
}

/** Endpoint 21 or 24 of Document 1: only webhooks of the registration interface have an id. @throws ServiceFailure */
export async function deleteWebhook(client: ServiceClient, { id, url }: ServiceWebhook): Promise<void> {
  if (id === null) await deletePaymentWebhook(client, url)
  else await deleteRegistrationWebhook(client, id)
}
