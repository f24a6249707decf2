import { expect, it } from 'vitest'
import { type ClaimRatesOptions, createClaimRates } from '../../src/delivery/claim-rates.ts'
import { aDelivery } from './receiver.ts'

const UNLIMITED = Number.POSITIVE_INFINITY

function ratesWith(limits: Partial<ClaimRatesOptions> = {}) {
  let time = 1_000_000
  const rates = createClaimRates({ rateLimit: null, catchUpRate: null, now: () => time, ...limits })
  const claimed = (fresh: number, fromBacklog: number, hasBacklog = true) =>
    rates.claimed({
      nextDueAt: null,
      hasBacklog,
      isHeldDue: false,
      deliveries: [
        ...Array.from({ length: fresh }, () => aDelivery({ isBacklog: false })),
        ...Array.from({ length: fromBacklog }, () => aDelivery({ isBacklog: true })),
      ],
    })
  return { rates, claimed, pass: (ms: number) => (time += ms), now: () => time }
}

it('without limits all free slots are wanted, and what is due since the start is fresh', () => {
  const { rates, now } = ratesWith()
  expect(rates.wanted(5)).toEqual({ limit: 5, backlogLimit: UNLIMITED, backlogShare: 0, freshSince: now() })
})

it('every eighth place is the backlog’s, however much is fresh', () => {
  const { rates, claimed } = ratesWith()
  expect(rates.wanted(16).backlogShare).toBe(2)

  claimed(5, 0)
  expect([rates.wanted(2).backlogShare, rates.wanted(3).backlogShare]).toEqual([0, 1])

  claimed(2, 1)
  expect(rates.wanted(3).backlogShare).toBe(0)
})

it('where no backlog waits its turn does not add up', () => {
  const { rates, claimed } = ratesWith()
  claimed(7, 0, false)
  expect(rates.wanted(1).backlogShare).toBe(0)
})

it('the rate limit holds for all, the catch-up rate for the backlog alone', () => {
  const { rates, claimed, pass, now } = ratesWith({ rateLimit: 4, catchUpRate: 2 })
  pass(10_000)
  expect(rates.wanted(9)).toMatchObject({ limit: 4, backlogLimit: 2 })

  claimed(3, 1)

  expect(rates.wanted(9)).toMatchObject({ limit: 0, backlogLimit: 1 })
  expect([rates.nextAt(), rates.nextBacklogAt()]).toEqual([now() + 250, now()])
})

it('a backlog that begins gets no burst for the time in which nothing was sent', () => {
  const { rates, pass, now } = ratesWith({ catchUpRate: 10 })
  pass(10_000)

  rates.beginBacklog()

  expect(rates.wanted(50)).toMatchObject({ backlogLimit: 1, freshSince: now() })
})

it('another rate limit holds at once', () => {
  const { rates } = ratesWith()
  rates.setRateLimit(1)
  expect(rates.wanted(5).limit).toBe(1)
})
