import { iso, isoOrNull } from '../../platform/time.ts'
import type { OwnEvent } from '../event.ts'
import type { Realm } from '../realm.ts'
import { GIVING_UP_MS, lostIn, type RetrySchedule, type Span } from './retry-windows.ts'

/** A time in which callbacks may not have been accepted. Times are ms since 1970. */
export interface Outage {
  readonly id: number
  readonly beganAt: number
  /** null: it goes on. */
  readonly endedAt: number | null
  /** `down`: no gateway ran; `refusing`: callbacks were answered 503. */
  readonly cause: 'down' | 'refusing'
  /** When its operator event was stored; null: not yet. */
  readonly raisedAt: number | null
  /** When the service was asked for what it may have lost; null: not yet. */
  readonly reconciledAt: number | null
}

/** One process of the gateway, from its start to its stop. */
export interface GatewayRun {
  readonly id: number
  /** Name of its node; empty: the only one. */
  readonly node: string
  readonly startedAt: number
  /** The latest sign of life. */
  readonly seenAt: number
  /** null: it runs, or ended without a stop. */
  readonly endedAt: number | null
}

/** A shorter time is none: signs of life are a minute apart, and a restart takes seconds. */
export const SHORTEST_OUTAGE_MS = 90_000
/** An outage that goes on gets its event after this time. */
const RAISED_AFTER_MS = 300_000
/** Older outages are not looked at any more: twice the longest schedule, and some days. */
export const OUTAGES_KEPT_MS = 90 * 86_400_000
/** Runs that are looked at for the latest sign of life: many nodes, each with some restarts. */
export const RUNS_LOOKED_AT = 200
/** Stores keep so many runs, the newest. */
export const RUNS_KEPT = 1000

/**
 * Since when no gateway ran before this moment; null: one did until just now, or none ever, or the clock was set back since.
 * @param runs the newest first
 */
export function downSince(runs: readonly GatewayRun[], now: number): number | null {
  const signs = runs.map(({ endedAt, seenAt }) => endedAt ?? seenAt)
  const [newest] = signs
  if (newest === undefined || newest > now) return null
  const last = Math.max(...signs.filter((sign) => sign <= now))
  return now - last > SHORTEST_OUTAGE_MS ? last : null
}

/** What an outage means for callbacks that are sent again by one schedule. */
export interface OutageWindow {
  readonly retries: RetrySchedule
  /** When callbacks were first sent that the service has given up; null: none was. */
  readonly lost: Span | null
  /** When the service gives up the first callback, unless one of its attempts is taken before. */
  readonly closesAt: number
  /** Until when the service sends again what came in the outage. */
  readonly retriesUntil: number
}

export interface JudgedOutage extends Outage {
  /** One for each schedule that is configured. */
  readonly windows: readonly OutageWindow[]
}

export interface OutageRules {
  readonly retries: readonly RetrySchedule[]
  /** The service is asked for what may be lost: before that, no outage is over. */
  readonly isReconciled: boolean
}

/** Outages that are not over yet, in their order. One in the future is left out: the clock was set back. */
export function openOutages(outages: readonly Outage[], rules: OutageRules, now: number): JudgedOutage[] {
  const past = outages.filter(({ beganAt }) => beganAt <= now)
  const closed = past.map(({ beganAt, endedAt }) => ({ from: beganAt, through: Math.min(endedAt ?? now, now) }))
  const lost = rules.retries.map((retries) => ({ retries, lost: lostIn(closed, retries) }))
  return past
    .map((outage) => ({ ...outage, windows: lost.map((one) => windowOf(outage, one, now)) }))
    .filter((outage) => !isOver(outage, rules, now))
}

function windowOf(
  { beganAt, endedAt }: Outage,
  { retries, lost }: { readonly retries: RetrySchedule; readonly lost: readonly Span[] },
  now: number,
): OutageWindow {
  const end = endedAt ?? now
  const own = lost.filter(({ from, through }) => through >= beganAt && from <= end)
  const [first, last] = [own[0], own.at(-1)]
  return {
    retries,
    lost:
      first === undefined || last === undefined
        ? null
        : { from: Math.max(first.from, beganAt), through: Math.min(last.through, end) },
    closesAt: beganAt + GIVING_UP_MS[retries],
    retriesUntil: end + GIVING_UP_MS[retries],
  }
}

function isOver({ endedAt, reconciledAt, windows }: JudgedOutage, { isReconciled }: OutageRules, now: number): boolean {
  if (endedAt === null || windows.some(({ retriesUntil }) => retriesUntil > now)) return false
  return !isReconciled || reconciledAt !== null
}

/** Whether something of it is lost, as far as is known, because the service was not asked since. */
export function mayBeLost({ reconciledAt, windows }: JudgedOutage): boolean {
  return reconciledAt === null && windows.some(({ lost }) => lost !== null)
}

/**
 * Until the window of the newest outage closes, in ms; 0: none is open. While callbacks are not accepted it closes when the service gives up the first
 * one, and is negative after that; afterwards, when the service sends none of them again.
 */
export function windowLeftMs([newest]: readonly JudgedOutage[], now: number): number {
  if (newest === undefined) return 0
  const { endedAt, windows } = newest
  if (endedAt === null) return Math.min(...windows.map(({ closesAt }) => closesAt)) - now
  return Math.max(0, Math.max(...windows.map(({ retriesUntil }) => retriesUntil)) - now)
}

/** Whether the operator event of an outage is due. */
export function isToRaise({ beganAt, endedAt, raisedAt }: Outage, now: number): boolean {
  return raisedAt === null && (endedAt !== null || now - beganAt >= RAISED_AFTER_MS)
}

export function outageEvent(outage: JudgedOutage, environment: Realm, now: number): OwnEvent {
  const { cause, beganAt, endedAt, windows } = outage
  const body = {
    type: 'service.outage',
    cause,
    beganAt: iso(beganAt),
    endedAt: isoOrNull(endedAt),
    windows: windows.map(windowView),
  }
  return { environment, madeAt: now, subject: 'service', status: 'outage', body: JSON.stringify(body) }
}

/** As events and the API show it. */
export function windowView({ retries, lost, closesAt, retriesUntil }: OutageWindow) {
  return {
    retries,
    lostFrom: isoOrNull(lost?.from ?? null),
    lostThrough: isoOrNull(lost?.through ?? null),
    closesAt: iso(closesAt),
    retriesUntil: iso(retriesUntil),
  }
}
