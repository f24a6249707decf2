import { expect, it } from 'vitest'
import type { HandedDelivery } from '../../../src/domain/delivery.ts'
import type { StoredCallback } from '../../../src/domain/event-record.ts'
import { packResults, unpackResults } from '../../../src/store/sqlite/packing/packed-results.ts'

const FACT = { kind: 'payment', subject: 's', status: 'LIQUIDADO' }
const ONE: StoredCallback = {
  callbackId: 7,
  eventIds: ['evt_1_a'],
  duplicates: 0,
  destinationIds: [],
  newFacts: [FACT],
}
const HANDED: HandedDelivery = { deliveryId: 5, destinationId: 2, hasOrderKey: false, leaseUntil: 1_768_478_400_000 }

const RESULTS: readonly StoredCallback[] = [
  ONE,
  { ...ONE, newFacts: [{ ...FACT, subject: null, status: null }], destinationIds: [3, 4] },
  { ...ONE, handed: [HANDED, { ...HANDED, deliveryId: 6, hasOrderKey: true }] },
  { ...ONE, mark: 'unparsed' },
  { ...ONE, blocked: 2 },
  { ...ONE, duplicates: 1 },
  { ...ONE, eventIds: ['evt_1_a', 'evt_2_b'], newFacts: [FACT, FACT], handed: [HANDED] },
  { callbackId: null, eventIds: [], duplicates: 1, destinationIds: [] },
  { callbackId: 8, eventIds: [], duplicates: 0, destinationIds: [], tokenId: 9 },
  {
    callbackId: 8,
    eventIds: [],
    duplicates: 0,
    destinationIds: [],
    quarantineIds: ['qtn_1'],
    quarantineReasons: ['account_missing'],
  },
  { ...ONE, quarantineIds: ['qtn_1'], quarantineReasons: ['account_missing'] },
]

it.each(RESULTS.map((result) => [JSON.stringify(result), result] as const))('arrives as it was: %s', (_, result) => {
  expect(unpackResults(packResults([result]))).toEqual([result])
})

it('results of a batch keep their order, and a result with another field is not shortened', () => {
  const further = { ...ONE, further: 'x' } as StoredCallback
  expect(unpackResults(packResults([...RESULTS, further, ONE]))).toEqual([...RESULTS, further, ONE])
})

it('a callback that became one event crosses without names', () => {
  expect(packResults([ONE])).not.toContain('callbackId')
})
