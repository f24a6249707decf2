import { paymentSettled } from './opening-steps.ts'
import type { Step, Tour } from './tour.ts'
import { becomesTrue, mustHold } from './waiting.ts'

const DURING_OUTAGE = 12
const BURST_CONNECTIONS = 12
/** The gateway is killed after this number of acknowledgements, while the other connections go on calling. */
const KILL_AT = 150

export const outliveReceiver: Step = {
  title: 'The receiver fails, and nothing is lost',
  async run(tour, { did, saw }) {
    const { receiver, signal } = tour
    await did('The receiver cuts every connection from now on. The service continues to call.')
    receiver.breakDown()
    const before = { acknowledged: tour.counts.acknowledged, received: receiver.received.size }
    for (let n = 0; n < DURING_OUTAGE; n++) await tour.call(paymentSettled(String(7100000000 + n)))
    const acknowledged = tour.counts.acknowledged - before.acknowledged
    await saw(`${acknowledged} of ${DURING_OUTAGE} callbacks acknowledged`)
    mustHold(acknowledged === DURING_OUTAGE, `only ${acknowledged} of ${DURING_OUTAGE} callbacks were acknowledged`)
    await did('Waiting for a failed attempt: GET /v1/deliveries?state=pending')
    let pending: readonly { lastError: string | null }[] = []
    const hasFailed = await becomesTrue(async () => {
      pending = await pendingDeliveries(tour)
      return pending.some(({ lastError }) => lastError !== null)
    }, signal)
    const failure = pending.find(({ lastError }) => lastError !== null)?.lastError
    await saw(`${pending.length} deliveries are pending; the last attempt of one: ${failure}`)
    mustHold(hasFailed && pending.length === DURING_OUTAGE, `${pending.length} deliveries wait, not ${DURING_OUTAGE}`)
    await did('The receiver recovers.')
    receiver.recover()
    const hasArrived = await becomesTrue(() => receiver.received.size >= before.received + DURING_OUTAGE, signal)
    const arrived = receiver.received.size - before.received
    await saw(`${arrived} of ${DURING_OUTAGE} arrived, each retried on the gateway's own schedule`)
    mustHold(hasArrived, `only ${arrived} of ${DURING_OUTAGE} deliveries arrived`)
    return { acknowledged, waiting: pending.length, lastError: failure, arrived }
  },
}

export const outliveGateway: Step = {
  title: 'The gateway is killed in the middle of a burst, and nothing is lost',
  async run(tour, { did, saw }) {
    const firstPid = tour.gateway.pid
    await did(`Calling over ${BURST_CONNECTIONS} connections at once; kill -9 at acknowledgement ${KILL_AT}.`)
    const burst = await callUntilKilled(tour)
    await saw(
      `process ${firstPid} is dead; ${burst.acknowledged} callbacks acknowledged, ${burst.unanswered} never answered`,
    )
    mustHold(burst.acknowledged >= KILL_AT, `the gateway stopped answering after ${burst.acknowledged} callbacks`)
    await did('Starting it again on the same folder.')
    await tour.startGateway()
    const { pid } = tour.gateway
    await saw(`process ${pid}; its pending deliveries are sent at once`)
    await did('Looking for every callback of this tour in the store and, by its webhook-id, at the receiver.')
    await becomesTrue(async () => (await pendingDeliveries(tour)).length === 0, tour.signal)
    const { acknowledged, stored, delivered, lost } = await tour.count()
    const { repeated } = tour.receiver
    await saw(`acknowledged ${acknowledged}, stored ${stored}, delivered ${delivered}, lost ${lost}`)
    await saw(`${repeated} came twice with the same webhook-id, which the receiver recognized`)
    mustHold(
      stored === acknowledged,
      `${acknowledged} callbacks were acknowledged, ${stored} events are stored for them`,
    )
    mustHold(delivered === stored, `${stored} events are stored, only ${delivered} of them were delivered`)
    return {
      ...burst,
      pids: [firstPid, pid],
      acknowledgedInAll: acknowledged,
      stored,
      delivered,
      deliveredTwice: repeated,
    }
  },
}

function pendingDeliveries(tour: Tour): Promise<{ lastError: string | null }[]> {
  return tour.list('/v1/deliveries', '&state=pending')
}

/** The service repeats unanswered callbacks: it never got a 200 for them. */
async function callUntilKilled(tour: Tour): Promise<{ acknowledged: number; unanswered: number }> {
  let next = 7200000000
  let acknowledged = 0
  let unanswered = 0
  async function callUntilUnanswered(): Promise<void> {
    for (;;) {
      const status = await tour.call(paymentSettled(String(next++)))
      if (status === null) return void unanswered++
      mustHold(status === 200, `a callback was answered with ${status}`)
      if (++acknowledged === KILL_AT) await tour.gateway.kill()
    }
  }
  await Promise.all(Array.from({ length: BURST_CONNECTIONS }, callUntilUnanswered))
  return { acknowledged, unanswered }
}
