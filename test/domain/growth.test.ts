import { describe, expect, it } from 'vitest'
import { eventText } from '../../src/api/events/serializer.ts'
import { compileInterpreter } from '../../src/domain/interpretation.ts'
import { kindDefaults } from '../../src/domain/kinds.ts'
import { createEventMask } from '../../src/domain/masking/event-mask.ts'
import { amountIn } from '../../src/domain/search/event-amount.ts'
import { SEARCH_ALL } from '../../src/domain/search/search-rule.ts'
import { termsOf } from '../../src/domain/search/terms.ts'
import { CATALOGUES } from '../../src/messages/languages.ts'
import type { EventView } from '../../src/pages/event/model.ts'
import { payloadSection } from '../../src/pages/event/payload.ts'
import { aStoredEvent } from '../support/builders.ts'
import { NASTY_BODIES } from '../support/nasty-bodies.ts'

const RULE = {
  ...kindDefaults('instantPayment'),
  name: 'instantPayment',
  path: '/',
  split: ['/pix', '/a'],
  subject: ['/txid'],
  status: ['/status', '/valor'],
  deduplicateBy: ['/txid'],
  accounts: [{ pointers: ['/chave', '/a'], values: ['x'] }],
}
const interpret = compileInterpreter(RULE)
const mask = createEventMask([
  RULE,
  { ...RULE, name: 'anywhere', personalData: ['/**/a/**/b/**/nome', '/nome', '/*/b/*'] },
])
const EXCLUDE = { exclude: ['/nome', '/pix/*/d', '/*/*/a'] }

/** A body in the forms in which readers get it. */
function bodyOf(text: string) {
  const event = aStoredEvent({ kind: 'instantPayment', body: Buffer.from(text) })
  const answer = eventText(event)
  return { event, answer, view: JSON.parse(answer) as EventView & { data: unknown } }
}

const READERS: Readonly<Record<string, (body: ReturnType<typeof bodyOf>) => unknown>> = {
  interpreter: ({ event }) => interpret({ ...event, environment: 'production', listener: 'callbacks' }),
  'mask of a known kind': ({ event }) => mask(event),
  'mask of an unknown kind': ({ event }) => mask({ ...event, kind: 'unknown' }),
  'mask of pointers': ({ event }) => mask({ ...event, kind: 'anywhere' }),
  'terms of the search index': ({ event }) => termsOf(event, SEARCH_ALL),
  'terms without excluded members': ({ event }) => termsOf(event, EXCLUDE),
  'amount of the list': ({ view }) => amountIn(view),
  serializer: ({ event }) => eventText(event),
  'page of an event': ({ view, answer }) => String(payloadSection(view, answer, CATALOGUES.en, { original: true })),
}

const BYTES = 16_000
const TIMES = 4
/** Linear time is 1 here, and quadratic time is 4. */
const MOST_TIMES_SLOWER = 2.5
const ROUNDS = 5
/** What is faster with the long body and yet quadratic takes less than three seconds with 1 MiB. */
const FAST_MS = 10

describe('A body takes about as much processor time as four of a quarter of its length', () => {
  it.each(Object.entries(READERS))('%s', (_, read) => {
    const isSlow = (make: (bytes: number) => string) => slowdown(read, make) > MOST_TIMES_SLOWER
    const slow = Object.entries(NASTY_BODIES).flatMap(([name, make]) => (isSlow(make) ? [name] : []))
    expect(slow).toEqual([])
  })
})

/** By the best of several rounds, because the first ones also compile the reader. */
function slowdown(read: (typeof READERS)[string], make: (bytes: number) => string): number {
  const long = bodyOf(make(BYTES * TIMES))
  let [longMs, shortMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < ROUNDS; round++) {
    longMs = Math.min(
      longMs,
      cpuMs(() => read(long)),
    )
    if (longMs < FAST_MS) return 1
    const short = bodyOf(make(BYTES))
    shortMs = Math.min(
      shortMs,
      cpuMs(() => Array.from({ length: TIMES }, () => read(short))),
    )
    if (longMs / shortMs <= MOST_TIMES_SLOWER) return 1
  }
  return longMs / shortMs
}

/** Of this thread: others collect garbage and run other tests. */
function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
