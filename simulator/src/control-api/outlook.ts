import { z } from 'zod'
import type { Site } from '../site.ts'

/** Something that happened. */
export interface Moment {
  /** Simulated time, in ms since 1970. */
  readonly at: number
  readonly what: string
}

/** Something that comes. */
export interface NextStep {
  /** Simulated time, in ms since 1970; null: it does not come by itself, somebody has to do it. */
  readonly at: number | null
  readonly what: string
}

/** What happened to a record, and what comes next, in any order. */
export interface Outlook {
  readonly history: readonly Moment[]
  readonly next: readonly NextStep[]
}

/** Members that each record of the control API has (`ctl show`). */
export const outlookMembers = {
  clock: z
    .object({ now: z.iso.datetime(), frozen: z.boolean(), timeZone: z.string() })
    .describe('While the simulated time is frozen, nothing of `next` comes by itself'),
  history: z.array(z.object({ at: z.iso.datetime(), what: z.string() })).describe('Oldest first'),
  next: z
    .array(z.object({ at: z.iso.datetime().nullable(), what: z.string() }))
    .describe('Soonest first, then what somebody has to do (`at` null). Empty: nothing comes any more'),
}

/** The members `clock`, `history` and `next` of a record, in the order of their times. */
export function outlookView({ clock, settings }: Site, ...parts: readonly Outlook[]) {
  const history = parts.flatMap((part) => part.history).toSorted((one, other) => one.at - other.at)
  const next = parts
    .flatMap((part) => part.next)
    .filter(({ at }) => at === null || at <= LAST_INSTANT)
    .toSorted((one, other) => (one.at ?? Number.POSITIVE_INFINITY) - (other.at ?? Number.POSITIVE_INFINITY) || 0)
  return {
    clock: { now: isoOf(clock.now()), frozen: clock.isFrozen, timeZone: settings.timeZone },
    history: history.map(({ at, what }) => ({ at: isoOf(at), what })),
    next: next.map(({ at, what }) => ({ at: at === null ? null : isoOf(at), what })),
  }
}

/** What a person types to do something in this environment: `ctl pay-billet 1000001 --environment production`. */
export function ctlCall({ environment }: Site, call: string): string {
  return `ctl ${call}${environment === 'sandbox' ? '' : ` --environment ${environment}`}`
}

/** The last instant that a date can name; later tasks never come. */
const LAST_INSTANT = 8_640_000_000_000_000

export function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}
