import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import type { AttemptOutcome, Claim } from '../../../src/domain/delivery.ts'
import type { NewCallback } from '../../../src/domain/event.ts'
import { invalidRequest, PortariaError } from '../../../src/platform/errors.ts'
import type { SqliteWriteCall as WriteCall } from '../../../src/store/sqlite/threads/sqlite-calls.ts'
import {
  claimMessage,
  claimOf,
  createPacker,
  createUnpacker,
  errorOfThread,
  threadError,
} from '../../../src/store/sqlite/threads/thread-messages.ts'
import { createCallbackReader } from '../../../src/store/storing/callback-reader.ts'
import { aDelivery } from '../../delivery/receiver.ts'
import { aCallback, aFact, CALLER, NOON } from '../../support/builders.ts'
import { anEntry, anOutcome, aTokenCallback } from '../contract/token-contract.ts'

/** As the reader thread and the writer thread do. */
function sent(error: unknown): PortariaError {
  return errorOfThread(structuredClone(threadError(error)))
}

/** As the main thread and the writer thread do, batch by batch. */
function betweenThreads(): (operations: WriteCall[]) => WriteCall[] {
  const [pack, unpack] = [createPacker(), createUnpacker(createCallbackReader([]))]
  return (operations) => unpack(structuredClone(pack(operations)))
}

function storing(...callbacks: NewCallback[]): WriteCall[] {
  return callbacks.map((callback) => ({ method: 'storeCallback', args: [callback] }))
}

it('an error keeps its code, text, details and violations on its way between threads', () => {
  const errors = [
    invalidRequest('the filter is not valid', [{ parameter: 'limit', words: 'must be at least 1' }]),
    new PortariaError('store_locked', 'the database is in use', { details: ['by process 1', 'by process 2'] }),
  ]
  for (const error of errors) {
    const { code, message, details, violations } = error
    expect(sent(error)).toMatchObject({ code, message, details, violations })
  }
})

it('an error that is not ours arrives as store_unavailable', () => {
  expect(sent(new RangeError('too many rows'))).toMatchObject({
    code: 'store_unavailable',
    message: 'the database cannot be used: too many rows',
  })
})

it('an error of a database that cannot be written names both causes: the file system and the user', () => {
  const error = new Database.SqliteError('attempt to write a readonly database', 'SQLITE_READONLY')
  expect(sent(error).message).toMatch(
    /either its file system is read-only \(look at dmesg\), or this user may not write/,
  )
})

it('tokens, charge references and entries arrive whole, each with its own bytes', () => {
  const references = { charge: '77', subscription: null }
  const operations: WriteCall[] = [
    { method: 'settleToken', args: [anOutcome({ id: 1, version: 2 }, { entries: [anEntry(1), anEntry(2)] })] },
    { method: 'storeCallback', args: [aTokenCallback('t')] },
    { method: 'settleToken', args: [anOutcome({ id: 2, version: 1 }, { error: 'HTTP 503', nextAttemptAt: NOON })] },
    { method: 'storeCallback', args: [aCallback({ facts: [aFact({ references, hash: Buffer.from('hash') })] })] },
  ]
  const pass = betweenThreads()
  expect(pass(operations)).toEqual(operations)
})

it('outcomes of every kind arrive as they were recorded', () => {
  const common = { attempt: 2, startedAt: NOON, durationMs: 7, status: 200, error: null, answer: Buffer.from('ok') }
  const failed = { ...common, status: null, error: 'no answer', answer: new Uint8Array() }
  const outcomes: AttemptOutcome[] = [
    { ...common, deliveryId: 1, result: { state: 'delivered' } },
    { ...failed, deliveryId: 2, result: { state: 'pending', at: NOON + 1, retriesUsed: 3 } },
    { ...common, deliveryId: 3, attempt: 1, answer: new Uint8Array(), result: { state: 'delivered' } },
    {
      ...failed,
      deliveryId: 4,
      status: 500,
      answer: Buffer.from('why'),
      result: { state: 'exhausted', reason: 'old' },
    },
  ]
  const [arrived] = betweenThreads()([{ method: 'recordAttempts', args: [outcomes] }])
  expect(arrived?.args[0]).toEqual(outcomes.map((outcome) => ({ ...outcome, answer: Buffer.from(outcome.answer) })))
})

it('claims arrive as they were made, with their bodies', () => {
  const event = { ...aDelivery().event, source: 'resolved' as const, subject: 's', status: null, part: 2, parts: 3 }
  const claim: Claim = {
    deliveries: [
      aDelivery({ deliveryId: 1, body: Buffer.from('one'), loop: 'a, b', hasOrderKey: true }),
      aDelivery({ deliveryId: 2, body: Buffer.alloc(0), contentType: null, isBacklog: true, event }),
      aDelivery({ deliveryId: 3, body: Buffer.from('three'), isReplay: true, retriesUsed: 4, dueAt: 5, agesFrom: 6 }),
    ],
    nextDueAt: NOON,
    hasBacklog: true,
    isHeldDue: false,
  }
  expect(claimOf(structuredClone(claimMessage(claim)))).toEqual(claim)
})

it('callbacks that differ in one field of their caller, request or headers arrive as they were sent, in the same and in later batches', () => {
  const pass = betweenThreads()
  const callbacks = [
    aCallback(),
    aCallback({ environment: 'sandbox' }),
    aCallback({ listener: 'charges' }),
    aCallback({ authentication: 'path-token' }),
    aCallback({ peer: null }),
    aCallback({ peer: { ...CALLER, fingerprint: 'other' } }),
    aCallback({ remoteAddress: '192.0.2.1' }),
    aCallback({ tlsVersion: null }),
    aCallback({ cipher: null }),
    aCallback({ target: '/callbacks/payment/pix' }),
    aCallback({ contentType: '' }),
    aCallback({ contentType: null }),
    aCallback({ kind: 'charge' }),
    aCallback({ headers: '[]' }),
    aCallback({ resolvesTokens: true }),
    aCallback({ resolvesTokens: false }),
    aCallback({ receivedAt: NOON + 1 }),
    aCallback({ text: 'other' }),
  ].flatMap((callback) => [aCallback(), callback])
  expect(pass(storing(...callbacks))).toEqual(storing(...callbacks))
  expect(pass(storing(...callbacks.toReversed()))).toEqual(storing(...callbacks.toReversed()))
})

it('a caller’s certificate and headers cross once', () => {
  const pack = createPacker()
  const lengthOf = (...callbacks: NewCallback[]) => pack(storing(...callbacks)).callbacks.length
  const first = lengthOf(aCallback())
  const again = lengthOf(aCallback())
  expect(first - again).toBeGreaterThan(CALLER.pem.length)
  expect(lengthOf(aCallback())).toBe(again)
})

it('thousands of callers and headers are forgotten by both sides at the same batch', () => {
  const pass = betweenThreads()
  for (let n = 0; n < 20; n++) {
    const batch = Array.from({ length: 200 }, (_, i) =>
      aCallback({ remoteAddress: `192.0.2.${n} ${i}`, headers: `[["n","${n} ${i % 150}"]]` }),
    )
    expect(pass(storing(aCallback(), ...batch))).toEqual(storing(aCallback(), ...batch))
  }
})

it('a batch that follows a lost one is refused, because it names values that are missing', () => {
  const [pack, unpack] = [createPacker(), createUnpacker(createCallbackReader([]))]
  pack(storing(aCallback()))
  const second = pack(storing(aCallback({ headers: '[]' })))
  expect(() => unpack(second)).toThrow(RangeError)
})
