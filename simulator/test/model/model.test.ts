import fc from 'fast-check'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { until } from '../support/until.ts'
import { ENVIRONMENTS, type Environment } from '../../src/interfaces.ts'
import { plainReceiver } from '../notifications/plain-receiver.ts'
import { type Receiver, receiverCaFile, startReceiver } from '../receiver.ts'
import { type RunningSimulator, runSimulator } from '../running.ts'
import { subscriptionClient } from '../subscriptions/subscription-client.ts'
import { agreeOnEverything, agreeOnNotifications, callLine, receivedLine } from './agreement.ts'
import { Model } from './model.ts'
import { counter } from './operation.ts'
import { operations } from './operations.ts'
import type { Step } from './step.ts'

/** PORTARIA_MODEL_OPERATIONS: `npm run test:long` makes more. */
const OPERATIONS = Number(process.env.PORTARIA_MODEL_OPERATIONS ?? 250)
const MOST_IN_A_SEQUENCE = 300
const START = Date.parse('2026-03-02T15:00:00Z')

/** PORTARIA_MODEL_SEED: another number makes other operations. */
const seed = Number(process.env.PORTARIA_MODEL_SEED ?? 18)

let running: RunningSimulator
beforeAll(async () => {
  running = await runSimulator({}, { receiverCaFile: receiverCaFile() })
})
afterAll(() => running.stop())

interface Receivers {
  readonly notifications: Awaited<ReturnType<typeof plainReceiver>>
  readonly payments: Readonly<Record<Environment, Receiver>>
}

async function startReceivers(): Promise<Receivers> {
  const start = async (environment: Environment) => {
    const receiver = await startReceiver({ chain: running.simulator.folder.environments[environment].chain })
    onTestFinished(() => receiver.stop())
    return [environment, receiver] as const
  }
  const payments = Object.fromEntries(await Promise.all(ENVIRONMENTS.map(start))) as Receivers['payments']
  return { notifications: await plainReceiver(), payments }
}

/** A sequence starts on Monday noon, without records, with one address for callbacks of payments. */
async function begin(environment: Environment, { notifications, payments }: Receivers): Promise<Step> {
  await running.control('POST', '/reset')
  const client = subscriptionClient(() => running, environment)
  await client.setTime(new Date(START).toISOString())
  const receiver = payments[environment]
  const [before, paidBefore] = [notifications.received.length, receiver.received.length]
  const site = running.simulator.sites[environment]
  const { number: account = '' } = site.applications.accounts()[0] ?? {}
  site.webhooks.register({ interface: 'payment', account, url: receiver.urlOf('payments') })
  const arrived = {
    notifications: () => notifications.received.slice(before),
    payments: () => receiver.received.slice(paidBefore),
  }
  const { urlOf } = notifications
  async function settled({ calls, paymentCalls }: Model): Promise<void> {
    await until(
      () => arrived.notifications().length >= calls.length && arrived.payments().length >= paymentCalls.length,
    )
  }
  const ledger = () => running.control('GET', `/accounts/${account}/movements?environment=${environment}&limit=9999`)
  return {
    real: { ledger, running, client, environment, account, urlOf, settled, arrived },
    model: new Model(environment === 'production', START),
  }
}

async function agreeOnCalls({ model, real }: Step): Promise<void> {
  await real.settled(model)
  const notifications = real.arrived.notifications().map(({ path, body }) => receivedLine(path, body))
  expect(notifications.sort()).toEqual(model.calls.map(({ path, told }) => callLine(path, told)).sort())
  const payments = real.arrived.payments().map(({ body }) => JSON.parse(body))
  expect(
    payments.map(({ identificador, status }) => `${identificador} ${status.anterior} ${status.atual}`).sort(),
  ).toEqual(model.paymentCalls.toSorted())
}

it(`${OPERATIONS} random operations leave the states, lists, callbacks and balances that the documents tell`, {
  timeout: 240_000,
}, async () => {
  console.log(`PORTARIA_MODEL_SEED=${seed}`)
  const receivers = await startReceivers()
  const sequence = fc.asyncProperty(
    fc.constantFrom(...ENVIRONMENTS),
    // Without the bias to short sequences, in which little can happen.
    fc.noBias(fc.commands([operations], { maxCommands: MOST_IN_A_SEQUENCE, size: 'max' })),
    async (environment, commands) => {
      const step = await begin(environment, receivers)
      await fc.asyncModelRun(() => step, commands)
      await agreeOnEverything(step)
      await agreeOnNotifications(step)
      await agreeOnCalls(step)
    },
  )
  for (let round = 0; counter.executed < OPERATIONS; round++)
    await fc.assert(sequence, {
      seed: seed + round,
      numRuns: 1,
      interruptAfterTimeLimit: 50_000,
      markInterruptAsFailure: false,
    })
  console.log(Object.fromEntries(counter.names))
})
