import type { Clock } from '../domain/clock.ts'
import { CERTIFICATE_SETS, type InventoryEntry, judgeExpiry } from '../domain/expiry.ts'
import type { KindActivity } from '../domain/inactivity.ts'
import type { ReadinessCheck } from '../domain/readiness.ts'
import { namedParts } from '../domain/realm.ts'
import { type JudgedOutage, windowLeftMs } from '../domain/reconcile/outages.ts'
import type { Exposition } from './exposition.ts'

export interface WatchSources {
  readonly checks: () => readonly ReadinessCheck[]
  /** As of the last reading. */
  readonly certificates: () => readonly InventoryEntry[]
  /** Of the kinds with `alertAfter`. */
  readonly kindActivity: () => readonly KindActivity[]
  /** Those that are not over, the newest first. */
  readonly outages: () => readonly JudgedOutage[]
  readonly clock: Pick<Clock, 'state'>
  readonly now: () => number
}

const EXPIRING_STATES = ['warning', 'problem', 'expired'] as const

/** Readiness, clock, certificates, and the activity of kinds. */
export function exposeWatched(
  exposition: Exposition,
  { checks, certificates, kindActivity, outages, clock, now }: WatchSources,
): void {
  exposition.gauge(
    { name: 'portaria_ready', help: '1 while callbacks are accepted and stored, as in /readyz.' },
    [],
    (emit) => emit({}, Number(checks().every(({ problem }) => problem === null))),
  )
  exposition.gauge(
    { name: 'portaria_ready_check', help: '1 for each check of /readyz that passes.' },
    ['check'],
    (emit) => {
      for (const { name, problem } of checks()) emit({ check: name }, Number(problem === null))
    },
  )
  exposition.gauge(
    {
      name: 'portaria_clock_plausible',
      help: '0 while the clock is implausible: nothing is removed or expired by age (portaria storage confirm-clock).',
    },
    [],
    (emit) => emit({}, Number(clock.state().isPlausible)),
  )
  exposition.gauge(
    {
      name: 'portaria_certificate_left_seconds',
      help: 'Time until the first certificate of a set expires; negative: it has expired. Read at least once an hour.',
    },
    ['set'],
    (emit) => {
      for (const set of CERTIFICATE_SETS) {
        const ends = certificates().flatMap((one) =>
          one.set !== set || 'problem' in one || one.isReplaced ? [] : [one.notAfter],
        )
        if (ends.length > 0) emit({ set }, (Math.min(...ends) - now()) / 1000)
      }
    },
  )
  exposition.gauge(
    {
      name: 'portaria_certificates_expiring',
      help: 'Certificates that expire soon for their lifetime (warning), very soon (problem), or have expired. Read at least once an hour.',
    },
    ['set', 'state'],
    (emit) => {
      for (const set of CERTIFICATE_SETS) {
        const judged = certificates().flatMap((one) =>
          one.set !== set || 'problem' in one || one.isReplaced ? [] : [judgeExpiry(one, now())],
        )
        if (judged.length === 0) continue
        for (const state of EXPIRING_STATES) emit({ set, state }, judged.filter((one) => one === state).length)
      }
    },
  )
  exposition.gauge(
    { name: 'portaria_certificate_files_unreadable', help: 'Certificate files that cannot be read.' },
    ['set'],
    (emit) => {
      for (const set of CERTIFICATE_SETS)
        emit({ set }, certificates().filter((one) => one.set === set && 'problem' in one).length)
    },
  )
  exposition.gauge(
    {
      name: 'portaria_kind_silent',
      help: '1 while no callback of the kind has come for alertAfter; only kinds with that key.',
    },
    ['institution', 'kind'],
    (emit) => {
      for (const { isInactive, ...one } of kindActivity()) emit(labelsOf(one), Number(isInactive))
    },
  )
  exposition.gauge(
    {
      name: 'portaria_kind_last_received_timestamp_seconds',
      help: 'Time of the last callback of the kind; 0: none has come.',
    },
    ['institution', 'kind'],
    (emit) => {
      for (const { lastReceivedAt, ...one } of kindActivity()) emit(labelsOf(one), (lastReceivedAt ?? 0) / 1000)
    },
  )
  exposition.gauge(
    {
      name: 'portaria_service_outage_window_seconds',
      help: 'Time until the service stops sending again what it could not deliver in the newest outage; negative: it gives up callbacks now; 0: there is none.',
    },
    [],
    (emit) => emit({}, windowLeftMs(outages(), now()) / 1000),
  )
}

function labelsOf({ kind, environment }: Pick<KindActivity, 'kind' | 'environment'>) {
  const { institution } = namedParts(environment)
  return institution === undefined ? { kind } : { institution, kind }
}
