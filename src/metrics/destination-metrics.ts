import type { DestinationTotals, StoreSnapshot } from '../domain/store-snapshot.ts'
import type { Exposition } from './exposition.ts'

export interface DestinationSources {
  readonly totals: () => readonly DestinationTotals[]
  /** null: unknown. */
  readonly snapshot: () => StoreSnapshot | null
  readonly now: () => number
}

/** A name is unique for its owner. owner: a client's id; empty: the operator. */
const DESTINATION = ['owner', 'destination'] as const

/** Forwarding. Only existing destinations have series. */
export function exposeDestinations(exposition: Exposition, { totals, snapshot, now }: DestinationSources): void {
  exposition.counter(
    { name: 'portaria_delivery_attempts_total', help: 'Delivery attempts by result: delivered or failed.' },
    [...DESTINATION, 'result'],
    (emit) => {
      for (const { destination, owner, delivered, failed } of totals()) {
        emit({ owner: owner ?? '', destination, result: 'delivered' }, delivered)
        emit({ owner: owner ?? '', destination, result: 'failed' }, failed)
      }
    },
  )
  exposition.counter(
    {
      name: 'portaria_deliveries_total',
      help: 'Ended deliveries by outcome: delivered, or exhausted (schedule used up, or too old).',
    },
    [...DESTINATION, 'outcome'],
    (emit) => {
      for (const { destination, owner, delivered, exhausted } of totals()) {
        emit({ owner: owner ?? '', destination, outcome: 'delivered' }, delivered)
        emit({ owner: owner ?? '', destination, outcome: 'exhausted' }, exhausted)
      }
    },
  )
  exposition.gauge(
    { name: 'portaria_deliveries_sending', help: 'Delivery attempts under way.' },
    DESTINATION,
    (emit) => {
      for (const { destination, owner, sending } of totals()) emit({ owner: owner ?? '', destination }, sending)
    },
  )
  exposition.gauge(
    {
      name: 'portaria_destination_paused',
      help: '1 while the destination is paused: nothing is sent until an operator resumes it.',
    },
    DESTINATION,
    (emit) => {
      for (const { destination, owner, isPaused } of totals())
        emit({ owner: owner ?? '', destination }, Number(isPaused))
    },
  )
  exposition.gauge(
    {
      name: 'portaria_destination_circuit_open',
      help: '1 while the circuit is open: the destination fails, and only probes are sent.',
    },
    DESTINATION,
    (emit) => {
      for (const { destination, owner, circuitOpenedAt } of totals())
        emit({ owner: owner ?? '', destination }, Number(circuitOpenedAt !== null))
    },
  )
  exposition.gauge(
    {
      name: 'portaria_backlog_deliveries',
      help: 'Pending deliveries by state: waiting for their time, or blocked behind another delivery of their subject.',
    },
    [...DESTINATION, 'state'],
    (emit) => {
      for (const { destination, owner, waiting, blocked } of snapshot()?.backlogs ?? []) {
        emit({ owner: owner ?? '', destination, state: 'waiting' }, waiting)
        emit({ owner: owner ?? '', destination, state: 'blocked' }, blocked)
      }
    },
  )
  exposition.gauge(
    {
      name: 'portaria_backlog_age_seconds',
      help: 'Age of the oldest pending delivery, without those of replays of many events; 0: none.',
    },
    DESTINATION,
    (emit) => {
      for (const { destination, owner, oldestSince } of snapshot()?.backlogs ?? [])
        emit({ owner: owner ?? '', destination }, secondsSince(oldestSince, now()))
    },
  )
  exposition.gauge(
    {
      name: 'portaria_subjects_held',
      help: 'Subjects that an exhausted delivery blocks until it is retried or skipped.',
    },
    DESTINATION,
    (emit) => {
      for (const { destination, owner, heldSubjects } of snapshot()?.backlogs ?? [])
        emit({ owner: owner ?? '', destination }, heldSubjects)
    },
  )
}

/** null: 0. */
export function secondsSince(time: number | null, now: number): number {
  return time === null ? 0 : Math.max(0, now - time) / 1000
}
