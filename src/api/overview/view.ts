import { daysLeft, type InventoryEntry } from '../../domain/expiry.ts'
import type { Overview, OverviewFacts } from '../../domain/overview/overview.ts'
import { institutionOf, partsOrNull } from '../../domain/realm.ts'
import { type JudgedOutage, windowView } from '../../domain/reconcile/outages.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import type { View } from '../http/schema-parts.ts'
import type { overviewSchema } from './schema.ts'

export type OverviewView = View<typeof overviewSchema>

export function overviewView({ facts, light, reasons, destinations }: Overview): OverviewView {
  const { now, traffic, disk, kinds, outages, certificates, configuration, search } = facts
  return {
    at: iso(now),
    light,
    reasons,
    destinations,
    callbacksPerMinute: traffic.callbacks,
    waitingPerMinute: traffic.waiting,
    acknowledgeLatency: {
      p50: traffic.acknowledge?.p50Ms ?? null,
      p99: traffic.acknowledge?.p99Ms ?? null,
      p99PerMinute: traffic.acknowledgeP99Ms,
    },
    silentKinds: kinds
      .filter(({ isInactive }) => isInactive)
      .map(({ kind, environment, lastReceivedAt }) => ({
        kind,
        institution: institutionOf(environment),
        lastReceivedAt: isoOrNull(lastReceivedAt),
      })),
    outages: outages.map(outageView),
    certificates: certificates
      .filter((one) => 'problem' in one || !one.isReplaced)
      .map((one) => certificateView(one, now)),
    freeSpace: freeSpaceView(disk),
    configuration: {
      sha256: configuration.sha256,
      generation: configuration.generation,
      needRestart: configuration.needRestart,
    },
    search: search && {
      lagEvents: search.lagEvents,
      lagSeconds: search.lagSeconds,
      isRebuilding: search.isRebuilding,
    },
  }
}

function outageView({ cause, beganAt, endedAt, reconciledAt, windows }: JudgedOutage) {
  return {
    cause,
    beganAt: iso(beganAt),
    endedAt: isoOrNull(endedAt),
    reconciledAt: isoOrNull(reconciledAt),
    windows: windows.map(windowView),
  }
}

/** Without a guard there is nothing below which it would act. */
function freeSpaceView({ level, freeBytes, minFreeBytes }: OverviewFacts['disk']): OverviewView['freeSpace'] {
  return minFreeBytes === 0 ? null : { level, freeBytes: Number.isFinite(freeBytes) ? freeBytes : null, minFreeBytes }
}

function certificateView(one: InventoryEntry, now: number): OverviewView['certificates'][number] {
  const { set, where: name, environment } = one
  return { set, name, ...partsOrNull(environment), daysLeft: 'problem' in one ? null : daysLeft(one.notAfter, now) }
}
