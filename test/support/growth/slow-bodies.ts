// Prints, for each reader of bodies and the cleaner of texts, the bodies with which it takes more time for each byte the longer they are.

import { eventText } from '../../../src/api/events/serializer.ts'
import { compileInterpreter } from '../../../src/domain/interpretation.ts'
import { kindDefaults } from '../../../src/domain/kinds.ts'
import { createEventMask } from '../../../src/domain/masking/event-mask.ts'
import { amountIn } from '../../../src/domain/search/event-amount.ts'
import { SEARCH_ALL } from '../../../src/domain/search/search-rule.ts'
import { termsOf } from '../../../src/domain/search/terms.ts'
import { speaker } from '../../../src/messages/speaker.ts'
import type { EventView } from '../../../src/pages/event/model.ts'
import { payloadSection } from '../../../src/pages/event/payload.ts'
import { createSecretCleaner } from '../../../src/platform/secret-cleaner.ts'
import { aStoredEvent } from '../builders.ts'
import { NASTY_BODIES } from '../nasty-bodies.ts'

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
/** Its beginning is repeated by one of the bodies. */
const clean = createSecretCleaner([`${'a'.repeat(4000)}b`])
const EXCLUDE = { exclude: ['/nome', '/pix/*/d', '/*/*/a'] }

/** A body in the forms in which readers get it. */
function bodyOf(text: string) {
  const event = aStoredEvent({ kind: 'instantPayment', body: Buffer.from(text) })
  const answer = eventText(event)
  return { text, event, answer, view: JSON.parse(answer) as EventView & { data: unknown } }
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
  'cleaner of secrets': ({ text }) => clean(text),
  'page of an event': ({ view, answer }) => String(payloadSection(view, answer, speaker('en'), { original: true })),
}

const TIMES = 4
/** Quadratic time shows with each of them. A step, as where V8 allocates larger arrays elsewhere, shows with one. */
const LENGTHS = [16_000, 64_000]
/** Linear time is 1 here, or up to 2.6 with a step, and quadratic time is 4. */
const MOST_TIMES_SLOWER = 3.2
const ROUNDS = 8
/** What is faster with the long body and yet quadratic takes less than three seconds with 1 MiB. */
const FAST_MS = 10

function isSlow(read: (typeof READERS)[string], make: (bytes: number) => string): boolean {
  return LENGTHS.every((bytes) => slowdown(read, make(bytes * TIMES), make(bytes)) > MOST_TIMES_SLOWER)
}

/** By the best of several rounds: the first ones also compile the reader, and others use the processor meanwhile. */
function slowdown(read: (typeof READERS)[string], longText: string, shortText: string): number {
  const [long, short] = [bodyOf(longText), bodyOf(shortText)]
  let [longMs, shortMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < ROUNDS; round++) {
    longMs = Math.min(
      longMs,
      timeOf(() => read(long)),
    )
    if (longMs < FAST_MS) return 1
    for (let time = 0; time < TIMES; time++)
      shortMs = Math.min(
        shortMs,
        timeOf(() => read(short)),
      )
    if (longMs / (TIMES * shortMs) <= MOST_TIMES_SLOWER) return 1
  }
  return longMs / (TIMES * shortMs)
}

function timeOf(work: () => unknown): number {
  const startedAt = performance.now()
  work()
  return performance.now() - startedAt
}

const bodies = Object.entries(NASTY_BODIES)
const slow = Object.entries(READERS).map(([name, read]) => [
  name,
  bodies.flatMap(([body, make]) => (isSlow(read, make) ? [body] : [])),
])
console.log(JSON.stringify(Object.fromEntries(slow)))
