import { z } from 'zod'
import type { Moment, NextStep, Outlook } from '../control-api/outlook.ts'
import type { Site } from '../site.ts'
import type { Attempt, Callback } from './callback.ts'
import type { CallOutcome } from './receiver-call.ts'

export const callbackCounts = z.object({
  delivered: z.int(),
  waiting: z.int(),
  given_up: z.int(),
  not_sent: z.int().describe('Faults dropped them, or sent their facts with another one'),
})

/** How many callbacks are in which state. */
export function countsOf(callbacks: readonly Callback[]): z.output<typeof callbackCounts> {
  const count = (...states: Callback['state'][]) => callbacks.filter(({ state }) => states.includes(state)).length
  return {
    delivered: count('delivered'),
    waiting: count('pending', 'waiting'),
    given_up: count('given_up'),
    not_sent: count('dropped', 'merged'),
  }
}

/** Every attempt at callbacks, and the times of the tries that follow. @param nameOf what a callback tells of, as `paid` */
export function callbackOutlook(
  site: Site,
  callbacks: readonly Callback[],
  nameOf: (callback: Callback) => string,
): Outlook {
  const planned = new Map(
    ['callback', 'release'].flatMap((kind) =>
      site.tasks.planned<number>(`${site.environment}.${kind}`).map(({ dueAt, payload }) => [payload, dueAt] as const),
    ),
  )
  const title = (callback: Callback) => `callback ${callback.id} (${nameOf(callback)})`
  return {
    history: callbacks.flatMap((callback) => historyOf(callback, title(callback))),
    next: callbacks.flatMap((callback) => nextOf(callback, title(callback), planned.get(callback.id))),
  }

  function nextOf({ state, attempts, url }: Callback, name: string, dueAt: number | undefined): NextStep[] {
    if (state === 'waiting') return [{ at: dueAt ?? site.clock.now(), what: `${name}: a fault holds it until then` }]
    if (state !== 'pending') return []
    if (dueAt === undefined) return [{ at: site.clock.now(), what: `${name} is being sent to ${url}` }]
    return [{ at: dueAt, what: `${name} is sent to ${url}, try ${attempts.length + 1}` }]
  }
}

function historyOf(callback: Callback, name: string): Moment[] {
  const { attempts, state, createdAt, mergedInto, addressRemovedAt } = callback
  const removed = addressRemovedAt === undefined ? [] : [{ at: addressRemovedAt, what: `${name}: ${ADDRESS_REMOVED}` }]
  const lines = attempts.map((attempt, index) => ({
    at: attempt.at,
    what: `${name} to ${attempt.request.url}: ${resultOf(attempt)}${index === attempts.length - 1 ? endOf(callback) : ''}`,
  }))
  if (lines.length > 0) return [...lines, ...removed]
  if (state === 'dropped') return [{ at: createdAt, what: `${name}: a fault dropped it` }]
  if (state === 'merged') return [{ at: createdAt, what: `${name}: its facts are in callback ${mergedInto}` }]
  return removed
}

const ADDRESS_REMOVED = 'given up, because its address was removed'

function resultOf({ outcome, fault }: Attempt): string {
  return `${describe(outcome)}${fault === null ? '' : `, fault ${fault}`}`
}

function describe(outcome: CallOutcome): string {
  if (outcome.kind === 'answered') return `answered ${outcome.status}`
  return 'reason' in outcome ? `${outcome.kind} (${outcome.reason})` : outcome.kind
}

function endOf({ state, notification, addressRemovedAt }: Callback): string {
  if (state === 'delivered') return ', delivered'
  if (addressRemovedAt !== undefined) return ''
  if (state === 'given_up') return ', given up: no try follows'
  return notification?.form === 'token' ? ', comes again until its entries are fetched' : ', another try follows'
}
