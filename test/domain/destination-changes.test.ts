import { describe, expect, it } from 'vitest'
import type { Destination } from '../../src/domain/destination.ts'
import { isRequestChanged } from '../../src/domain/destination-changes.ts'
import { aDestination, NOON } from '../support/builders.ts'

const BEFORE: Destination = {
  ...aDestination(),
  id: 1,
  origin: 'operator',
  registrationId: null,
  state: 'active',
  pauseReason: null,
  circuitOpenedAt: NOON,
  owner: null,
  previousSecretUntil: null,
  createdAt: NOON,
}

describe('an attempt that failed may succeed', () => {
  it.each<[string, Partial<Destination>]>([
    ['address', { url: 'https://books.example/other' }],
    ['header', { headers: [['authorization', 'Bearer right']] }],
    ['certificate authority', { authorities: 'PEM' }],
    ['time for an answer', { timeoutMs: 2000 }],
    ['format', { format: 'typed' as never }],
    ['secret', { secrets: ['whsec_other', ...BEFORE.secrets] }],
  ])('with another %s', (_, changes) => {
    expect(isRequestChanged(BEFORE, { ...BEFORE, ...changes })).toBe(true)
  })

  it('with nothing else: the destination that got the same request refused it', () => {
    const others = { name: 'other', kinds: ['payment'], rateLimit: 9, concurrency: 1, schedule: [5], pauseReason: 'x' }
    expect(isRequestChanged(BEFORE, { ...BEFORE, ...others, circuitOpenedAt: null })).toBe(false)
  })
})
