import type { DestinationTotals, StoreSnapshot } from '../domain/store-snapshot.ts'
import type { Exposition } from './exposition.ts'

export interface DestinationSources {
  readonly totals: () => readonly DestinationTotals[]
  /** null: it is not known. */
  readonly stock: () => StoreSnapshot | null
  readonly now: () => number
}

/** Names are one owner's alone. owner: its client; empty: the operator's. */
const DESTINATION = ['owner', 'destination'] as const

/** How the forwarding goes. Only destinations that are there have series, so what was removed leaves none behind. */
export function exposeDestinations(exposition: Exposition, { totals, stock, now }: DestinationSources): void {
  exposition.counter(
    { name: 'portaria_delivery_attempts_total', help: 'Attempts at deliveries: delivered or failed.' },
    [...DESTINATION, 'result'],
    (tell) => {
      for (const { destination, owner, delivered, failed } of totals()) {
        tell({ owner: owner ?? '', destination, result: 'delivered' }, delivered)
        tell({ owner: owner ?? '', destination, result: 'failed' }, failed)
      }
    },
  )
  exposition.counter(
    {
      name: 'portaria_deliveries_total',
      help: 'Deliveries that ended: delivered, or exhausted (schedule used up, or too old).',
    },
    [...DESTINATION, 'outcome'],
    (tell) => {
      for (const { destination, owner, delivered, exhausted } of totals()) {
        tell({ owner: owner ?? '', destination, outcome: 'delivered' }, delivered)
        tell({ owner: owner ?? '', destination, outcome: 'exhausted' }, exhausted)
      }
    },
  )
  exposition.gauge({ name: 'portaria_deliveries_sending', help: 'Attempts under way.' }, DESTINATION, (tell) => {
    for (const { destination, owner, sending } of totals()) tell({ owner: owner ?? '', destination }, sending)
  })
  exposition.gauge(
    { name: 'portaria_destination_paused', help: '1 while nothing is sent until an operator resumes it.' },
    DESTINATION,
    (tell) => {
      for (const { destination, owner, isPaused } of totals())
        tell({ owner: owner ?? '', destination }, Number(isPaused))
    },
  )
  exposition.gauge(
    { name: 'portaria_destination_circuit_open', help: '1 while it fails and only single deliveries are tried.' },
    DESTINATION,
    (tell) => {
      for (const { destination, owner, isCircuitOpen } of totals())
        tell({ owner: owner ?? '', destination }, Number(isCircuitOpen))
    },
  )
  exposition.gauge(
    {
      name: 'portaria_backlog_deliveries',
      help: 'Deliveries that are owed: waiting for their time, or blocked behind another one of their subject.',
    },
    [...DESTINATION, 'state'],
    (tell) => {
      for (const { destination, owner, waiting, blocked } of stock()?.backlogs ?? []) {
        tell({ owner: owner ?? '', destination, state: 'waiting' }, waiting)
        tell({ owner: owner ?? '', destination, state: 'blocked' }, blocked)
      }
    },
  )
  exposition.gauge(
    {
      name: 'portaria_backlog_age_seconds',
      help: 'For how long the oldest of them is owed, but for what a replay of many owes; 0: nothing is.',
    },
    DESTINATION,
    (tell) => {
      for (const { destination, owner, oldestSince } of stock()?.backlogs ?? [])
        tell({ owner: owner ?? '', destination }, secondsSince(oldestSince, now()))
    },
  )
  exposition.gauge(
    {
      name: 'portaria_subjects_held',
      help: 'Subjects that an exhausted delivery holds until it is retried or skipped.',
    },
    DESTINATION,
    (tell) => {
      for (const { destination, owner, heldSubjects } of stock()?.backlogs ?? [])
        tell({ owner: owner ?? '', destination }, heldSubjects)
    },
  )
}

/** null: 0. */
export function secondsSince(time: number | null, now: number): number {
  return time === null ? 0 : Math.max(0, now - time) / 1000
}
