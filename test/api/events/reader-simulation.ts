import fc from 'fast-check'
import { expect } from 'vitest'
import { parseEventId } from '../../../src/domain/public-id.ts'
import { type Environment, type Realm, realmOf } from '../../../src/domain/realm.ts'
import { aCallback, aFact, NOON } from '../../support/builders.ts'
import { post } from '../api.ts'
import { createLedger, type KnownEvent, type Ledger } from './reader-ledger.ts'
import { createReaderWorld, databaseInFiles, type ReaderWorld } from './reader-world.ts'
import { createSimulatedConsumer, type SimulatedConsumer } from './simulated-consumer.ts'
import { createSimulatedPoller, type SimulatedPoller } from './simulated-poller.ts'

const KINDS = ['payment', 'charge'] as const
const REALMS = ['production', 'sandbox', 'bank-a/production', 'bank-a/sandbox'] as const satisfies Realm[]
/** Older than this goes, whenever retention comes. */
const KEPT_MS = 4000

const aReceipt = fc.record({
  do: fc.constant('receive' as const),
  kind: fc.constantFrom(...KINDS),
  environment: fc.constantFrom(...REALMS),
  subject: fc.constantFrom('a', 'b'),
  status: fc.constantFrom('LIQUIDADO', 'CANCELADO'),
  /** Whether each of its facts is held back. */
  held: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
})
const aDecision = fc.record({
  do: fc.constantFrom('release' as const, 'release' as const, 'discard' as const),
  pick: fc.nat(),
})
const anAcknowledgment = fc.record({ do: fc.constant('acknowledge' as const), consumer: fc.nat(2), part: fc.boolean() })
const aRemoval = fc.record({
  do: fc.constant('retain' as const),
  kind: fc.constantFrom(...KINDS),
  limit: fc.integer({ min: 1, max: 8 }),
})
const aLife = fc.oneof(aReceipt, aDecision, anAcknowledgment, aRemoval)
const aCommand = fc.oneof(
  { weight: 12, arbitrary: aReceipt },
  { weight: 5, arbitrary: aDecision },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('poll' as const),
      poller: fc.nat(7),
      limit: fc.integer({ min: 1, max: 5 }),
      waits: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('take' as const),
      consumer: fc.nat(2),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 7, arbitrary: anAcknowledgment },
  { weight: 3, arbitrary: aRemoval },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.nat(2500) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('kill' as const), during: aLife, turns: fc.nat(12) }) },
)
export type ReaderCommand = typeof aCommand extends fc.Arbitrary<infer T> ? T : never
type LifeCommand = typeof aLife extends fc.Arbitrary<infer T> ? T : never

export function readerTraffic(length: number): fc.Arbitrary<ReaderCommand[]> {
  return fc.array(aCommand, { minLength: length / 2, maxLength: length, size: 'max' })
}

/** One traffic, by a clock of its own, from its beginning until everybody has read to the end. */
export async function simulateReaders(commands: readonly ReaderCommand[], database = databaseInFiles()): Promise<void> {
  let now = NOON
  const world = await createReaderWorld(() => now, database)
  const ledger = createLedger()
  const pollers = [
    createSimulatedPoller(world, ledger, {}),
    createSimulatedPoller(world, ledger, { kinds: ['charge'] }),
    createSimulatedPoller(world, ledger, { kinds: ['payment'], environment: 'sandbox' }),
    createSimulatedPoller(world, ledger, { subject: 'a' }),
    createSimulatedPoller(world, ledger, { status: 'LIQUIDADO', receivedFrom: NOON + 3000 }),
    createSimulatedPoller(world, ledger, {}),
    createSimulatedPoller(world, ledger, { institution: 'bank-a' }),
    createSimulatedPoller(world, ledger, { kinds: ['charge'], institution: 'bank-a', environment: 'sandbox' }),
  ]
  const consumers = [
    createSimulatedConsumer(world, ledger, { name: 'all', filter: {}, now: () => now }),
    createSimulatedConsumer(world, ledger, {
      name: 'some',
      filter: { kinds: ['charge'], environment: 'sandbox' },
      now: () => now,
    }),
    createSimulatedConsumer(world, ledger, { name: 'bank', filter: { institution: 'bank-a' }, now: () => now }),
  ]
  const life = createLife(world, ledger, consumers, { now: () => now })

  async function run(command: ReaderCommand): Promise<void> {
    switch (command.do) {
      case 'poll':
        return (pollers[command.poller] as SimulatedPoller).poll(command.limit, command.waits)
      case 'take':
        return (consumers[command.consumer] as SimulatedConsumer).take(command.limit)
      case 'pass':
        now += command.ms
        return
      case 'restart':
        await Promise.all([world.restart(), ...pollers.map((poller) => poller.settle(true))])
        return ledger.compare(world.api().store, false)
      case 'kill': {
        const wasAnswered = await world.kill(life.begin(command.during), command.turns, async () => {
          await Promise.all(pollers.map((poller) => poller.settle(false)))
        })
        life.end(wasAnswered)
        return ledger.compare(world.api().store, !wasAnswered)
      }
      default:
        await life.begin(command)
        life.end(true)
    }
  }

  try {
    for (const command of commands) {
      now++
      await run(command)
    }
    now += 60_000
    await world.restart()
    await Promise.all(pollers.map((poller) => poller.settle(true)))
    await ledger.compare(world.api().store, false)
    for (const reader of [...pollers, ...consumers]) await reader.finish()
  } finally {
    await Promise.all([world.stop(), ...pollers.map((poller) => poller.settle(false))])
  }
}

/** What the answer says of the event. */
interface Released extends Omit<KnownEvent, 'receivedAt' | 'environment'> {
  readonly event: string
  readonly receivedAt: string
  readonly institution: string | null
  readonly environment: Environment
}

/** What changes the store, and may be cut off: `end` says whether it was answered, and only then it counts. */
function createLife(
  world: ReaderWorld,
  ledger: Ledger,
  consumers: readonly SimulatedConsumer[],
  { now }: { now: () => number },
) {
  let count = 0
  const held: string[] = []
  let onOutcome: () => void = () => undefined
  let onLost: () => void = () => undefined

  async function receive(command: LifeCommand & { do: 'receive' }): Promise<void> {
    const { kind, environment, subject, status } = command
    const facts = command.held.map((isHeld) =>
      aFact({ kind, subject, status, hash: null, ...(isHeld && { quarantine: 'account_foreign' as const }) }),
    )
    const known = { kind, environment, subject, status, receivedAt: now() }
    const { eventIds, quarantineIds = [] } = await world.receive(
      aCallback({ text: `${count++}`, kind, environment, receivedAt: now(), facts }),
    )
    onOutcome = () => {
      for (const id of eventIds) ledger.add({ ...known, id, position: positionOf(id) })
      held.push(...quarantineIds)
    }
  }

  /** Of the latest ones: what was decided, or removed undecided, is refused. */
  async function decide(verb: 'release' | 'discard', pick: number): Promise<void> {
    const id = held.at(-1 - (pick % Math.min(6, held.length)))
    if (id === undefined) return
    const answer = await post(world.api(), `/v1/quarantine/${id}/${verb}`)
    expect([200, 404, 409, 410]).toContain(answer.status)
    if (answer.status !== 200 || verb === 'discard') return
    const { event, receivedAt, institution, environment, ...rest } = JSON.parse(answer.body) as Released
    const known = { ...rest, environment: realmOf(institution, environment), receivedAt: Date.parse(receivedAt) }
    onOutcome = () => ledger.add({ ...known, id: event, position: positionOf(event) })
  }

  async function retain(kind: string, limit: number): Promise<void> {
    const { store } = world.api()
    const before = now() - KEPT_MS
    for (const part of ['payload', 'metadata'] as const) {
      const found = await store.findRemovable({ part, kind, before, after: null }, limit)
      if (found.callbacks.length === 0) continue
      ledger.announce(found.reach)
      await store.announceRemoval(found.reach, now())
      await store.removeAged({ part, before, callbackIds: found.callbacks.map(({ callbackId }) => callbackId) }, now())
    }
  }

  return {
    async begin(command: LifeCommand): Promise<void> {
      ;[onOutcome, onLost] = [() => undefined, () => undefined]
      if (command.do === 'receive') return receive(command)
      if (command.do === 'retain') return retain(command.kind, command.limit)
      if (command.do !== 'acknowledge') return decide(command.do, command.pick)
      const consumer = consumers[command.consumer] as SimulatedConsumer
      onLost = consumer.lose
      onOutcome = await consumer.acknowledge(command.part)
    },
    end(wasAnswered: boolean): void {
      if (wasAnswered) onOutcome()
      else onLost()
    },
  }
}

export function positionOf(id: string): number {
  return parseEventId(id)?.position as number
}
