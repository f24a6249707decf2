import { expect, it } from 'vitest'
import { ClaimsWindow } from '../../src/delivery/claims-window.ts'
import type { AttemptOutcome, ReleasedClaim } from '../../src/domain/delivery.ts'
import { type LogLine, recordingLog } from '../support/gateway.ts'
import { aDelivery } from './receiver.ts'

const [FIRST, SECOND] = [
  aDelivery({ deliveryId: 1, attempt: 1, dueAt: 100 }),
  aDelivery({ deliveryId: 2, attempt: 1, dueAt: 200 }),
]
type Delivery = typeof FIRST
const OUTCOME = { deliveryId: 1, attempt: 1 } as AttemptOutcome

/** With both deliveries claimed. */
function aWindow({ releasing = async () => undefined as unknown, isHeldDue = false } = {}) {
  const [recorded, released, lines]: [(() => void)[], ReleasedClaim[], LogLine[]] = [[], [], []]
  const window = new ClaimsWindow({
    store: {
      async releaseClaims(claims) {
        released.push(...claims)
        await releasing()
      },
    },
    outcomes: {
      record: (_outcome, onRecorded) => void recorded.push(onRecorded),
      flushed: async () => undefined,
    },
    destination: 'shop',
    log: recordingLog(lines),
  })
  window.add({ deliveries: [FIRST, SECOND], nextDueAt: null, hasBacklog: false, isHeldDue }, 9000)
  return { window, recorded, released, lines }
}

it('a delivery is claimed until its outcome is on disk', () => {
  const { window, recorded } = aWindow()
  expect(window.next()).toEqual({ delivery: FIRST, leaseUntil: 9000 })
  let isRecorded = false
  window.record(FIRST, OUTCOME, () => {
    isRecorded = true
  })
  expect([window.deliveryIds, isRecorded]).toEqual([[1, 2], false])

  for (const onRecorded of recorded) onRecorded()

  expect([window.deliveryIds, isRecorded]).toEqual([[2], true])
})

it('a later attempt that is claimed already is not forgotten with the earlier one', () => {
  const { window } = aWindow()
  const later = { ...FIRST, attempt: 2 }
  window.add({ deliveries: [later], nextDueAt: null, hasBacklog: false, isHeldDue: false }, 9500)

  window.forget(FIRST)

  expect(window.deliveryIds).toEqual([1, 2])
})

it('released claims are due again when they were, and are no longer ready', async () => {
  const { window, released } = aWindow()

  const isReleased = window.release(window.takeReady(({ deliveryId }) => deliveryId === 2))

  expect([window.isBusy, window.deliveryIds]).toEqual([true, [1]])
  expect(await isReleased).toBe(true)
  expect(released).toEqual([{ deliveryId: 2, attempt: 1, dueAt: 200 }])
  expect([window.isBusy, window.next()?.delivery, window.next()]).toEqual([false, FIRST, undefined])
})

it('where the store takes no release it says so, and the lease ends at its time', async () => {
  const { window, lines } = aWindow({ releasing: () => Promise.reject(new Error('disk full')) })

  expect(await window.release(window.takeReady())).toBe(false)

  expect(lines).toEqual([{ level: 'warn', event: 'delivery.not_released', destination: 'shop', error: 'disk full' }])
  expect([window.isBusy, window.isEmpty, window.deliveryIds]).toEqual([false, true, []])
})

it('asks for no more while more than half of the prefetched deliveries are ready', () => {
  const { window } = aWindow()
  expect([window.wantedSlots(2), window.wantedSlots(4)]).toEqual([0, 6])

  window.next()
  window.attemptBegan()

  expect([window.wantedSlots(2), window.underWay, window.isEmpty]).toEqual([2, 1, false])
  window.next()
  window.attemptEnded()
  expect([window.wantedSlots(2), window.isEmpty]).toEqual([4, true])
})

it('asks for no more, and offers no slots, while large bodies are ready', () => {
  const { window } = aWindow()
  const large = aDelivery({ deliveryId: 3, body: Buffer.alloc(4 * 1024 * 1024) })
  window.handed({ delivery: large, leaseUntil: 9000 })
  expect([window.wantedSlots(16), window.freeSlots(16)]).toEqual([0, 0])

  window.takeReady(({ deliveryId }) => deliveryId === 3)
  expect([window.wantedSlots(16), window.freeSlots(16)]).toEqual([30, 30])

  window.handed({ delivery: large, leaseUntil: 9000 })
  for (let i = 0; i < 3; i++) window.next()
  expect([window.wantedSlots(16), window.freeSlots(16)]).toEqual([32, 32])
})

it('offers as many slots for new deliveries as it claims, also where only a few are free', () => {
  const { window } = aWindow()
  for (let i = 0; i < 100; i++) window.measured(0)
  expect([window.wantedSlots(16), window.freeSlots(16)]).toEqual([270, 270])
  const ready = Array.from({ length: 200 }, (_, i) => aDelivery({ deliveryId: 10 + i }))
  window.add({ deliveries: ready, nextDueAt: null, hasBacklog: false, isHeldDue: false }, 9000)
  expect([window.wantedSlots(16), window.freeSlots(16)]).toEqual([0, 70])
})

it('what is handed over during a claim is ready behind what the claim finds, and can be taken back before', () => {
  const { window } = aWindow()
  const [third, fourth, fifth] = [3, 4, 5].map((deliveryId) => aDelivery({ deliveryId })) as [
    Delivery,
    Delivery,
    Delivery,
  ]
  window.claimBegan()
  window.handed({ delivery: fourth, leaseUntil: 9000 })
  window.handed({ delivery: fifth, leaseUntil: 9000 })
  expect([window.isBusy, window.wantedSlots(2)]).toEqual([true, 0])
  expect(window.takeReady((delivery) => delivery === fifth)).toEqual([fifth])
  window.add({ deliveries: [third], nextDueAt: null, hasBacklog: false, isHeldDue: false }, 9000)
  window.claimEnded()
  const ids = Array.from({ length: 5 }, () => window.next()?.delivery.deliveryId)
  expect([window.isBusy, ids]).toEqual([false, [1, 2, 3, 4, undefined]])
})

it('tells once that a claimed delivery became due', () => {
  const { window } = aWindow({ isHeldDue: true })
  expect([window.takeClaimedDue(), window.takeClaimedDue()]).toEqual([true, false])
})
