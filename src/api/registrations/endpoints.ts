import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Client } from '../../domain/client.ts'
import { numberedId } from '../../domain/public-id.ts'
import { invalidRequest, PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { hostIn, membersOf } from '../audit/details.ts'
import { urlFor } from '../auth/shown-urls.ts'
import type { ClientRegistry } from '../clients/registry.ts'
import { destinationSchema } from '../destinations/schema.ts'
import { destinationView } from '../destinations/view.ts'
import { endpoint } from '../http/endpoint.ts'
import { requiredBody } from '../http/json-body.ts'
import { appDestination } from '../service-api/app-destination.ts'
import type { RegistrationsOptions } from '../service-api/registrations.ts'

export interface AppRegistrationOptions extends RegistrationsOptions {
  readonly clients: ClientRegistry
}

const KINDS = ['registration', 'payment'] as const

const appRegistrationSchema = z
  .strictObject({
    kind: z.enum(KINDS, { error: `one of ${KINDS.join(', ')}` }),
    url: z.string().min(1, 'is empty: write it like https://app.example/webhooks'),
    client: z.string().min(1, 'is empty: name a client').describe('Id or name of the client of the app'),
  })
  .meta({ id: 'AppRegistration' })

/** Registrations that the operator makes for apps; apps make their own through the service's contract. */
export function appRegistrationEndpoints(options: AppRegistrationOptions) {
  return { registerForApp: registerForApp(options) }
}

function registerForApp({ store, clients, log, ...options }: AppRegistrationOptions) {
  return endpoint({
    tag: 'Destinations',
    errors: 'problem',
    access: 'operator',
    method: 'post',
    path: '/v1/registrations',
    summary: 'Register an address for an app',
    details: (call) => ({
      ...membersOf(call.body, ['client', 'kind']),
      host: hostIn(membersOf(call.body, ['url']).url),
    }),
    description:
      "As if the app had registered it through the service's own API: it belongs to the client, in the client's environment.",
    body: requiredBody(appRegistrationSchema, {
      what: 'the registration',
      example: { kind: 'payment', url: 'https://app.example/webhooks', client: 'shop' },
    }),
    answers: {
      201: {
        description: 'The destination of the registration.',
        schema: destinationSchema,
        headers: { location: { description: 'URL of the destination.', schema: { type: 'string' } } },
      },
      404: { description: 'No such client, or it is revoked.' },
      409: { description: 'The app has registered the URL already, or the maximum number of destinations is reached.' },
      422: { description: 'Its URL leads to a forbidden address (forwarding.allowedNetworks).' },
    },
    async run(call) {
      const { kind, url } = call.body
      const client = presentClient(await clients.get(call.body.client))
      if (!options.unnamedKinds.includes(kind))
        throw invalidRequest('the registration is not valid', [
          { pointer: '/kind', words: 'the configuration has no callbacks of this kind' },
        ])
      await options.checkUrl(url)
      const id = randomUUID()
      const environments = client.environment === 'any' ? null : [client.environment]
      const name = `${kind}-${id.split('-')[0]}`
      const settings = appDestination({ name, url, kinds: [kind], environments }, options)
      const { destination, isNew } = await store.registerDestination(settings, { id, owner: client.id }, options.now())
      if (!isNew)
        throw new PortariaError(
          'conflict',
          say`${{ name: client.name }} has registered this URL already: ${{ destination: destination.name }}`,
        )
      await options.onChanged()
      log.info({ registration: id, destination: name, kind, client: client.id }, 'registration.created')
      const location = `/v1/destinations/${numberedId('dst', destination.id)}`
      return { status: 201, headers: { location }, json: destinationView(destination, urlFor(call, destination)) }
    },
  })
}

/** @throws PortariaError `not_found`: a revoked client could not read what it would own */
function presentClient(client: Client): Client {
  if (client.revokedAt === null) return client
  throw new PortariaError('not_found', say`the client ${{ id: client.id }} is revoked`)
}
