import type { Backlog } from '../../domain/delivery.ts'
import type { Destination } from '../../domain/destination.ts'
import { numberedId } from '../../domain/public-id.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import type { View } from '../http/schema-parts.ts'
import type { destinationSchema, destinationStatsSchema } from './schema.ts'

/** Statistics of a destination's latest attempts since the gateway started. */
export interface SendingStats {
  readonly attempts: number
  readonly successRate: number | null
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
  readonly sending: number
}

const NO_STATS: SendingStats = { attempts: 0, successRate: null, p50Ms: null, p95Ms: null, p99Ms: null, sending: 0 }

interface KnownToGateway {
  /** null: this process sends nothing to it. */
  readonly stats: SendingStats | null
  /** The other one that does. */
  readonly node: string | null
  readonly nextProbeAt: number | null
}

export function statsView(
  destination: Destination,
  { stats, nextProbeAt, node }: KnownToGateway,
  backlog: readonly Backlog[],
): View<typeof destinationStatsSchema> {
  return {
    id: numberedId('dst', destination.id),
    name: destination.name,
    state: destination.state,
    circuit: circuitOf(destination),
    circuitOpenedAt: isoOrNull(destination.circuitOpenedAt),
    nextProbeAt: isoOrNull(nextProbeAt),
    node,
    ...sendingView(stats),
    ...backlogView(backlog, destination.id),
  }
}

/** @param stats null: nothing is sent, because no gateway runs */
export function sendingView(stats: SendingStats | null) {
  const { attempts, successRate, p50Ms, p95Ms, p99Ms, sending } = stats ?? NO_STATS
  return { attempts, successRate, latencyMs: { p50: p50Ms, p95: p95Ms, p99: p99Ms }, sending }
}

/** The pending deliveries of a destination. */
export function backlogView(backlog: readonly Backlog[], destinationId: number) {
  const row = backlog.find((b) => b.destinationId === destinationId)
  return {
    waiting: row?.waiting ?? 0,
    blocked: row?.blocked ?? 0,
    oldestWaitingSince: isoOrNull(row?.oldestAt ?? null),
  }
}

/** Without header values and secrets. @param url as the reader may see it: `urlFor`, `shownUrl` */
export function destinationView(destination: Destination, url: string): View<typeof destinationSchema> {
  return {
    id: numberedId('dst', destination.id),
    name: destination.name,
    url,
    state: destination.state,
    pauseReason: destination.pauseReason,
    kinds: destination.kinds,
    environments: destination.environments,
    institutions: destination.institutions,
    subjects: destination.subjects,
    authentication: destination.authentication,
    format: destination.format,
    timeoutMs: destination.timeoutMs,
    concurrency: destination.concurrency,
    rateLimit: destination.rateLimit,
    scheduleMs: destination.schedule,
    order: destination.order,
    onExhausted: destination.onExhausted,
    circuit: circuitOf(destination),
    hasAuthorities: destination.authorities !== null,
    headers: destination.headers.map(([name]) => name),
    previousSecretUntil: isoOrNull(destination.previousSecretUntil),
    origin: destination.origin,
    registration: destination.registrationId,
    owner: destination.owner,
    createdAt: iso(destination.createdAt),
  }
}

function circuitOf({ circuitOpenedAt }: Destination): 'closed' | 'open' {
  return circuitOpenedAt === null ? 'closed' : 'open'
}
