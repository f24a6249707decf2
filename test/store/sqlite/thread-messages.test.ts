import { expect, it } from 'vitest'
import { invalidRequest, PortariaError } from '../../../src/platform/errors.ts'
import {
  errorOfThread,
  packOperations,
  threadError,
  unpackOperations,
} from '../../../src/store/sqlite/threads/thread-messages.ts'
import type { WriteCall } from '../../../src/store/sqlite/threads/writes.ts'
import { aCallback, aFact, NOON } from '../../support/builders.ts'
import { anEntry, anOutcome, aTokenCallback } from '../contract/token-contract.ts'

/** As the reader thread and the writer thread do. */
function sent(error: unknown): PortariaError {
  return errorOfThread(structuredClone(threadError(error)))
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

it('tokens, charge references and entries arrive whole, each with its own bytes', () => {
  const references = { charge: '77', subscription: null }
  const operations: WriteCall[] = [
    { method: 'settleToken', args: [anOutcome({ id: 1, version: 2 }, { entries: [anEntry(1), anEntry(2)] })] },
    { method: 'storeCallback', args: [aTokenCallback('t')] },
    { method: 'settleToken', args: [anOutcome({ id: 2, version: 1 }, { error: 'HTTP 503', nextAttemptAt: NOON })] },
    { method: 'storeCallback', args: [aCallback({ facts: [aFact({ references, hash: Buffer.from('hash') })] })] },
  ]
  expect(unpackOperations(structuredClone(packOperations(operations)))).toEqual(operations)
})
