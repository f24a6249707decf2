import { expect, it, onTestFinished } from 'vitest'
import { JOBS, type SignedOn } from '../../../src/domain/nodes/node.ts'
import { createNodes } from '../../../src/gateway/nodes/nodes.ts'
import { createSharedTime } from '../../../src/gateway/nodes/shared-time.ts'
import { type LogLine, recordingLog } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'

const TIMING = { everyMs: 60_000, validMs: 12_000, graceMs: 10_000 }

/** A node whose store answers what the test wants, with clocks that stand still. */
function aNode() {
  const clock = { wall: 1_000_000, monotonic: 5000 }
  const answer: { signed: SignedOn | Error } = {
    signed: { held: [], surplus: 0, living: 1, time: 1_000_000, isNameShared: false },
  }
  const did: string[] = []
  const tookOver: boolean[] = []
  const lines: LogLine[] = []
  let onLeft = Promise.resolve()
  let onAsked: () => void = () => undefined
  const nodes = createNodes({
    store: {
      async signOn(_identity, _now, mayTakeOver) {
        tookOver.push(mayTakeOver)
        onAsked()
        if (answer.signed instanceof Error) throw answer.signed
        return answer.signed
      },
      async freeLeases(ids) {
        did.push(`free ${ids}`)
      },
      async signOff() {
        did.push('sign off')
      },
    },
    identity: () => ({ name: 'one', version: '1.0.0', facts: {}, configured: [] }),
    time: createSharedTime(() => clock.wall),
    wall: () => clock.wall,
    monotonic: () => clock.monotonic,
    timing: TIMING,
    log: recordingLog(lines),
  })
  onTestFinished(() => nodes.stop())
  nodes.onMine(() => did.push('jobs'))
  nodes.follow({
    async refresh() {
      did.push('refresh')
    },
    async leave(ids, graceMs) {
      did.push(`leave ${ids} ${graceMs}`)
      await onLeft
    },
    wake: (ids) => void did.push(`wake ${ids}`),
  })
  return {
    nodes,
    clock,
    did,
    tookOver,
    lines,
    /** The next answers: leases as destination and fence. */
    holds(leases: Record<number, number>, more: Partial<SignedOn> = {}) {
      const held = Object.entries(leases).map(([id, fence]) => ({ destinationId: Number(id), fence }))
      answer.signed = { held, surplus: 0, living: 2, time: clock.wall, isNameShared: false, ...more }
    },
    fails(error: Error) {
      answer.signed = error
    },
    asks(asked: () => void) {
      onAsked = asked
    },
    leavesAfter(left: Promise<void>) {
      onLeft = left
    },
    async signOn() {
      did.length = 0
      await nodes.signOn()
      return [...did]
    },
  }
}

it('takes up new leases, and leaves lost ones at once', async () => {
  const { nodes, holds, signOn } = aNode()
  holds({ [JOBS]: 1, 7: 1 })
  expect(await signOn()).toEqual(['jobs', 'refresh', 'wake 0,7'])
  expect([nodes.holds(7), nodes.holds(8), nodes.isMine()]).toEqual([true, false, true])
  expect(await signOn()).toEqual([])
  holds({ 8: 4 })
  expect(await signOn()).toEqual(['leave 0,7 0', 'refresh'])
  expect([nodes.holds(7), nodes.holds(8), nodes.isMine()]).toEqual([false, true, false])
})

it('a lease that it has got again after another node had it is another lease', async () => {
  const { holds, signOn } = aNode()
  holds({ 7: 1 })
  await signOn()
  holds({ 7: 3 })
  expect(await signOn()).toEqual(['leave 7 0', 'refresh'])
})

it('counts on its leases for 12 s, by the clock that says more', async () => {
  const { nodes, clock, holds, signOn } = aNode()
  expect(nodes.mayBegin()).toBe(false)
  holds({ [JOBS]: 1 })
  await signOn()
  clock.monotonic += 11_999
  expect([nodes.mayBegin(), nodes.isMine()]).toEqual([true, true])
  // The machine was suspended: the monotonic clock stood still.
  clock.wall += 12_000
  expect([nodes.mayBegin(), nodes.isMine()]).toEqual([false, false])
  clock.wall -= 12_000
  clock.monotonic += 1
  expect([nodes.mayBegin(), nodes.isMine()]).toEqual([false, false])
  expect(await signOn()).toEqual(['jobs', 'wake 0'])
  expect(nodes.mayBegin()).toBe(true)
})

it('counts on its leases since the beginning of the sign of life, and not since its answer', async () => {
  const { nodes, clock, holds, leavesAfter, signOn } = aNode()
  holds({ 7: 1 })
  await signOn()
  const { promise, resolve } = Promise.withResolvers<void>()
  leavesAfter(promise)
  holds({ 8: 1 })
  const signed = signOn()
  await until(() => nodes.holds(8))
  clock.monotonic += 12_000
  resolve()
  await signed
  expect(nodes.mayBegin()).toBe(false)
})

it('wakes workers and jobs that found its leases uncertain while the database was slow to answer', async () => {
  const { clock, holds, asks, signOn } = aNode()
  holds({ [JOBS]: 1, 7: 1 })
  await signOn()
  clock.monotonic += 5000
  asks(() => {
    clock.monotonic += 7000
  })
  expect(await signOn()).toEqual(['jobs', 'wake 0,7'])
  clock.monotonic += 3000
  asks(() => undefined)
  expect(await signOn()).toEqual([])
})

it('a failed sign of life renews nothing', async () => {
  const { nodes, clock, holds, fails, signOn } = aNode()
  holds({ 7: 1 })
  await signOn()
  fails(new Error('away'))
  clock.monotonic += 12_000
  await expect(signOn()).rejects.toThrow('away')
  expect([nodes.mayBegin(), nodes.holds(7)]).toEqual([false, true])
})

it('takes over from others only what ended while it could renew its own leases itself', async () => {
  const { clock, tookOver, holds, signOn } = aNode()
  holds({ 7: 1 })
  await signOn()
  await signOn()
  clock.monotonic += 12_000
  await signOn()
  await signOn()
  expect(tookOver).toEqual([false, true, false, true])
})

it('signs on once for all who ask while it waits for an answer', async () => {
  const { nodes, tookOver, signOn } = aNode()
  await Promise.all([signOn(), nodes.signOn(), nodes.signOn()])
  const before = tookOver.length
  const under = nodes.signOn()
  await until(() => tookOver.length === before + 1)
  await Promise.all([under, nodes.signOn(), nodes.signOn(), nodes.signOn()])
  expect(tookOver).toHaveLength(before + 2)
})

it('gives back what is above its share: sends nothing more, frees it after the last attempt, and does not take it up meanwhile', async () => {
  const { nodes, did, holds, leavesAfter, signOn } = aNode()
  holds({ [JOBS]: 1, 7: 1, 8: 1, 9: 1 })
  await signOn()
  const { promise, resolve } = Promise.withResolvers<void>()
  leavesAfter(promise)
  holds({ [JOBS]: 1, 7: 1, 8: 1, 9: 1 }, { surplus: 2 })
  expect(await signOn()).toEqual(['leave 9,8 10000'])
  expect([nodes.holds(7), nodes.holds(8), nodes.holds(9)]).toEqual([true, false, false])
  expect(await signOn()).toEqual([])
  resolve()
  await until(() => did.includes('free 9,8'))
  holds({ [JOBS]: 1, 7: 1 })
  expect(await signOn()).toEqual([])
})

it('says once that another node has its name, if that lasts', async () => {
  const { lines, holds, signOn } = aNode()
  holds({}, { isNameShared: true })
  const shared = () => lines.filter(({ event }) => event === 'nodes.name_shared').length
  for (let n = 0; n < 4; n++) await signOn()
  expect(shared()).toBe(0)
  for (let n = 0; n < 8; n++) await signOn()
  expect(shared()).toBe(1)
})

it('signs off at its stop, and never on again', async () => {
  const { nodes, did, holds, signOn } = aNode()
  holds({ 7: 1 })
  await signOn()
  await nodes.stop()
  expect(did.at(-1)).toBe('sign off')
  await signOn()
  expect([nodes.holds(7), nodes.isMine()]).toEqual([false, false])
})
