import type { RequestHandler } from 'express'
import type { Destination } from '../../domain/destination.ts'
import { signingSecrets } from '../../domain/destination.ts'
import type { NodeRecord } from '../../domain/nodes/node.ts'
import { numberedId } from '../../domain/public-id.ts'
import { hostIn, membersOf } from '../audit/details.ts'
import { urlFor } from '../auth/shown-urls.ts'
import { ownerOf, type ReaderFor } from '../auth/store-scope.ts'
import type { Handlers } from '../http/contract.ts'
import { type Call, endpoint } from '../http/endpoint.ts'
import { JSON_TYPE, requiredBody } from '../http/json-body.ts'
import { served } from '../http/served.ts'
import { CHANGES } from './changes.ts'
import { DESTINATION_CHANGES, DESTINATION_READS, destinationAnswer, mayWrite, segments } from './contract.ts'
import { aboutDestination, applied, find, OPERATOR, viewFor } from './endpoint-parts.ts'
import type { DestinationEndpointsOptions } from './options.ts'
import { destinationWithSecretSchema } from './schema.ts'
import { changesOf, destinationPatchSchema, newDestinationSchema, newSettings, PATCH_HINTS } from './settings.ts'
import { backlogView, sendingView, statsView } from './view.ts'

const FORBIDDEN_URL = { description: 'Its URL leads to a forbidden address (forwarding.allowedNetworks).' }
const NAME_CONFLICT = { description: 'The destination comes from the configuration file, or the name is taken.' }

/** Of operations that only read. */
export interface DestinationReadParts extends Pick<DestinationEndpointsOptions, 'now' | 'statsOf' | 'nextProbeOf'> {
  readonly storeFor: ReaderFor
}

const READS: Handlers<typeof DESTINATION_READS, DestinationReadParts> = {
  async listDestinations(call, { storeFor, statsOf }) {
    const { after = 0, limit, origin, name, include } = call.query
    const store = storeFor(call)
    const [all, backlog] = await Promise.all([store.listDestinations(), store.countBacklog()])
    const rest = all.filter((d) => d.id > after && origin?.includes(d.origin) !== false && isNamed(call, d, name))
    const page = rest.slice(0, limit)
    const data = page.map((d) => ({
      ...viewFor(call, d),
      ...backlogView(backlog, d.id),
      ...(include !== undefined && { stats: sendingView(statsOf(d.id)) }),
    }))
    // An empty page keeps the reader's position.
    const last = page.at(-1)?.id ?? after
    return { json: { data, next: last === 0 ? null : numberedId('dst', last), more: rest.length > limit } }
  },
  async showDestination(call, { storeFor }) {
    return { json: viewFor(call, await find(call, storeFor(call))) }
  },
  async showDestinationStats(call, { storeFor, statsOf, nextProbeOf }) {
    const store = storeFor(call)
    const destination = await find(call, store)
    const stats = statsOf(destination.id)
    const node = stats === null ? senderIn(await store.listNodes(), destination.id) : null
    const known = { stats, node, nextProbeAt: nextProbeOf(destination.id) }
    return { json: statsView(destination, known, await store.countBacklog()) }
  },
  async showDestinationSecret(call, { storeFor, now }) {
    // A secret signs in the gateway's name: reading it needs the rights for changing it.
    const destination = await find(call, storeFor(call, 'change'))
    return { json: { secrets: signingSecrets(destination, now()) } }
  },
}

export function destinationEndpoints(options: DestinationEndpointsOptions) {
  const { listDestinations, showDestination, ...facts } = destinationReads(options)
  const { deleteDestination, ...changes } = served(DESTINATION_CHANGES, CHANGES, options)
  return {
    listDestinations,
    createDestination: createDestination(options),
    showDestination,
    changeDestination: changeDestination(options),
    deleteDestination,
    ...facts,
    ...changes,
  }
}

export function destinationReads(parts: DestinationReadParts) {
  return served(DESTINATION_READS, READS, parts)
}

/** Values of the query that the caller may not see are not searched: the search would confirm guesses. */
function isNamed(call: Call, destination: Destination, part: string | undefined): boolean {
  return (
    part === undefined || `${destination.name} ${urlFor(call, destination)}`.toLowerCase().includes(part.toLowerCase())
  )
}

function createDestination(options: DestinationEndpointsOptions) {
  return endpoint({
    ...mayWrite,
    method: 'post',
    path: '/v1/destinations',
    summary: 'Create a destination',
    details: (call) => ({
      ...membersOf(call.body, ['name', 'kinds', 'institutions', 'environments']),
      host: hostIn(membersOf(call.body, ['url']).url),
      owner: ownerOf(call) ?? OPERATOR,
    }),
    description: 'The destination receives events stored from now on. Only `url` is required.',
    body: requiredBody(newDestinationSchema(options), {
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
      const json = { ...viewFor(call, destination), secret }
      return { status: 201, headers: { location }, json }
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
    body: requiredBody(destinationPatchSchema(options), {
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
      return { json: viewFor(call, changed) }
    },
  })
}

/** The name of the node that sends to a destination; null: none does. */
function senderIn(nodes: readonly NodeRecord[], destinationId: number): string | null {
  return nodes.find(({ isLiving, leases }) => isLiving && leases.includes(destinationId))?.name ?? null
}
