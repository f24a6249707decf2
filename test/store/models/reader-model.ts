import fc from 'fast-check'
import { expect } from 'vitest'
import { takeBatch } from '../../../src/api/consumers/batches.ts'
import { createEventBus } from '../../../src/domain/event-bus.ts'
import type { EventFilter } from '../../../src/domain/event-record.ts'
import type { Store } from '../../../src/domain/store.ts'
import { aCallback, aFact, NOON } from '../../support/builders.ts'

const KINDS = ['payment', 'charge', 'operator'] as const
const FILTERS: readonly EventFilter[] = [
  {},
  { kinds: ['charge'] },
  { kinds: ['payment', 'operator'], environment: 'sandbox' },
  { subject: 'a' },
  { status: 'LIQUIDADO', receivedFrom: NOON + 3 },
]
const nat = (max: number) => fc.nat({ max })

/** Pollers keep their cursors, consumers theirs in the store; two hands of one consumer work at once. */
const aCommand = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('receive' as const),
      kind: fc.constantFrom(...KINDS),
      environment: fc.constantFrom('production' as const, 'sandbox' as const),
      subject: fc.constantFrom('a', 'b', null),
      status: fc.constantFrom('LIQUIDADO', 'CANCELADO'),
      facts: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('poll' as const), poller: nat(FILTERS.length - 1), limit: nat(4) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('take' as const), consumer: nat(1), limit: nat(3) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('acknowledge' as const), pick: nat(50), part: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: nat(1200) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
)
export const readerCommands = fc.array(aCommand, { minLength: 10, maxLength: 60 })
type Command = Exclude<typeof aCommand extends fc.Arbitrary<infer T> ? T : never, { do: 'restart' }>

interface Loan {
  readonly consumer: number
  readonly id: string
  readonly events: readonly string[]
  readonly expiresAt: number
  isOver: boolean
}

const LEASE_MS = 1000
const LONE = { wake: () => undefined, next: async () => 'aborted' as const }

/** What is asked for of all that came is kept in the plainest way, and compared with what readers got. */
export function createReaders() {
  let now = NOON
  let count = 0
  const sent: { readonly id: string; readonly filtered: readonly boolean[] }[] = []
  const pollers = FILTERS.map(() => ({ after: 0, seen: [] as string[] }))
  const consumers = FILTERS.slice(1, 3).map(() => ({ done: [] as string[] }))
  const loans: Loan[] = []
  const expectedOf = (filter: number) => sent.filter(({ filtered }) => filtered[filter]).map(({ id }) => id)

  async function receive(command: Command & { do: 'receive' }, store: Store): Promise<void> {
    const { kind, environment, subject, status } = command
    const facts = Array.from({ length: command.facts }, () => aFact({ kind, subject, status }))
    const receivedAt = now++
    const { eventIds } = await store.storeCallback(
      aCallback({ text: `${count++}`, receivedAt, environment, facts: facts.map((fact) => ({ ...fact, hash: null })) }),
    )
    const filtered = [
      kind !== 'operator',
      kind === 'charge',
      kind !== 'charge' && environment === 'sandbox',
      kind !== 'operator' && subject === 'a',
      kind !== 'operator' && status === 'LIQUIDADO' && receivedAt >= NOON + 3,
    ]
    sent.push(...eventIds.map((id) => ({ id, filtered })))
  }

  async function poll(index: number, limit: number, store: Store): Promise<boolean> {
    const poller = pollers[index] as (typeof pollers)[number]
    const page = await store.listEvents({ ...(FILTERS[index] as EventFilter), after: poller.after }, limit)
    poller.seen.push(...page.events.map(({ id }) => id))
    poller.after = page.next
    return page.more
  }

  async function take(index: number, limit: number, store: Store): Promise<Loan | null> {
    const wanted = {
      key: { owner: null, name: `consumer-${index}` },
      filter: FILTERS[index + 1] as EventFilter,
      limit,
      leaseMs: LEASE_MS,
      creates: true,
    }
    const parts = { store, events: store, bus: createEventBus(), now: () => now, waiter: LONE }
    const [batch, other] = await Promise.all([takeBatch(wanted, parts), takeBatch(wanted, parts)])
    expect([batch.id, other.id]).toContain(null)
    const taken = batch.id === null ? other : batch
    const isOut = (loan: Loan) => loan.consumer === index && !loan.isOver && loan.expiresAt > now
    const until = loans.find(isOut)?.expiresAt ?? null
    if (taken.id === null) {
      expect([batch, other]).toEqual([taken, taken].map((empty) => ({ ...empty, leasedUntil: until })))
      return null
    }
    expect([batch, other]).toContainEqual({ id: null, leasedUntil: taken.expiresAt })
    expect(loans.filter(isOut)).toEqual([])
    const events = taken.texts.map((text) => (JSON.parse(text) as { id: string }).id)
    const loan = { consumer: index, id: taken.id, events, expiresAt: taken.expiresAt, isOver: false }
    for (const old of loans) if (old.consumer === index) old.isOver = true
    loans.push(loan)
    return loan
  }

  async function acknowledge(loan: Loan, upTo: string | null, store: Store): Promise<void> {
    const position = upTo === null ? null : ((await store.getEvent(upTo))?.event.position as number)
    const key = { owner: null, name: `consumer-${loan.consumer}` }
    const acknowledged = await store.acknowledgeBatch(key, loan.id, position, now)
    const isOut = !loan.isOver && loan.expiresAt > now
    expect(acknowledged !== 'not out').toBe(isOut)
    if (!isOut) return
    loan.isOver = true
    const done = upTo === null ? loan.events : loan.events.slice(0, loan.events.indexOf(upTo) + 1)
    consumers[loan.consumer]?.done.push(...done)
  }

  return {
    async run(command: Command, store: Store): Promise<void> {
      if (command.do === 'receive') return receive(command, store)
      if (command.do === 'wait') now += command.ms
      if (command.do === 'poll') await poll(command.poller, command.limit + 1, store)
      if (command.do === 'take') await take(command.consumer, command.limit + 1, store)
      if (command.do !== 'acknowledge') return
      const loan = loans.at(-1 - (command.pick % Math.max(1, Math.min(3, loans.length))))
      if (loan !== undefined) await acknowledge(loan, command.part ? (loan.events[0] ?? null) : null, store)
    },

    /** Everybody reads to the end: then each has got what it asks for, in order. */
    async finish(store: Store): Promise<void> {
      for (const index of FILTERS.keys()) while (await poll(index, 3, store));
      expect(pollers.map(({ seen }) => seen)).toEqual(FILTERS.map((_, index) => expectedOf(index)))
      now += LEASE_MS
      for (const index of consumers.keys()) {
        for (let loan = await take(index, 2, store); loan !== null; loan = await take(index, 2, store))
          await acknowledge(loan, null, store)
      }
      expect(consumers.map(({ done }) => done)).toEqual(consumers.map((_, index) => expectedOf(index + 1)))
    },
  }
}
