import { describe, expect, it } from 'vitest'
import { type Destination, type DestinationState, isKindWanted, isOwed } from '../../src/domain/destination.ts'
import type { Environment } from '../../src/domain/event.ts'
import { aDestination, NOON } from '../support/builders.ts'

const destination = (changes: Partial<Destination> = {}): Destination => ({
  ...aDestination(),
  id: 1,
  origin: 'operator',
  state: 'active',
  pauseReason: null,
  circuitOpenedAt: null,
  createdAt: NOON,
  ...changes,
})

describe('what a destination is owed', () => {
  it.each<[DestinationState, boolean]>([
    ['active', true],
    ['paused', true],
    ['retired', false],
    ['deleted', false],
  ])('depends on its state: %s, %j', (state, owed) => {
    expect(isOwed(destination({ state }), { kind: 'payment', environment: 'production' })).toBe(owed)
  })

  it.each<[readonly Environment[] | null, Environment, boolean]>([
    [null, 'production', true],
    [null, 'sandbox', true],
    [['production'], 'production', true],
    [['production'], 'sandbox', false],
    [['production', 'sandbox'], 'sandbox', true],
    [[], 'production', false],
  ])('depends on its environments: %j, %s, %j', (environments, environment, owed) => {
    expect(isOwed(destination({ environments }), { kind: 'payment', environment })).toBe(owed)
  })

  it('needs its kind and its environment', () => {
    const picky = destination({ kinds: ['probe'], environments: ['sandbox'] })
    expect(isOwed(picky, { kind: 'probe', environment: 'sandbox' })).toBe(true)
    expect(isOwed(picky, { kind: 'probe', environment: 'production' })).toBe(false)
    expect(isOwed(picky, { kind: 'payment', environment: 'sandbox' })).toBe(false)
  })
})

describe('the kinds of a destination', () => {
  it.each<[readonly string[] | null, string, boolean]>([
    [null, 'payment', true],
    [null, 'of-its-own', true],
    [null, 'probe', false],
    [null, 'operator', false],
    [['payment'], 'payment', true],
    [['payment'], 'charge', false],
    [['payment'], 'Payment', false],
    [['payment', 'probe'], 'probe', true],
    [['operator'], 'operator', true],
    [['operator'], 'probe', false],
    [[], 'payment', false],
  ])('%j take %s: %j', (kinds, kind, wanted) => {
    expect(isKindWanted(kinds, kind)).toBe(wanted)
  })
})
