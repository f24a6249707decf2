import type { FailingChannel } from '../alarms/alarm.ts'
import type { ClockState } from '../clock.ts'
import type { ConfigurationState } from '../configuration-state.ts'
import type { DiskLevel } from '../disk-pressure.ts'
import type { InventoryEntry } from '../expiry.ts'
import type { KindActivity } from '../inactivity.ts'
import type { Unheard } from '../nodes/foreign-changes.ts'
import { numberedId } from '../public-id.ts'
import type { ReadinessCheck } from '../readiness.ts'
import type { JudgedOutage } from '../reconcile/outages.ts'
import type { RefusedCallbacks } from '../refused-callbacks.ts'
import type { SearchState } from '../search/search-index.ts'
import type { ServiceStatus } from '../service/service-status.ts'
import type { WriterPulse } from '../store.ts'
import type { ConsumerLag, DestinationBacklog, DestinationTotals } from '../store-snapshot.ts'
import type { FileProblem } from '../unused-files.ts'
import { severityOfFailing } from './destination-judgement.ts'
import type { Reason } from './reasons.ts'

/** Minutes that the traffic of an overview covers. */
export const OVERVIEW_MINUTES = 60

/** Traffic since the start, at most of the last 60 minutes, the current one last. */
export interface RecentTraffic {
  /** Accepted callbacks by kind, for each minute. */
  readonly callbacks: Readonly<Record<string, readonly number[]>>
  /** Callbacks that could not be stored, in the last 5 minutes. */
  readonly failed: number
  /** The first time at which the institution of one of them gives up, such as `2026-11-27T14:00Z`; null: unknown. */
  readonly repeatedUntil: string | null
  /** Time from the end of a callback to its 200 in the last 5 minutes; null: there was no callback. */
  readonly acknowledge: { readonly p50Ms: number; readonly p99Ms: number } | null
  /** For each minute; null: there was no callback. */
  readonly acknowledgeP99Ms: readonly (number | null)[]
  /** Most deliveries that waited in each minute; null: unknown. */
  readonly waiting: readonly (number | null)[]
}

/** The parts of the gateway that an overview is made of. */
export interface OverviewFacts {
  readonly now: number
  readonly traffic: RecentTraffic
  readonly checks: readonly ReadinessCheck[]
  readonly clock: ClockState
  readonly pulse: WriterPulse
  readonly disk: { readonly level: DiskLevel; readonly freeBytes: number; readonly minFreeBytes: number }
  readonly certificates: readonly InventoryEntry[]
  /** Certificates, chains, lists and secrets that could not be taken up. */
  readonly unusedFiles: readonly FileProblem[]
  readonly configuration: ConfigurationState
  /** Callbacks of identified callers that were refused in the last day. */
  readonly refused: readonly RefusedCallbacks[]
  /** Of the kinds with `alertAfter`. */
  readonly kinds: readonly KindActivity[]
  /** Those that are not over, the newest first. */
  readonly outages: readonly JudgedOutage[]
  readonly destinations: readonly DestinationTotals[]
  /** null: the database could not be read. */
  readonly stored: {
    readonly backlogs: readonly DestinationBacklog[]
    readonly lags: readonly ConsumerLag[]
    readonly quarantined: number
  } | null
  readonly service: readonly ServiceStatus[]
  /** null: unknown. */
  readonly search: SearchState | null
  /** Channels of alarms that send nothing now. */
  readonly failingChannels: readonly FailingChannel[]
  /** null: what other nodes commit is heard, or there are none. */
  readonly unheard: Unheard | null
}

export const LIGHTS = ['green', 'yellow', 'red'] as const
export type Light = (typeof LIGHTS)[number]

export interface OverviewDestination {
  /** Such as `dst_1`. */
  readonly id: string
  readonly name: string
  /** Id of the client that owns it; null: the operator. */
  readonly owner: string | null
  readonly state: 'active' | 'paused'
  readonly circuit: 'closed' | 'open'
  readonly pending: number
  readonly blocked: number
  /** Age of the oldest pending delivery; null: none is pending. */
  readonly oldestSeconds: number | null
  /** How bad it is that it takes nothing; null: it does, or nothing was sent. */
  readonly failing: 'warning' | 'problem' | null
}

/** The state of a gateway for a person. */
export interface Overview {
  readonly facts: OverviewFacts
  readonly light: Light
  /** Problems first. */
  readonly reasons: readonly Reason[]
  /** Those with the oldest pending delivery first. */
  readonly destinations: readonly OverviewDestination[]
}

export function destinationsOf({ destinations, stored, now }: OverviewFacts): OverviewDestination[] {
  const keyOf = (owner: string | null, name: string) => `${owner ?? ''} ${name}`
  const backlogs = new Map((stored?.backlogs ?? []).map((one) => [keyOf(one.owner, one.destination), one]))
  return destinations
    .map(({ destinationId, destination: name, owner, isPaused, circuitOpenedAt, isFailing }): OverviewDestination => {
      const backlog = backlogs.get(keyOf(owner, name))
      const oldestSince = backlog?.oldestSince ?? null
      return {
        id: numberedId('dst', destinationId),
        name,
        owner,
        state: isPaused ? 'paused' : 'active',
        circuit: circuitOpenedAt !== null ? 'open' : 'closed',
        pending: backlog?.waiting ?? 0,
        blocked: backlog?.blocked ?? 0,
        oldestSeconds: oldestSince === null ? null : Math.max(0, Math.round((now - oldestSince) / 1000)),
        failing: isFailing ? severityOfFailing({ isPaused, circuitOpenedAt, oldestSince }, now) : null,
      }
    })
    .sort((one, two) => (two.oldestSeconds ?? -1) - (one.oldestSeconds ?? -1) || one.name.localeCompare(two.name))
}
