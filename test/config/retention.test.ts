import { describe, expect, test } from 'vitest'
import { load, minimumWith, mistakes } from './files.ts'

const DAY = 86_400_000

function storageWith(retention: object, deduplicationWindow?: string) {
  const storage = { url: 'sqlite:p.db', retention, ...(deduplicationWindow !== undefined && { deduplicationWindow }) }
  return minimumWith('storage', storage)
}

test('A kind has windows of its own where it is given any, and the rest of the general ones', () => {
  const kinds = { payment: { payload: '60d' }, operator: { metadata: '95d' } }
  expect(load(storageWith({ metadata: '365d', kinds })).storage.retention).toEqual({
    payloadMs: 90 * DAY,
    metadataMs: 365 * DAY,
    kinds: {
      payment: { payloadMs: 60 * DAY, metadataMs: 365 * DAY },
      operator: { payloadMs: 90 * DAY, metadataMs: 95 * DAY },
    },
  })
})

test.each([
  [{}, 40],
  [{ payload: '7d' }, 7],
  [{ kinds: { payment: { payload: '20d' } } }, 20],
  [{ payload: '5d', metadata: '6d', kinds: { payment: { payload: '3d', metadata: '4d' } } }, 3],
])('What is kept as %j is remembered for at most as long', (retention, days) => {
  expect(load(storageWith(retention)).storage.deduplicationWindowMs).toBe(days * DAY)
})

describe('mistakes', () => {
  test.each([
    [
      storageWith({ payload: '30d' }, '31d'),
      'storage.deduplicationWindow: must not be longer than the shortest window of storage.retention, 30d: a repetition of a removed callback cannot be recognized',
    ],
    [
      storageWith({ payload: '30d', metadata: '29d' }),
      'storage.retention.metadata: must not be shorter than payload: the data of an event cannot outlive the event',
    ],
    [
      storageWith({ kinds: { payment: { payload: '401d' } } }),
      'storage.retention.kinds.payment.metadata: must not be shorter than payload: the data of an event cannot outlive the event',
    ],
    [
      storageWith({ kinds: { paymnet: { payload: '60d' } } }),
      'storage.retention.kinds.paymnet: names no kind; did you mean "payment"?: known are registration, payment, charge, operator',
    ],
    [
      storageWith({ kinds: { probe: { payload: '60d' } } }),
      'storage.retention.kinds.probe: cannot have its own window: probes are kept with the kind of their path',
    ],
    [storageWith({ payload: '0s' }), 'storage.retention.payload: must be from 1m to 36500d'],
  ])('%# is one', (config, expected) => {
    expect(mistakes(config)).toEqual([expected])
  })
})
