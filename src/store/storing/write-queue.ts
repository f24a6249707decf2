import type { ReceivedCallback } from '../../domain/event.ts'
import type { WriterPulse } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'
import type { StoreCall } from './store-calls.ts'

/** More waiting callbacks, or more bytes of their bodies, are refused. The callbacks that the writer is storing count, too. */
export interface QueueLimits {
  readonly events: number
  readonly bytes: number
}

/** The writer's answer to a batch. */
export interface BatchAnswer<Result> {
  /** One for each call, in order. */
  readonly results: readonly (Result | null)[]
  /** The results that are null in `results`, in order. */
  readonly stored: readonly unknown[]
  readonly durationMs: number
}

/** As `StoreCall`. */
export interface QueueableCall {
  readonly method: string
  readonly args: readonly unknown[]
}

/**
 * Calls of writing Store methods on their way to the writer: group commit without a timer. Calls that arrive while a batch is in flight form the next
 * one. A second batch is sent before the first is answered only if it is large enough to be worth a commit of its own, and batches are quick.
 */
export interface WriteQueue<Result, Call extends QueueableCall = StoreCall> {
  /**
   * Fulfilled with the result of the call, after its commit. Rejects with PortariaError `queue_full`, or with the error of the writer.
   * @param place `first`: before the calls that wait
   */
  add(call: Call, place?: 'first' | 'last'): Promise<unknown>
  /** Settles the calls of the oldest batch in flight. Returns how many of them store a callback; null: `failAll` has settled this batch before. */
  answered(answer: BatchAnswer<Result>): number | null
  /** Sends the next batch, if one may be sent now. */
  sendNext(): void
  /** Rejects all calls, those in flight included. */
  failAll(error: PortariaError): void
  /** Calls wait, or are in flight. */
  hasCalls(): boolean
  isInFlight(): boolean
  /** Fulfilled the next time that no call waits or is in flight. */
  emptied(): Promise<void>
  /** Callbacks that are neither stored nor refused. */
  waiting(): Pick<WriterPulse, 'waitingEvents' | 'waitingBytes'>
  /** Refusals give way to callbacks. */
  isHalfFull(): boolean
}

interface QueuedCall<Call> extends Settling {
  readonly call: Call
  /** 1: it stores a callback. Its facts are not known yet. */
  readonly events: 0 | 1
  readonly bytes: number
}

/** Of a promise. */
export interface Settling {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

const BATCH_CALLS = 512
const BATCH_BYTES = 16 * 1024 * 1024
const BATCHES_IN_FLIGHT = 2
/** As many calls are sent before the batch in flight is answered, so that the writer need not wait for the main thread in between. */
const AHEAD_CALLS = 24
/** The writer waits some 0.1 ms for the main thread between two batches. Where a batch takes longer than this, a larger one saves more than that wait. */
const AHEAD_WITHIN_MS = 2

/**
 * Gives a batch to the writer. Returns why the writer did not get it; null: it did.
 * @param isFirst no other batch is in flight
 */
export type SendBatch<Call = StoreCall> = (calls: readonly Call[], isFirst: boolean) => PortariaError | null

/** @param settle fulfils or rejects the promise of a call with its result */
export function createWriteQueue<Result, Call extends QueueableCall = StoreCall>(
  limits: QueueLimits,
  send: SendBatch<Call>,
  settle: (settling: Settling, result: Result) => void,
): WriteQueue<Result, Call> {
  const queue: QueuedCall<Call>[] = []
  const inFlight: QueuedCall<Call>[][] = []
  /** How long the last batch took, once `answered`. */
  let lastBatchMs = 0
  /** `add` counts what waits, `leave` takes it away; so are the bytes. */
  let waitingEvents = 0
  let waitingBytes = 0
  /** Of the call of `emptied` that waits. */
  let onEmptied: (() => void) | undefined

  function sendNext(): void {
    if (inFlight.length >= BATCHES_IN_FLIGHT) return
    if (inFlight.length > 0 && (queue.length < AHEAD_CALLS || lastBatchMs > AHEAD_WITHIN_MS)) return
    if (queue.length === 0) {
      onEmptied?.()
      return
    }
    const batch = queue.splice(0, batchLength(queue))
    const calls = batch.map(({ call }) => call)
    const failure = send(calls, inFlight.length === 0)
    if (failure === null) inFlight.push(batch)
    else {
      fail(batch, failure)
      sendNext()
    }
  }

  function leave(queued: QueuedCall<Call>): void {
    waitingEvents -= queued.events
    waitingBytes -= queued.bytes
  }

  function fail(calls: readonly QueuedCall<Call>[], error: PortariaError): void {
    for (const queued of calls) {
      leave(queued)
      queued.reject(error)
    }
  }

  return {
    add(call, place = 'last') {
      const isCallback = call.method === 'storeCallback'
      const events = isCallback ? 1 : 0
      const bytes = isCallback ? (call.args[0] as ReceivedCallback).body.length : 0
      if (isCallback && (waitingEvents >= limits.events || waitingBytes + bytes > limits.bytes)) {
        return Promise.reject(
          new PortariaError('queue_full', 'more callbacks are waiting for the disk than storage.queue allows'),
        )
      }
      waitingEvents += events
      waitingBytes += bytes
      return new Promise((resolve, reject) => {
        const queued: QueuedCall<Call> = { call, events, bytes, resolve, reject }
        if (place === 'first') queue.unshift(queued)
        else queue.push(queued)
        sendNext()
      })
    },

    answered({ results, stored, durationMs }) {
      const batch = inFlight.shift()
      if (batch === undefined) return null
      lastBatchMs = durationMs
      let nextStored = 0
      let callbacks = 0
      batch.forEach((queued, place) => {
        leave(queued)
        callbacks += queued.events
        const result = results[place] as Result | null
        if (result === null) queued.resolve(stored[nextStored++])
        else settle(queued, result)
      })
      return callbacks
    },

    sendNext,

    failAll(error) {
      fail([...inFlight.splice(0).flat(), ...queue.splice(0)], error)
      onEmptied?.()
    },

    hasCalls: () => inFlight.length > 0 || queue.length > 0,
    isInFlight: () => inFlight.length > 0,
    emptied: () => new Promise((resolve) => (onEmptied = resolve)),
    waiting: () => ({ waitingEvents, waitingBytes }),
    isHalfFull: () => waitingEvents > limits.events / 2 || waitingBytes > limits.bytes / 2,
  }
}

/** As many calls as a batch may have, but at least one. */
function batchLength(queue: readonly QueuedCall<unknown>[]): number {
  let length = 0
  for (let bytes = 0; length < queue.length && length < BATCH_CALLS && bytes < BATCH_BYTES; length++)
    bytes += (queue[length] as QueuedCall<unknown>).bytes
  return length
}
