import type { Clock } from '../domain/clock.ts'
import { CERTIFICATE_SETS, type InventoryEntry } from '../domain/expiry.ts'
import type { KindActivity } from '../domain/inactivity.ts'
import type { ReadinessCheck } from '../domain/readiness.ts'
import type { Exposition } from './exposition.ts'

export interface WatchSources {
  readonly checks: () => readonly ReadinessCheck[]
  /** As of the last look at them. */
  readonly certificates: () => readonly InventoryEntry[]
  /** Kinds that are watched for silence. */
  readonly heard: () => readonly KindActivity[]
  readonly clock: Pick<Clock, 'state'>
  readonly now: () => number
}

/** What the gateway watches: itself, certificates, and whether the service still calls. */
export function exposeWatched(exposition: Exposition, { checks, certificates, heard, clock, now }: WatchSources): void {
  exposition.gauge(
    { name: 'portaria_ready', help: '1 while notifications are taken and kept, as /readyz says.' },
    [],
    (tell) => tell({}, Number(checks().every(({ problem }) => problem === null))),
  )
  exposition.gauge(
    { name: 'portaria_ready_check', help: '1 for each part of /readyz that is as it should be.' },
    ['check'],
    (tell) => {
      for (const { name, problem } of checks()) tell({ check: name }, Number(problem === null))
    },
  )
  exposition.gauge(
    {
      name: 'portaria_clock_plausible',
      help: '0 while the clock is implausible: nothing is removed or expired by age (portaria storage confirm-clock).',
    },
    [],
    (tell) => tell({}, Number(clock.state().isPlausible)),
  )
  exposition.gauge(
    {
      name: 'portaria_certificate_left_seconds',
      help: 'Until the first certificate of a set ends; negative: it has expired. As of the last look, an hour ago at most.',
    },
    ['set'],
    (tell) => {
      for (const set of CERTIFICATE_SETS) {
        const ends = certificates().flatMap((one) =>
          one.set !== set || 'problem' in one || one.isReplaced ? [] : [one.notAfter],
        )
        if (ends.length > 0) tell({ set }, (Math.min(...ends) - now()) / 1000)
      }
    },
  )
  exposition.gauge(
    { name: 'portaria_certificate_files_unreadable', help: 'Files of certificates that cannot be read.' },
    ['set'],
    (tell) => {
      for (const set of CERTIFICATE_SETS)
        tell({ set }, certificates().filter((one) => one.set === set && 'problem' in one).length)
    },
  )
  exposition.gauge(
    {
      name: 'portaria_kind_silent',
      help: '1 while a kind has been silent for longer than callbacks.kinds.*.alertAfter; only of kinds that have one.',
    },
    ['kind'],
    (tell) => {
      for (const { kind, isInactive } of heard()) tell({ kind }, Number(isInactive))
    },
  )
  exposition.gauge(
    {
      name: 'portaria_kind_last_received_timestamp_seconds',
      help: 'When the last notification of such a kind came; 0: none ever did.',
    },
    ['kind'],
    (tell) => {
      for (const { kind, lastReceivedAt } of heard()) tell({ kind }, (lastReceivedAt ?? 0) / 1000)
    },
  )
}
