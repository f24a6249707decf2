import { Router } from 'express'
import type { ScopeNames } from '../../domain/scopes.ts'
import type { Authentication } from '../auth/authentication.ts'
import { methodChecks } from '../http/method-checks.ts'
import { paymentWebhookRoutes } from './payment-webhook-routes.ts'
import { ServiceApiError } from './problem.ts'
import { REGISTRATION_OPERATIONS } from './registration-operations.ts'
import { registrationRoutes } from './registration-routes.ts'
import { createRegistrations, type RegistrationsOptions } from './registrations.ts'
import { requireCertificate } from './service-api-access.ts'

export interface ServiceApiRoutesOptions extends RegistrationsOptions {
  readonly authenticate: Authentication
  readonly scopeNames: ScopeNames
  /** It is only for those who show a client certificate (Document 1, Authentication 1). */
  readonly needsCertificate: boolean
}

/** Base addresses of the service's own contract (spec/DECISIONS.md, Interfaces and base addresses). */
export const SERVICE_API_BASES = ['/registration', '/payment']

/**
 * The service's own webhook contract (Document 1, endpoints 18 to 24), for apps that register here as they would with the service. Behind the
 * token endpoints, which are below the same addresses; in front of `answerServiceApiErrors`.
 */
export function serviceApiRoutes(options: ServiceApiRoutesOptions): Router {
  const registrations = createRegistrations(options)
  const router = Router()
  router.use(SERVICE_API_BASES, options.authenticate, ...(options.needsCertificate ? [requireCertificate] : []))
  router.use(methodChecks(REGISTRATION_OPERATIONS))
  router.use(registrationRoutes({ ...options, registrations }), paymentWebhookRoutes({ ...options, registrations }))
  router.use(SERVICE_API_BASES, function notFound(request) {
    throw new ServiceApiError(404, `nothing answers ${request.method} at this path`)
  })
  return router
}
