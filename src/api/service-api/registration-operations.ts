import type { Operation } from '../http/endpoint.ts'
import {
  newRegistrationSchema,
  paymentWebhookListSchema,
  paymentWebhookQuerySchema,
  paymentWebhookSchema,
  registeredSchema,
  registrationListSchema,
  registrationQuerySchema,
  registrationRecordSchema,
} from './schema.ts'

const JSON_ONLY = { types: ['application/json'], isRequired: true }
const common = { tag: 'Registrations', errors: 'contract' } as const
const segments = { identificadorWebhook: 'The webhook: the id that its registration gave.' }
const mayRead = { access: { contract: 'registration.webhook.read' } } as const
const mayWrite = { access: { contract: 'registration.webhook.write' } } as const
const paymentRead = { access: { contract: 'payment.webhook.read' } } as const
const paymentWrite = { access: { contract: 'payment.webhook.write' } } as const
const NO_KIND = { description: 'This gateway takes no callbacks of this kind.' }
const GONE = { description: 'It gets nothing any more; what it was still owed is canceled.' }
const url = 'https://app.example/webhooks'

/** The service's own contract: Document 1, endpoints 18 to 24. */
export const REGISTRATION_OPERATIONS: readonly Operation[] = [
  {
    ...{ ...common, ...mayWrite, id: 'registerRegistrationWebhook', method: 'post', path: '/registration/v1/webhook' },
    summary: 'Register a webhook for registrations (endpoint 18)',
    body: { ...JSON_ONLY, schema: newRegistrationSchema, example: { webhookUrl: url } },
    answers: {
      200: { description: 'It gets what comes from now on.', schema: registeredSchema },
      409: { description: 'It is registered already, or there are as many as may be.' },
      422: NO_KIND,
    },
  },
  {
    ...{ ...common, ...mayRead, id: 'showRegistrationWebhook', segments },
    ...{ method: 'get', path: '/registration/v1/webhook/:identificadorWebhook' },
    summary: 'Show a webhook for registrations (endpoint 19)',
    answers: { 200: { description: 'The webhook.', schema: registrationRecordSchema } },
  },
  {
    ...{ ...common, ...mayRead, id: 'listRegistrationWebhooks', method: 'get', path: '/registration/v1/webhooks' },
    summary: 'List webhooks for registrations (endpoint 20)',
    query: registrationQuerySchema,
    answers: { 200: { description: 'A page of webhooks.', schema: registrationListSchema } },
  },
  {
    ...{ ...common, ...mayWrite, id: 'deleteRegistrationWebhook', segments },
    ...{ method: 'delete', path: '/registration/v1/webhook/:identificadorWebhook' },
    summary: 'Remove a webhook for registrations (endpoint 21)',
    answers: { 204: GONE },
  },
  {
    ...{ ...common, ...paymentWrite, id: 'registerPaymentWebhook', method: 'put', path: '/payment/v1/webhook' },
    summary: 'Register a webhook for payments (endpoint 22)',
    description: 'The same URL once more changes nothing.',
    body: { ...JSON_ONLY, schema: paymentWebhookSchema, example: { url } },
    answers: {
      201: { description: 'It gets what comes from now on.', schema: paymentWebhookSchema },
      409: { description: 'There are as many as may be.' },
      422: NO_KIND,
    },
  },
  {
    ...{ ...common, ...paymentRead, id: 'listPaymentWebhooks', method: 'get', path: '/payment/v1/webhook' },
    summary: 'List webhooks for payments (endpoint 23)',
    query: paymentWebhookQuerySchema,
    answers: { 200: { description: 'A page of webhooks.', schema: paymentWebhookListSchema } },
  },
  {
    ...{ ...common, ...paymentWrite, id: 'deletePaymentWebhook', method: 'delete', path: '/payment/v1/webhook' },
    summary: 'Remove a webhook for payments (endpoint 24)',
    body: { ...JSON_ONLY, schema: paymentWebhookSchema, example: { url } },
    answers: {
      204: GONE,
      404: { description: 'No such webhook is registered.' },
      409: { description: 'Several clients have registered it.' },
    },
  },
]
