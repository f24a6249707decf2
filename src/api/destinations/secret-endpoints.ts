import { endpoint } from '../http/endpoint.ts'
import { optionalBody } from '../http/json-body.ts'
import { mayWrite, segments } from './contract.ts'
import { aboutDestination, applied, find, viewFor } from './endpoint-parts.ts'
import type { DestinationEndpointsOptions } from './options.ts'
import { destinationWithSecretSchema } from './schema.ts'
import { rotationOf, secretRotationSchema } from './settings.ts'

export function rotateDestinationSecret(options: DestinationEndpointsOptions) {
  return endpoint({
    ...mayWrite,
    method: 'post',
    segments,
    path: '/v1/destinations/:id/rotate-secret',
    summary: 'Rotate the secret of a destination',
    details: (call) => aboutDestination(call, options),
    description:
      'The previous secret also signs until the overlap ends. Clients rotate secrets of their own destinations, with operations.write of all.',
    body: optionalBody(secretRotationSchema, { what: 'the rotation', example: { overlap: '24h' } }),
    answers: {
      200: { description: 'The destination with its new secret.', schema: destinationWithSecretSchema },
      409: { description: 'The destination comes from the configuration file, or already uses that secret.' },
    },
    async run(call) {
      const store = options.storeFor(call)
      const { id } = await find(call, store)
      const rotation = rotationOf(call.body, options)
      const destination = await applied(store.rotateSecret(id, rotation), options)
      return { json: { ...viewFor(call, destination), secret: rotation.secret } }
    },
  })
}
