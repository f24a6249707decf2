import type { DestinationTotals, Stock } from '../domain/stock.ts'
import type { Exposition } from './exposition.ts'

export interface DestinationSources {
  readonly totals: () => readonly DestinationTotals[]
  /** null: it is not known. */
  readonly stock: () => Stock | null
  readonly now: () => number
}

const DESTINATION = ['destination'] as const

/** How the forwarding goes. Only destinations that are there have series, so what was removed leaves none behind. */
export function exposeDestinations(exposition: Exposition, { totals, stock, now }: DestinationSources): void {
  exposition.counter(
    { name: 'portaria_delivery_attempts_total', help: 'Attempts at deliveries: delivered or failed.' },
    ['destination', 'result'],
    (tell) => {
      for (const { destination, delivered, failed } of totals()) {
        tell({ destination, result: 'delivered' }, delivered)
        tell({ destination, result: 'failed' }, failed)
      }
    },
  )
  exposition.counter(
    {
      name: 'portaria_deliveries_total',
      help: 'Deliveries that ended: delivered, or exhausted (schedule used up, or too old).',
    },
    ['destination', 'outcome'],
    (tell) => {
      for (const { destination, delivered, exhausted } of totals()) {
        tell({ destination, outcome: 'delivered' }, delivered)
        tell({ destination, outcome: 'exhausted' }, exhausted)
      }
    },
  )
  exposition.gauge({ name: 'portaria_deliveries_sending', help: 'Attempts under way.' }, DESTINATION, (tell) => {
    for (const { destination, sending } of totals()) tell({ destination }, sending)
  })
  exposition.gauge(
    { name: 'portaria_destination_paused', help: '1 while nothing is sent until an operator resumes it.' },
    DESTINATION,
    (tell) => {
      for (const { destination, isPaused } of totals()) tell({ destination }, Number(isPaused))
    },
  )
  exposition.gauge(
    { name: 'portaria_destination_circuit_open', help: '1 while it fails and only single deliveries are tried.' },
    DESTINATION,
    (tell) => {
      for (const { destination, isCircuitOpen } of totals()) tell({ destination }, Number(isCircuitOpen))
    },
  )
  exposition.gauge(
    {
      name: 'portaria_backlog_deliveries',
      help: 'Deliveries that are owed: waiting for their time, or blocked behind another one of their subject.',
    },
    ['destination', 'state'],
    (tell) => {
      for (const { destination, waiting, blocked } of stock()?.owed ?? []) {
        tell({ destination, state: 'waiting' }, waiting)
        tell({ destination, state: 'blocked' }, blocked)
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
      for (const { destination, oldestSince } of stock()?.owed ?? [])
        tell({ destination }, secondsSince(oldestSince, now()))
    },
  )
  exposition.gauge(
    {
      name: 'portaria_subjects_held',
      help: 'Subjects that an exhausted delivery holds until it is retried or skipped.',
    },
    DESTINATION,
    (tell) => {
      for (const { destination, heldSubjects } of stock()?.owed ?? []) tell({ destination }, heldSubjects)
    },
  )
}

/** null: 0. */
export function secondsSince(time: number | null, now: number): number {
  return time === null ? 0 : Math.max(0, now - time) / 1000
}
