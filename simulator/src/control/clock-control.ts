import { z } from 'zod'
import { type ControlEndpoint, ControlError, controlEndpoint } from '../control-api/control-endpoint.ts'

const stateSchema = z.object({ now: z.iso.datetime(), frozen: z.boolean() })

/** The simulated clock of both environments. */
export function clockControl(): ControlEndpoint[] {
  return [
    controlEndpoint({
      id: 'showClock',
      method: 'get',
      path: '/clock',
      summary: 'Show the simulated time',
      answers: { 200: { description: 'The simulated time', schema: stateSchema } },
      run: ({ site: { clock } }) => ({ status: 200, json: stateOf(clock) }),
    }),
    controlEndpoint({
      id: 'setClock',
      method: 'put',
      path: '/clock',
      summary: 'Set the simulated time; work that is due until then is done on the way',
      body: z.strictObject({ now: z.iso.datetime({ offset: true }).optional(), frozen: z.boolean().optional() }),
      answers: { 200: { description: 'The simulated time', schema: stateSchema } },
      async run({ body: { now, frozen }, site: { clock, tasks } }) {
        await tasks.moveTo(now === undefined ? undefined : requireInRange(Date.parse(now)), frozen)
        return { status: 200, json: stateOf(clock) }
      },
    }),
    controlEndpoint({
      id: 'advanceClock',
      method: 'post',
      path: '/clock/advance',
      summary: 'Move the simulated time forward; work that is due until then is done on the way',
      body: z.strictObject({ by: z.string().regex(/^[1-9]\d{0,6}[smhd]$/, 'a number with s, m, h or d, as 36h') }),
      answers: { 200: { description: 'The simulated time', schema: stateSchema } },
      async run({ body: { by }, site: { clock, tasks } }) {
        requireInRange(clock.now() + durationOf(by))
        await tasks.moveBy(durationOf(by))
        return { status: 200, json: stateOf(clock) }
      },
    }),
  ]
}

/** Dates have four digits of a year, also those that are computed from the time, such as due dates. */
const YEARS = { first: 2000, last: 9998 }

/** @throws ControlError 400 */
function requireInRange(instant: number): number {
  const { first, last } = YEARS
  if (instant >= Date.UTC(first, 0) && instant < Date.UTC(last + 1, 0)) return instant
  throw new ControlError(400, `the simulated time goes from the year ${first} to ${last}`)
}

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

function durationOf(text: string): number {
  return Number(text.slice(0, -1)) * UNITS[text.slice(-1) as keyof typeof UNITS]
}

function stateOf(clock: { now(): number; readonly isFrozen: boolean }) {
  return { now: new Date(clock.now()).toISOString(), frozen: clock.isFrozen }
}
