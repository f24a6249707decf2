import fc from 'fast-check'
import { expect } from 'vitest'
import type { AttemptOutcome, ClaimedDelivery, DeliveryState } from '../../../src/domain/delivery.ts'
import type { Destination } from '../../../src/domain/destination.ts'
import { REPLAY_MODES, type ReplayMode } from '../../../src/domain/replay.ts'
import type { Store } from '../../../src/domain/store.ts'
import { aCallback, aFact } from '../../support/builders.ts'
import { runReplay } from './replaying.ts'

/** Destinations 0 holds, 1 continues, 2 has no order at first; `pick` chooses among what is there. */
const pick = fc.nat({ max: 200 })
const destination = fc.nat({ max: 2 })

export const aCommand = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('receive' as const), subject: fc.constantFrom('a', 'b', null) }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('claim' as const), destination, holds: fc.boolean() }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('record' as const),
      pick,
      result: fc.constantFrom('delivered' as const, 'pending' as const, 'exhausted' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('retry' as const), pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('skip' as const), pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('replay' as const), pick }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('replayMany' as const),
      destination,
      mode: fc.constantFrom(...REPLAY_MODES),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancelReplay' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sweep' as const), destination }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reorder' as const), destination }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
)
type Command = typeof aCommand extends fc.Arbitrary<infer T> ? T : never

interface Item {
  readonly id: number
  readonly eventId: string
  readonly destination: number
  readonly subject: string | null
  state: DeliveryState
  attempts: number
  /** Its latest attempt is not on record. */
  isClaimed: boolean
  /** It was retried or replayed since it was claimed. */
  isRestarted: boolean
  hasOrderKey: boolean
  /** At least once, whatever came later. */
  isDelivered: boolean
  /** The replay that creates it. */
  replay: number | null
  dueAt: number
  since: number
}

const HOUR_MS = 3_600_000
const LEASE_MS = 180_000
const SWEEP_AGE_MS = 600_000

/** What the store should be, in the plainest way: a list of deliveries; a line is those of a subject that are in it. */
export function createModel(destinations: readonly Destination[], start: number) {
  const items: Item[] = []
  const replays: number[] = []
  const handedOut: ClaimedDelivery[] = []
  const model = { now: Date.now() + HOUR_MS, run, check, rows, attempts }

  const lineOf = (of: Item) =>
    items.filter((item) => item.hasOrderKey && item.destination === of.destination && item.subject === of.subject)
  const ordered = new Set([0, 1])
  const isOrdered = (item: Item) => ordered.has(item.destination) && item.subject !== null

  function leave(item: Item): void {
    item.hasOrderKey = false
    const line = lineOf(item)
    if (line.some(({ state }) => state !== 'blocked')) return
    const next = line.sort((a, b) => a.id - b.id)[0]
    if (next !== undefined) Object.assign(next, { state: 'pending', dueAt: next.since })
  }

  function end(item: Item, state: DeliveryState): void {
    item.state = state
    if (item.hasOrderKey && !(state === 'exhausted' && item.destination !== 1)) leave(item)
  }

  function restart(item: Item, replayId: number | null = null): void {
    item.hasOrderKey = false
    item.replay = replayId
    if (replayId === null && isOrdered(item)) {
      for (const head of lineOf(item)) {
        if (head.state === 'pending' && !head.isClaimed && head.id > item.id) head.state = 'blocked'
      }
    }
    const isBehind = isOrdered(item) && lineOf(item).some(({ state }) => state !== 'blocked')
    const state = isBehind ? 'blocked' : 'pending'
    const isRestarted = item.isClaimed
    Object.assign(item, { state, dueAt: model.now, since: model.now, hasOrderKey: isOrdered(item), isRestarted })
  }

  async function receive(subject: string | null, store: Store): Promise<void> {
    const callback = aCallback({ text: 'x', receivedAt: model.now, facts: [aFact({ subject })] })
    const { eventIds } = await store.storeCallback(callback)
    const event = await store.getEvent(eventIds[0] as string)
    const made = await store.listDeliveries({ position: event?.event.position as number }, 10)
    for (const { deliveryId, destinationId, eventId } of made) {
      const destination = destinations.findIndex(({ id }) => id === destinationId)
      const common = {
        attempts: 0,
        isClaimed: false,
        isRestarted: false,
        hasOrderKey: false,
        isDelivered: false,
        replay: null,
      }
      const times = { dueAt: model.now, since: model.now }
      const item: Item = { id: deliveryId, eventId, destination, subject, state: 'pending', ...common, ...times }
      if (isOrdered(item) && lineOf(item).length > 0) item.state = 'blocked'
      item.hasOrderKey = isOrdered(item)
      items.push(item)
    }
  }

  async function claim(index: number, holds: boolean, store: Store): Promise<void> {
    const { now } = model
    const held = holds ? items.filter(({ isClaimed }) => isClaimed).map(({ id }) => id) : []
    const { deliveries, isHeldDue } = await store.claimDeliveries({
      held,
      destinationId: destinations[index]?.id as number,
      limit: 1000,
      now,
      leaseUntil: now + LEASE_MS,
      // Whatever the parts are: they reorder no subject.
      freshSince: now - 90_000,
      backlogLimit: 1000,
    })
    const due = items.filter(({ state, dueAt }) => state === 'pending' && dueAt <= now)
    const renewed = due.filter(({ id }) => held.includes(id))
    for (const item of renewed) item.dueAt = now + LEASE_MS
    expect(isHeldDue).toBe(renewed.length > 0)
    const expected = due.filter((item) => item.destination === index && !renewed.includes(item))
    for (const item of expected) {
      const claimed = { isClaimed: true, isRestarted: false, attempts: item.attempts + 1 }
      Object.assign(item, { ...claimed, dueAt: now + LEASE_MS })
    }
    const numbers = (all: { id: number; attempts: number }[]) => all.map((one) => [one.id, one.attempts])
    const got = deliveries.map(({ deliveryId, attempt }) => ({ id: deliveryId, attempts: attempt }))
    expect(numbers(got.sort((a, b) => a.id - b.id))).toEqual(numbers(expected))
    handedOut.push(...deliveries)
  }

  async function record(claimed: ClaimedDelivery, state: 'delivered' | 'pending' | 'exhausted', store: Store) {
    const at = model.now + 30_000
    const results = {
      delivered: { state: 'delivered' },
      pending: { state: 'pending', at, retriesUsed: 1 },
      exhausted: { state: 'exhausted', reason: 'schedule used up' },
    } as const
    const outcome: AttemptOutcome = {
      deliveryId: claimed.deliveryId,
      attempt: claimed.attempt,
      startedAt: model.now,
      durationMs: 0,
      status: 200,
      error: null,
      answer: new Uint8Array(),
      result: results[state],
    }
    const recorded = await store.recordAttempts([outcome])
    const item = items.find(({ id }) => id === claimed.deliveryId) as Item
    const isHeld = item.isClaimed && item.attempts === claimed.attempt
    expect(recorded).toBe(isHeld ? 1 : 0)
    if (!isHeld) return
    item.isClaimed = false
    item.isDelivered ||= state === 'delivered'
    const isDecided = item.state !== 'pending' || item.isRestarted
    if (isDecided && state !== 'delivered') item.dueAt = item.since
    else if (state === 'pending') item.dueAt = at
    else end(item, state)
  }

  async function release(claimed: ClaimedDelivery, store: Store): Promise<void> {
    await store.releaseClaims([claimed])
    const item = items.find(({ id }) => id === claimed.deliveryId) as Item
    if (!item.isClaimed || item.attempts !== claimed.attempt) return
    Object.assign(item, { isClaimed: false, attempts: item.attempts - 1, dueAt: claimed.dueAt })
  }

  async function retry(item: Item, store: Store): Promise<void> {
    const done = store.retryDelivery(item.id, model.now)
    if (item.state === 'blocked') return expect(done).rejects.toMatchObject({ code: 'conflict' })
    await done
    restart(item)
  }

  async function skip(item: Item, store: Store): Promise<void> {
    const done = store.skipDelivery(item.id, model.now)
    const isHolding = item.state === 'exhausted' && item.hasOrderKey
    if (item.state !== 'pending' && item.state !== 'blocked' && !isHolding)
      return expect(done).rejects.toMatchObject({ code: 'conflict' })
    await done
    end(item, 'canceled')
  }

  async function replay({ eventId }: Item, store: Store): Promise<void> {
    await store.replayEvent(eventId, null, model.now)
    for (const item of items) {
      if (item.eventId === eventId && item.state !== 'pending' && item.state !== 'blocked') restart(item)
    }
  }

  async function replayMany(index: number, mode: ReplayMode, store: Store): Promise<void> {
    const destinationId = destinations[index]?.id as number
    const { replayId, requeued } = await runReplay(
      store,
      { destinationId, mode, filter: {} },
      { start, now: model.now },
    )
    const isWanted = ({ state, isDelivered }: Item) =>
      mode === 'all' || (!isDelivered && (mode === 'missing' || state === 'exhausted' || state === 'canceled'))
    const wanted = items.filter(
      (item) => item.destination === index && item.state !== 'pending' && item.state !== 'blocked' && isWanted(item),
    )
    for (const item of wanted) restart(item, replayId)
    expect(requeued).toBe(wanted.length)
    replays.push(replayId)
  }

  /** Those behind the heads go first; then what follows a head is none of this replay. */
  async function cancelReplay(replayId: number, store: Store): Promise<void> {
    const waiting = items.filter(
      ({ state, replay }) => replay === replayId && (state === 'pending' || state === 'blocked'),
    )
    const isCanceled = (await store.getReplay(replayId))?.state === 'canceled'
    const done = store.cancelReplay(replayId, model.now)
    if (waiting.length === 0 && !isCanceled) return expect(done).rejects.toMatchObject({ code: 'conflict' })
    await done
    for (const item of waiting.sort((a, b) => (a.state < b.state ? -1 : a.state > b.state ? 1 : a.id - b.id)))
      end(item, item.isDelivered && !item.isClaimed ? 'delivered' : 'canceled')
  }

  async function sweep(index: number, store: Store): Promise<void> {
    const before = model.now - SWEEP_AGE_MS
    await store.exhaustDeliveries(destinations[index]?.id as number, before, 1000, model.now)
    const isOld = (item: Item) =>
      item.destination === index && item.state === 'pending' && !item.isClaimed && item.dueAt < before
    for (let old = items.find(isOld); old !== undefined; old = items.find(isOld)) end(old, 'exhausted')
  }

  /** What gets already is in line as the new order says, the oldest first. */
  async function reorder(index: number, store: Store): Promise<void> {
    const order = ordered.has(index) ? 'none' : 'subject'
    await store.updateDestination(destinations[index]?.id as number, { order }, model.now)
    if (order === 'subject') ordered.add(index)
    else ordered.delete(index)
    for (const item of items.filter(({ destination }) => destination === index)) {
      if (order === 'none' && item.state === 'blocked') Object.assign(item, { state: 'pending', dueAt: item.since })
      if (order === 'subject' && isOrdered(item) && item.state === 'pending') {
        if (lineOf(item).length > 0) item.state = 'blocked'
        item.hasOrderKey = true
      }
      if (order === 'none') item.hasOrderKey = false
    }
  }

  async function run(command: Command, store: Store): Promise<void> {
    if (command.do === 'receive') return receive(command.subject, store)
    if (command.do === 'claim') return claim(command.destination, command.holds, store)
    if (command.do === 'reorder') return reorder(command.destination, store)
    if (command.do === 'replayMany') return replayMany(command.destination, command.mode, store)
    if (command.do === 'cancelReplay') {
      const replayId = replays[command.pick % replays.length]
      return replayId === undefined ? undefined : cancelReplay(replayId, store)
    }
    if (command.do === 'sweep') return sweep(command.destination, store)
    if (command.do === 'restart') {
      for (const item of items.filter(({ isClaimed }) => isClaimed))
        Object.assign(item, { isClaimed: false, dueAt: Date.now() })
      return
    }
    if (command.do === 'record' || command.do === 'release') {
      const claimed = handedOut[command.pick % handedOut.length]
      if (claimed === undefined) return
      return command.do === 'record' ? record(claimed, command.result, store) : release(claimed, store)
    }
    const item = items[command.pick % items.length]
    if (item === undefined) return
    return { retry, skip, replay }[command.do](item, store)
  }

  /** Of a subject at most one may be sent, and none waits behind no one. */
  function check(): void {
    for (const item of items.filter(isOrdered)) {
      const all = items.filter((one) => one.destination === item.destination && one.subject === item.subject)
      expect(all.filter(({ state }) => state === 'pending').length).toBeLessThanOrEqual(1)
      if (item.state === 'blocked') expect(lineOf(item).filter(({ state }) => state !== 'blocked')).toHaveLength(1)
    }
  }

  function rows(): [number, DeliveryState, number][] {
    return items.map(({ id, state, attempts }) => [id, state, attempts])
  }

  /** Every attempt that has ended is on record once. */
  async function attempts(store: Store): Promise<void> {
    for (const { id, attempts: begun, isClaimed } of items) {
      const recorded = (await store.listAttempts(id, 100)).map(({ attempt }) => attempt)
      expect(recorded).toEqual(Array.from({ length: begun - (isClaimed ? 1 : 0) }, (_, i) => i + 1))
    }
  }

  return model
}
