import { SCOPES, type Scope, type ScopeNames } from '../../domain/scopes.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { JsonSchema } from '../http/json-schema.ts'

const SCOPE_DESCRIPTIONS: Readonly<Record<Scope, string>> = {
  'registration.webhook.write': 'Register and remove webhooks for registrations.',
  'registration.webhook.read': 'Read webhooks for registrations.',
  'payment.webhook.write': 'Register and remove webhooks for payments.',
  'payment.webhook.read': 'Read webhooks for payments.',
  'charges.metadata.write': 'Route the notifications of charges and subscriptions to the app.',
  'events.read': 'Poll for events and read them.',
  'events.replay': 'Replay events.',
  'support.read': 'Read events with personal data masked.',
  'support.unmask': 'Show the personal data of single events, with a reason; every use is recorded.',
  'support.replay':
    'Send events again to destinations that they were queued for, of any client, without changing anything else.',
  'expected.write': 'Name ids of which callbacks are expected.',
  'destinations.read': 'Read destinations.',
  'destinations.write': 'Create, change and delete own destinations, and read their secrets.',
  'operations.read': 'Read everything of all clients and paths of the machine, except signing secrets.',
  'operations.write': 'Change everything of all clients, and read their signing secrets.',
}

export interface SecurityOptions {
  readonly scopeNames: ScopeNames
  /** `/registration` and `/payment` require a client certificate. */
  readonly needsCertificate: boolean
}

/** OpenAPI 3.1 section 4.8.27. */
export function securitySchemes({ scopeNames, needsCertificate }: SecurityOptions): JsonSchema {
  return {
    operator: {
      type: 'http',
      scheme: 'bearer',
      description: "The operator's token (api.operatorTokenFile), with access to everything.",
    },
    client: {
      type: 'oauth2',
      description: "A client's access token as a bearer token (RFC 6750).",
      flows: {
        clientCredentials: {
          tokenUrl: '/oauth/token',
          scopes: Object.fromEntries(SCOPES.map((scope) => [scopeNames.nameOf(scope), SCOPE_DESCRIPTIONS[scope]])),
        },
      },
    },
    clientSecret: {
      type: 'http',
      scheme: 'basic',
      description: "A client's id and secret; the body may contain them instead.",
    },
    ...(needsCertificate && {
      certificate: {
        type: 'mutualTLS',
        description: 'A client certificate; tokens are bound to the certificate of the token request (RFC 8705).',
      },
    }),
  }
}

/** Alternatives: one of these is enough. */
export function securityOf(endpoint: Endpoint, { scopeNames, needsCertificate }: SecurityOptions): JsonSchema[] {
  const { access, errors, path } = endpoint
  const certificate = needsCertificate ? { certificate: [] } : {}
  if (path === '/oauth/device_authorization' || path === '/oauth/revoke') return []
  if (errors === 'token') {
    const atBases = /^\/(oauth|charges)\//.test(path) ? {} : certificate
    return [{ clientSecret: [], ...atBases }, atBases]
  }
  if (access === 'public') return []
  const beside = errors === 'service' ? certificate : {}
  const scopes = access === 'operator' ? [] : access
  return [{ operator: [], ...beside }, ...scopes.map((scope) => ({ client: [scopeNames.nameOf(scope)], ...beside }))]
}
