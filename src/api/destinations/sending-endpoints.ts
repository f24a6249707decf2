import { type Destination, TEST_KIND, testKindsOf } from '../../domain/destination.ts'
import { forwardingText } from '../../domain/forwarding/forwarding-texts.ts'
import { invalidRequest, PortariaError } from '../../platform/errors.ts'
import { excerptOf } from '../deliveries/response-body.ts'
import { type Call, endpoint } from '../http/endpoint.ts'
import { optionalBody } from '../http/json-body.ts'
import { destinationAnswer, mayWrite, segments } from './contract.ts'
import { aboutDestination, applied, find, viewFor } from './endpoint-parts.ts'
import type { DestinationEndpointsOptions } from './options.ts'
import { testAnswerSchema, testEventSchema } from './schema.ts'

export function pauseDestination(options: DestinationEndpointsOptions) {
  return endpoint({
    ...mayWrite,
    method: 'post',
    path: '/v1/destinations/:id/pause',
    segments,
    summary: 'Pause a destination',
    details: (call) => aboutDestination(call, options),
    description:
      'Its deliveries stay pending and use no step of their schedules. `pauseReason` repeats the reason, if one is given.',
    answers: {
      200: destinationAnswer,
      409: { description: 'The destination was removed from the configuration file.' },
    },
    async run(call) {
      const store = options.storeFor(call)
      const { id } = await find(call, store)
      const paused = await applied(store.pauseDestination(id, pauseReasonOf(call)), options)
      return { json: viewFor(call, paused) }
    },
  })
}

function pauseReasonOf({ reason }: Call): string {
  return reason === null ? forwardingText('paused') : forwardingText('paused_for', { reason })
}

export function resumeDestination(options: DestinationEndpointsOptions) {
  return endpoint({
    ...mayWrite,
    method: 'post',
    path: '/v1/destinations/:id/resume',
    segments,
    summary: 'Resume a destination',
    details: (call) => aboutDestination(call, options),
    answers: {
      200: destinationAnswer,
      409: {
        description:
          'The destination was removed from the configuration file, or the client certificate for it cannot be used.',
      },
    },
    async run(call) {
      const store = options.storeFor(call)
      const destination = await find(call, store)
      const reason = options.sendBlockedReason(destination)
      // Its next delivery would pause it again.
      if (reason !== null) throw new PortariaError('conflict', `${destination.name} stays paused: ${reason}`)
      const resumed = await applied(store.resumeDestination(destination.id), options)
      return { json: viewFor(call, resumed) }
    },
  })
}

export function testDestination(options: DestinationEndpointsOptions) {
  return endpoint({
    ...mayWrite,
    method: 'post',
    path: '/v1/destinations/:id/test',
    segments,
    summary: 'Send a test event now',
    details: (call) => aboutDestination(call, options),
    description:
      'The event is signed like any other, but not stored. The outcome does not affect the destination. Its subject and status are `test`.',
    body: optionalBody(testEventSchema, { what: 'the test', example: { kind: 'operator' } }),
    answers: { 200: { description: 'The outcome.', schema: testAnswerSchema } },
    async run(call) {
      const destination = await find(call, options.storeFor(call))
      const { kind = TEST_KIND } = call.body
      checkTestKind(destination, kind, options)
      const { status, error, durationMs, answer } = await options.testDestination(destination, kind)
      return { json: { ok: error === null, status, error, durationMs, answer: excerptOf(answer) } }
    },
  })
}

function checkTestKind(destination: Destination, kind: string, { kinds }: DestinationEndpointsOptions): void {
  const received = testKindsOf(destination, kinds)
  if (!received.includes(kind))
    throw invalidRequest('the test', [{ pointer: '/kind', words: `one of ${received.join(', ')}` }])
}
