import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { CircuitPolicy } from '../../src/delivery/circuit.ts'
import { createDispatcher, type DispatcherOptions } from '../../src/delivery/dispatcher.ts'
import { handedDeliveriesOf } from '../../src/delivery/handed-deliveries.ts'
import type { Resolve } from '../../src/delivery/name-resolver.ts'
import { type AttemptEnding, createSender, type Sender, type SendResult } from '../../src/delivery/send.ts'
import { compileAddressRules } from '../../src/domain/address-rules.ts'
import type { ClaimedDelivery } from '../../src/domain/delivery.ts'
import type { Destination } from '../../src/domain/destination.ts'
import type { RetryPolicy } from '../../src/domain/retry-schedule.ts'
import type { Store } from '../../src/domain/store.ts'
import { aCallback, aDestination, aFact } from '../support/builders.ts'
import { type LogLine, recordingLog } from '../support/gateway.ts'
import { openTestStore } from '../support/store.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

export interface DispatchingOptions
  extends Partial<Pick<DispatcherOptions, 'catchUpRate' | 'sendBlockedReason' | 'holds' | 'mayBegin' | 'now'>> {
  readonly policy?: Partial<RetryPolicy>
  readonly circuit?: Partial<CircuitPolicy>
  readonly over?: (store: Store) => Partial<Store>
  /** In place of real sending. */
  readonly send?: Sender['send']
  /** In place of the system's names. */
  readonly resolve?: Resolve
  /** The folder of an earlier one, for a restart. */
  readonly folder?: string
}

/** A real store and a real dispatcher, with short waits; `restart` is the same folder in a new one. */
export async function startDispatching(options: DispatchingOptions = {}) {
  const folder = options.folder ?? temporaryFolder()
  const policy = {
    schedule: [0, 20, 40, 60],
    jitter: 0,
    maxAgeMs: 3_600_000,
    retryAfterLimitMs: 100,
    ...options.policy,
  }
  const store = await openTestStore({ file: join(folder, 'portaria.db'), firstWaitMs: policy.schedule[0] ?? 0 })
  const lines: LogLine[] = []
  const rules = compileAddressRules(['127.0.0.1'])
  const resolving = options.resolve !== undefined && { resolve: options.resolve }
  const sender = createSender({ rules, version: '0.1.0', instance: 'portaria-test', now: Date.now, ...resolving })
  const send = options.send ?? sender.send
  let sending = 0
  let mostSending = 0
  // The connections are bounded too; what waits for one of them would use up its time limit.
  async function counted(...args: Parameters<typeof send>) {
    mostSending = Math.max(mostSending, ++sending)
    return send(...args).finally(() => sending--)
  }
  const dispatcher = createDispatcher({
    store: { ...store, ...options.over?.(store) },
    sender: { ...sender, send: counted },
    policy,
    circuit: { failures: 3, probeIntervalMs: 100, ...options.circuit },
    catchUpRate: options.catchUpRate ?? null,
    sendBlockedReason: options.sendBlockedReason ?? (() => null),
    holds: options.holds ?? (() => true),
    mayBegin: options.mayBegin ?? (() => true),
    sweepIntervalMs: 50,
    now: options.now ?? Date.now,
    random: () => 0.5,
    log: recordingLog(lines),
  })
  let isStopped = false
  async function stop(graceMs = 0): Promise<void> {
    if (isStopped) return
    isStopped = true
    await dispatcher.stop(graceMs)
  }
  onTestFinished(() => stop())
  await dispatcher.refresh()
  const deliveries = () => store.listDeliveries({}, 5000)
  return {
    store,
    dispatcher,
    lines,
    stop,
    deliveries,
    mostSending: () => mostSending,
    async restart(changes: DispatchingOptions = {}) {
      await stop()
      await store.close()
      return startDispatching({ ...options, ...changes, folder })
    },
    async addDestination(url: string, changes: Parameters<typeof aDestination>[0] = {}) {
      const destination = await store.createDestination(aDestination({ url, timeoutMs: 5000, ...changes }), Date.now())
      await dispatcher.refresh()
      return destination
    },
    /** Stores one event for each subject, whose text is its body, and tells the dispatcher as the gateway does. */
    async receive(subjects: readonly (string | null)[], receivedAt = Date.now()): Promise<void> {
      await Promise.all(
        subjects.map(async (subject) => {
          const callback = aCallback({ text: subject ?? 'none', receivedAt, facts: [aFact({ subject })] })
          const stored = await store.storeCallback(callback)
          dispatcher.send(handedDeliveriesOf(callback, stored))
          dispatcher.wake(stored.destinationIds)
        }),
      )
    },
    async change(action: Promise<unknown>): Promise<void> {
      await action
      await dispatcher.refresh()
    },
    allIn: (state: string, count: number) =>
      until(deliveries, (all) => all.length === count && all.every((delivery) => delivery.state === state)),
    destination: async (name = 'books') => (await store.listDestinations()).find((d) => d.name === name),
    linesOf: (event: string) => lines.filter((line) => line.event === event),
  }
}

/** What a sender answers that sends nothing. */
export function answered(status: number | null, error: string | null = status === 200 ? null : 'failed'): SendResult {
  return {
    aborted: false,
    startedAt: Date.now(),
    durationMs: 0,
    status,
    error,
    answer: new Uint8Array(),
    retryAfter: undefined,
  }
}

export function textOf(delivery: ClaimedDelivery): string {
  return Buffer.from(delivery.body).toString()
}

/** A far side whose answers wait until the test gives them. */
export function heldAnswers() {
  const waiting: { text: string; id: number; answer: (result: SendResult) => void }[] = []
  const sent: string[] = []
  return {
    waiting,
    sent,
    send(delivery: ClaimedDelivery, _destination: Destination, { signal }: AttemptEnding): Promise<SendResult> {
      const { promise, resolve } = Promise.withResolvers<SendResult>()
      signal.addEventListener('abort', () =>
        resolve({ aborted: true, startedAt: Date.now(), durationMs: 0, hasBegun: true }),
      )
      sent.push(textOf(delivery))
      waiting.push({ text: textOf(delivery), id: delivery.deliveryId, answer: resolve })
      return promise
    },
    /** Answers the first one that waits. */
    next(result: SendResult = answered(200)): void {
      waiting.shift()?.answer(result)
    },
  }
}
