import { describe, expect, it } from 'vitest'
import {
  type Destination,
  type DestinationState,
  type FilteredEvent,
  isKindWanted,
  isSubscribed,
  signingSecrets,
} from '../../src/domain/destination.ts'
import type { EventAuthentication } from '../../src/domain/event.ts'
import type { Environment, Realm } from '../../src/domain/realm.ts'
import { aDestination, NOON } from '../support/builders.ts'

const destination = (changes: Partial<Destination> = {}): Destination => ({
  ...aDestination(),
  id: 1,
  origin: 'operator',
  registrationId: null,
  state: 'active',
  pauseReason: null,
  circuitOpenedAt: null,
  owner: null,
  previousSecretUntil: null,
  createdAt: NOON,
  ...changes,
})

const event = (changes: Partial<FilteredEvent> = {}): FilteredEvent => {
  return { kind: 'payment', environment: 'production', subject: null, authentication: 'mutual-tls', ...changes }
}

describe('what a destination gets', () => {
  it.each<[DestinationState, boolean]>([
    ['active', true],
    ['paused', true],
    ['retired', false],
    ['deleted', false],
  ])('depends on its state: %s, %j', (state, owed) => {
    expect(isSubscribed(destination({ state }), event())).toBe(owed)
  })

  it.each<[readonly Environment[] | null, Environment, boolean]>([
    [null, 'production', true],
    [null, 'sandbox', true],
    [['production'], 'production', true],
    [['production'], 'sandbox', false],
    [['production', 'sandbox'], 'sandbox', true],
    [[], 'production', false],
  ])('depends on its environments: %j, %s, %j', (environments, environment, owed) => {
    expect(isSubscribed(destination({ environments }), event({ environment }))).toBe(owed)
  })

  it.each<[readonly string[] | null, Realm, boolean]>([
    [null, 'bank-a/production', true],
    [['bank-a'], 'bank-a/sandbox', true],
    [['bank-a'], 'bank-ab/production', false],
    [['bank-a'], 'production', false],
  ])('depends on its institutions: %j, %s, %j', (institutions, environment, owed) => {
    expect(isSubscribed(destination({ institutions }), event({ environment }))).toBe(owed)
  })

  it('that an app has registered is what its own service calls: that of the unnamed institution, or of those named', () => {
    const registered = (institutions: readonly string[] | null) => destination({ origin: 'registration', institutions })
    const realms = ['production', 'bank-a/production'] as const
    const gets = (one: Destination) => realms.map((environment) => isSubscribed(one, event({ environment })))
    expect([gets(registered(null)), gets(registered(['bank-a']))]).toEqual([
      [true, false],
      [false, true],
    ])
  })

  it('needs its kind and its environment', () => {
    const picky = destination({ kinds: ['probe'], environments: ['sandbox'] })
    expect(isSubscribed(picky, event({ kind: 'probe', environment: 'sandbox' }))).toBe(true)
    expect(isSubscribed(picky, event({ kind: 'probe' }))).toBe(false)
    expect(isSubscribed(picky, event({ environment: 'sandbox' }))).toBe(false)
  })

  it.each<[EventAuthentication, boolean]>([
    ['mutual-tls', true],
    ['path-token', false],
    ['service', true],
    ['none', true],
  ])('with the filter mutual-tls depends on how the caller was authenticated: %s, %j', (authentication, owed) => {
    expect(isSubscribed(destination({ authentication: 'mutual-tls' }), event({ authentication }))).toBe(owed)
    expect(isSubscribed(destination(), event({ authentication }))).toBe(true)
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

describe('a filter of subjects', () => {
  const takes = (subjects: Destination['subjects'], subject: string | null) =>
    isSubscribed(destination({ subjects }), event({ subject }))

  it('lets through what is exactly named, or begins as named', () => {
    const filter = { exact: ['42', 'é'], prefix: ['store-7-', 'x'] }
    const subjects = ['42', 'é', 'store-7-', 'store-7-1', 'x', '4', '421', 'store-71', 'Store-7-1', ' 42', '']
    expect(subjects.filter((subject) => takes(filter, subject))).toEqual(subjects.slice(0, 5))
  })

  it('never lets an event without a subject through; without a filter all do', () => {
    expect([takes({ exact: [''], prefix: [''] }, null), takes(null, null), takes(null, '42')]).toEqual([
      false,
      true,
      true,
    ])
  })
})

describe('what a destination signs with', () => {
  it('is all its secrets until the overlap ends, and then the first alone', () => {
    const secrets = ['new', 'old']
    const at = (now: number, previousSecretUntil: number | null) =>
      signingSecrets({ secrets, previousSecretUntil }, now)
    expect([at(NOON - 1, NOON), at(NOON, NOON), at(NOON, null)]).toEqual([['new', 'old'], ['new'], ['new', 'old']])
  })
})
