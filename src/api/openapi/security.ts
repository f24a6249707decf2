import { SCOPES, type Scope, type ScopeNames } from '../../domain/scopes.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { JsonSchema } from './json-schema.ts'

const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  'registration.webhook.write': 'Register and remove webhooks for registrations.',
  'registration.webhook.read': 'Look at webhooks for registrations.',
  'payment.webhook.write': 'Register and remove webhooks for payments.',
  'payment.webhook.read': 'Look at webhooks for payments.',
  'events.read': 'Poll for events, and look at them.',
  'events.replay': 'Deliver events once more.',
  'destinations.read': 'Look at destinations.',
  'destinations.write': 'Make, change and remove destinations of your own; see their secrets.',
  'operations.read': 'Look at everything, of all clients, but for signing secrets.',
  'operations.write': 'Change everything, of all clients, and see their signing secrets.',
}

export interface SecurityOptions {
  readonly scopeNames: ScopeNames
  /** The service's contract is only for those who show a client certificate. */
  readonly needsCertificate: boolean
}

/** OpenAPI 3.1 section 4.8.27. */
export function securitySchemes({ scopeNames, needsCertificate }: SecurityOptions): JsonSchema {
  return {
    operator: {
      ...{ type: 'http', scheme: 'bearer' },
      description: "The operator's token (api.operatorTokenFile): it may do everything.",
    },
    client: {
      type: 'oauth2',
      description: 'An access token of a client, as a bearer token (RFC 6750).',
      flows: {
        clientCredentials: {
          tokenUrl: '/oauth/token',
          scopes: Object.fromEntries(SCOPES.map((scope) => [scopeNames.nameOf(scope), SCOPE_WORDS[scope]])),
        },
      },
    },
    clientSecret: {
      ...{ type: 'http', scheme: 'basic' },
      description: 'Id and secret of a client; they may stand in the body in place of this.',
    },
    ...(needsCertificate && {
      certificate: {
        type: 'mutualTLS',
        description: 'A client certificate: tokens are bound to the one that they were given out for (RFC 8705).',
      },
    }),
  }
}

/** Alternatives: one of these is enough. */
export function securityOf(endpoint: Endpoint, { scopeNames, needsCertificate }: SecurityOptions): JsonSchema[] {
  const { access, errors, path } = endpoint
  const certificate = needsCertificate ? { certificate: [] } : {}
  if (errors === 'token') {
    const atBases = path.startsWith('/oauth/') ? {} : certificate
    return [{ clientSecret: [], ...atBases }, atBases]
  }
  if (access === 'public') return []
  const beside = errors === 'service' ? certificate : {}
  const scopes = access === 'operator' ? [] : access
  return [{ operator: [], ...beside }, ...scopes.map((scope) => ({ client: [scopeNames.nameOf(scope)], ...beside }))]
}
