import { type Destination, TEST_KIND, testKindsOf } from '../../domain/destination.ts'
import { forwardingText } from '../../domain/forwarding/forwarding-texts.ts'
import { invalidRequest, PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { excerptOf } from '../deliveries/response-body.ts'
import type { Handlers } from '../http/contract.ts'
import type { Call } from '../http/endpoint.ts'
import type { DESTINATION_CHANGES } from './contract.ts'
import { aboutDestination as details, applied, find, viewFor } from './endpoint-parts.ts'
import type { DestinationEndpointsOptions } from './options.ts'
import { rotationOf } from './rotation.ts'

export const CHANGES: Handlers<typeof DESTINATION_CHANGES, DestinationEndpointsOptions> = {
  deleteDestination: {
    details,
    async run(call, options) {
      const store = options.storeFor(call)
      const { id } = await find(call, store)
      await applied(store.deleteDestination(id), options)
      return { status: 204 }
    },
  },
  rotateDestinationSecret: {
    details,
    async run(call, options) {
      const store = options.storeFor(call)
      const { id } = await find(call, store)
      const rotation = rotationOf(call.body, options)
      const destination = await applied(store.rotateSecret(id, rotation), options)
      return { json: { ...viewFor(call, destination), secret: rotation.secret } }
    },
  },
  pauseDestination: {
    details,
    async run(call, options) {
      const store = options.storeFor(call)
      const { id } = await find(call, store)
      const paused = await applied(store.pauseDestination(id, pauseReasonOf(call)), options)
      return { json: viewFor(call, paused) }
    },
  },
  resumeDestination: {
    details,
    async run(call, options) {
      const store = options.storeFor(call)
      const destination = await find(call, store)
      const reason = options.sendBlockedReason(destination)
      // Its next delivery would pause it again.
      if (reason !== null)
        throw new PortariaError('conflict', say`${{ name: destination.name }} stays paused: ${{ reason }}`)
      const resumed = await applied(store.resumeDestination(destination.id), options)
      return { json: viewFor(call, resumed) }
    },
  },
  testDestination: {
    details,
    async run(call, options) {
      const destination = await find(call, options.storeFor(call))
      const { kind = TEST_KIND } = call.body
      checkTestKind(destination, kind, options)
      const { status, error, durationMs, answer } = await options.testDestination(destination, kind)
      return { json: { ok: error === null, status, error, durationMs, answer: excerptOf(answer) } }
    },
  },
}

function pauseReasonOf({ reason }: Call): string {
  return reason === null ? forwardingText('paused') : forwardingText('paused_for', { reason })
}

function checkTestKind(destination: Destination, kind: string, { kinds }: DestinationEndpointsOptions): void {
  const received = testKindsOf(destination, kinds)
  if (!received.includes(kind))
    throw invalidRequest('the test', [{ pointer: '/kind', words: `one of ${received.join(', ')}` }])
}
