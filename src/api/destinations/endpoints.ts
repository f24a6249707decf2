import type { RequestHandler } from 'express'
import { type Destination, signingSecrets } from '../../domain/destination.ts'
import { forwardingText } from '../../domain/forwarding/forwarding-texts.ts'
import { numberedId } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { PortariaError } from '../../platform/errors.ts'
import { hostIn, membersOf } from '../audit/details.ts'
import { ownerOf } from '../auth/store-scope.ts'
import { findDestination } from '../deliveries/destination-lookup.ts'
import { excerptOf } from '../deliveries/response-body.ts'
import { type Call, endpoint, segmentOf } from '../http/endpoint.ts'
import { JSON_TYPE, optionalBody, requiredBody } from '../http/json-body.ts'
import type { DestinationEndpointsOptions } from './options.ts'
import {
  destinationPageSchema,
  destinationQuerySchema,
  destinationSchema,
  destinationStatsSchema,
  destinationWithSecretSchema,
  secretsSchema,
  testAnswerSchema,
} from './schema.ts'
import {
  changesOf,
  destinationPatchSchema,
  newDestinationSchema,
  newSettings,
  PATCH_HINTS,
  rotationOf,
  secretRotationSchema,
} from './settings.ts'
import { backlogView, destinationView, sendingView, statsView } from './view.ts'

const mayRead = { tag: 'Destinations', errors: 'problem', access: ['destinations.read'] } as const
const mayWrite = { ...mayRead, access: ['destinations.write'] } as const
const segments = { id: 'Name of the destination, or an id such as dst_1.' }
const destinationAnswer = { description: 'The destination.', schema: destinationSchema }
const FORBIDDEN_URL = { description: 'Its URL leads to a forbidden address (forwarding.allowedNetworks).' }
const NAME_CONFLICT = { description: 'The destination comes from the configuration file, or the name is taken.' }

export function destinationEndpoints(options: DestinationEndpointsOptions) {
  return {
    listDestinations: listDestinations(options),
    createDestination: createDestination(options),
    showDestination: showDestination(options),
    changeDestination: changeDestination(options),
    deleteDestination: deleteDestination(options),
    showDestinationStats: showDestinationStats(options),
    showDestinationSecret: showDestinationSecret(options),
    rotateDestinationSecret: rotateDestinationSecret(options),
    pauseDestination: pauseDestination(options),
    resumeDestination: resumeDestination(options),
    testDestination: testDestination(options),
  }
}

function find(call: Call, store: StoreReader): Promise<Destination> {
  return findDestination(store, segmentOf(call, 'id'), { owner: ownerOf(call) })
}

const OPERATOR = 'operator'

/** Empty: there is no such destination, which the endpoint says. */
async function aboutDestination(call: Call, { storeFor }: Pick<DestinationEndpointsOptions, 'storeFor'>) {
  const destination = await find(call, storeFor(call)).catch(() => null)
  if (destination === null) return {}
  const { id, name, url, owner } = destination
  return { destination: numberedId('dst', id), name, host: hostIn(url), owner: owner ?? OPERATOR }
}

/** Applies a change before the request is answered. */
async function applied(
  changing: Promise<Destination>,
  { onChanged }: DestinationEndpointsOptions,
): Promise<Destination> {
  const destination = await changing
  await onChanged()
  return destination
}

function listDestinations({ storeFor, statsOf }: DestinationEndpointsOptions) {
  return endpoint({
    ...mayRead,
    method: 'get',
    path: '/v1/destinations',
    summary: 'List destinations',
    description: 'Oldest first. Clients see their own destinations, with operations.read all.',
    query: destinationQuerySchema,
    answers: { 200: { description: 'A page of destinations.', schema: destinationPageSchema } },
    async run(call) {
      const { after = 0, limit, origin, name, include } = call.query
      const store = storeFor(call)
      const [all, backlog] = await Promise.all([store.listDestinations(), store.countBacklog()])
      const rest = all.filter((d) => d.id > after && origin?.includes(d.origin) !== false && isNamed(d, name))
      const page = rest.slice(0, limit)
      const data = page.map((d) => ({
        ...destinationView(d),
        ...backlogView(backlog, d.id),
        ...(include !== undefined && { stats: sendingView(statsOf(d.id)) }),
      }))
      // An empty page keeps the reader's position.
      const last = page.at(-1)?.id ?? after
      return { json: { data, next: last === 0 ? null : numberedId('dst', last), more: rest.length > limit } }
    },
  })
}

function isNamed({ name, url }: Destination, part: string | undefined): boolean {
  return part === undefined || `${name} ${url}`.toLowerCase().includes(part.toLowerCase())
}

function createDestination(options: DestinationEndpointsOptions) {
  return endpoint({
    ...mayWrite,
    method: 'post',
    path: '/v1/destinations',
    summary: 'Create a destination',
    details: (call) => ({
      ...membersOf(call.body, ['name', 'kinds', 'environments']),
      host: hostIn(membersOf(call.body, ['url']).url),
      owner: ownerOf(call) ?? OPERATOR,
    }),
    description: 'The destination receives events stored from now on. Only `url` is required.',
    body: requiredBody(newDestinationSchema(options.kinds), {
      what: 'the destination',
      example: { url: 'https://books.example/hooks/payments', name: 'books' },
    }),
    answers: {
      201: {
        description: 'The created destination. Store its secret: it verifies the signatures of deliveries.',
        schema: destinationWithSecretSchema,
        headers: { location: { description: 'URL of the destination.', schema: { type: 'string' } } },
      },
      409: { description: 'The name is taken, or the maximum number of destinations is reached.' },
      422: FORBIDDEN_URL,
    },
    async run(call) {
      const secret = call.body.secret ?? options.newSecret()
      const settings = newSettings({ ...call.body, secret }, options.defaults)
      await options.checkUrl(settings.url)
      const creating = options.storeFor(call).createDestination(settings, options.now())
      const destination = await applied(creating, options)
      const location = `/v1/destinations/${numberedId('dst', destination.id)}`
      const json = { ...destinationView(destination), secret }
      return { status: 201, headers: { location }, json }
    },
  })
}

function showDestination({ storeFor }: DestinationEndpointsOptions) {
  return endpoint({
    ...mayRead,
    method: 'get',
    path: '/v1/destinations/:id',
    segments,
    summary: 'Show a destination',
    answers: { 200: destinationAnswer },
    async run(call) {
      return { json: destinationView(await find(call, storeFor(call))) }
    },
  })
}

/** RFC 7396. */
const PATCH_TYPES = ['application/merge-patch+json', JSON_TYPE]

/** Refusals name the accepted types too (RFC 5789 section 2.2). */
const announcePatchTypes: RequestHandler = function announcePatchTypes(_request, response, next) {
  response.setHeader('accept-patch', PATCH_TYPES.join(', '))
  next()
}

function changeDestination(options: DestinationEndpointsOptions) {
  return endpoint({
    ...mayWrite,
    method: 'patch',
    path: '/v1/destinations/:id',
    segments,
    summary: 'Change a destination',
    details: async (call) => {
      const { url, ...changes } = membersOf(call.body, Object.keys(call.body ?? {}))
      const changed = [...Object.keys(changes), ...(url === undefined ? [] : ['url'])]
      return { ...(await aboutDestination(call, options)), changed, newHost: hostIn(url) }
    },
    description: 'A JSON Merge Patch (RFC 7396): omitted settings keep their values, null restores the default.',
    body: requiredBody(destinationPatchSchema(options.kinds), {
      what: 'the change',
      hints: PATCH_HINTS,
      example: { timeoutMs: 5000, headers: { 'x-old': null } },
      types: PATCH_TYPES,
    }),
    answers: { 200: destinationAnswer, 409: NAME_CONFLICT, 422: FORBIDDEN_URL },
    before: announcePatchTypes,
    async run(call) {
      const store = options.storeFor(call)
      const { id } = await find(call, store)
      const changes = changesOf(call.body, options)
      if (changes.url !== undefined) await options.checkUrl(changes.url)
      const changed = await applied(store.updateDestination(id, changes, options.now()), options)
      return { json: destinationView(changed) }
    },
  })
}

function deleteDestination(options: DestinationEndpointsOptions) {
  return endpoint({
    ...mayWrite,
    method: 'delete',
    path: '/v1/destinations/:id',
    segments,
    summary: 'Delete a destination',
    details: (call) => aboutDestination(call, options),
    description: 'Cancels its pending deliveries.',
    answers: {
      204: { description: 'The destination was deleted.' },
      409: { description: 'The destination comes from the configuration file.' },
    },
    async run(call) {
      const store = options.storeFor(call)
      const { id } = await find(call, store)
      await applied(store.deleteDestination(id), options)
      return { status: 204 }
    },
  })
}

function showDestinationStats({ storeFor, statsOf, nextProbeOf }: DestinationEndpointsOptions) {
  return endpoint({
    ...mayRead,
    method: 'get',
    path: '/v1/destinations/:id/stats',
    segments,
    summary: 'Show delivery statistics of a destination',
    answers: { 200: { description: 'Statistics since the gateway started.', schema: destinationStatsSchema } },
    async run(call) {
      const store = storeFor(call)
      const destination = await find(call, store)
      const known = { stats: statsOf(destination.id), nextProbeAt: nextProbeOf(destination.id) }
      return { json: statsView(destination, known, await store.countBacklog()) }
    },
  })
}

function showDestinationSecret({ storeFor, now }: DestinationEndpointsOptions) {
  return endpoint({
    ...mayWrite,
    method: 'get',
    path: '/v1/destinations/:id/secret',
    segments,
    summary: 'Show the secrets of a destination',
    description:
      "The secrets sign deliveries in the gateway's name. Clients read those of their own destinations; all others need operations.write.",
    answers: { 200: { description: 'The secrets.', schema: secretsSchema } },
    async run(call) {
      // A secret signs in the gateway's name: reading it needs the rights for changing it.
      const destination = await find(call, storeFor(call, 'change'))
      return { json: { secrets: signingSecrets(destination, now()) } }
    },
  })
}

function rotateDestinationSecret(options: DestinationEndpointsOptions) {
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
      return { json: { ...destinationView(destination), secret: rotation.secret } }
    },
  })
}

function pauseDestination(options: DestinationEndpointsOptions) {
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
      return { json: destinationView(paused) }
    },
  })
}

function pauseReasonOf({ reason }: Call): string {
  return reason === null ? forwardingText('paused') : forwardingText('paused_for', { reason })
}

function resumeDestination(options: DestinationEndpointsOptions) {
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
      return { json: destinationView(resumed) }
    },
  })
}

function testDestination(options: DestinationEndpointsOptions) {
  return endpoint({
    ...mayWrite,
    method: 'post',
    path: '/v1/destinations/:id/test',
    segments,
    summary: 'Send a test event now',
    details: (call) => aboutDestination(call, options),
    description: 'The event is signed like any other, but not stored. The outcome does not affect the destination.',
    answers: { 200: { description: 'The outcome.', schema: testAnswerSchema } },
    async run(call) {
      const destination = await find(call, options.storeFor(call))
      const { status, error, durationMs, answer } = await options.testDestination(destination)
      return { json: { ok: error === null, status, error, durationMs, answer: excerptOf(answer) } }
    },
  })
}
