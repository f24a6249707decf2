import { expect, it } from 'vitest'
import { invalidRequest, PortariaError } from '../../../src/platform/errors.ts'
import { errorOfThread, threadError } from '../../../src/store/sqlite/threads/thread-messages.ts'

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
