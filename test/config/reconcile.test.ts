import { describe, expect, test } from 'vitest'
import { load, minimum, mistakes } from './files.ts'

const FILES = { secret: 'Client_Secret_1234' }
const ADDRESSES = {
  account: 'https://account.example',
  payment: 'https://payment.example',
  registration: 'https://registration.example',
  charges: 'https://charges.example',
}
const KINDS = { ...minimum().callbacks.kinds, instantPayment: { path: '/callbacks/instant-payment' } }
const { registration, charge } = KINDS
const DAY = 86_400_000

interface Changes {
  readonly baseAddresses?: object
  readonly kinds?: object
  readonly reconcile?: object | undefined
}

function configuration({ baseAddresses = ADDRESSES, kinds = KINDS, reconcile }: Changes) {
  const { callbacks, ...others } = minimum()
  const entry = {
    environment: 'production',
    baseAddresses,
    clientId: 'Client_Id_1234',
    clientSecret: 'secret',
    certificate: 'own.p12',
    ...(reconcile !== undefined && { reconcile }),
  }
  return { ...others, callbacks: { ...callbacks, kinds }, service: [entry] }
}

const read = (changes: Changes) => load(configuration(changes), FILES).service[0]?.reconcile
const problems = (changes: Changes) => mistakes(configuration(changes), FILES)

describe('the kinds that are asked about', () => {
  const ALL = { payments: 'payment', openings: 'registration', charges: 'charge', statement: null }

  test('are those of the usual names, if they exist and their interface has a base address', () => {
    for (const reconcile of [undefined, {}]) expect(read({ reconcile })).toMatchObject(ALL)
    expect(read({ kinds: { registration, charge } })).toMatchObject({ ...ALL, payments: null })
    const { charges } = ADDRESSES
    expect(read({ baseAddresses: { charges } })).toMatchObject({ ...ALL, payments: null, openings: null })
  })

  test('are those that the section names, which need no key else', () => {
    const kinds = { bill: { path: '/a' }, account: { path: '/b' }, billing: { path: '/c' }, pix: { path: '/d' } }
    const named = { payments: 'bill', openings: 'account', charges: 'billing', statement: 'pix' }
    expect(read({ kinds, reconcile: named })).toMatchObject(named)
    expect(read({ kinds, reconcile: { charges: 'billing' } })).toMatchObject({ payments: null, charges: 'billing' })
  })

  test('have one meaning: the usual name of a kind that another key names is not used', () => {
    expect(read({ reconcile: { payments: 'charge' } })).toMatchObject({ ...ALL, payments: 'charge', charges: null })
    const twice = { payments: 'charge', charges: 'charge', statement: 'charge' }
    const problem = 'is the kind of another key above: each kind has one meaning'
    expect(problems({ reconcile: twice })).toEqual(
      ['charges', 'statement'].map((key) => `service[0].reconcile.${key}: ${problem}`),
    )
  })

  test('that do not exist are a mistake, which names those that do', () => {
    expect(problems({ reconcile: { payments: 'payments', statement: 'x' } })).toEqual([
      'service[0].reconcile.payments: is not a kind of callbacks.kinds; did you mean "payment"?',
      'service[0].reconcile.statement: is not a kind of callbacks.kinds; known here: registration, payment, charge, instantPayment',
    ])
  })

  test('need the base address of their interface', () => {
    const reconcile = { payments: 'payment', openings: 'registration', statement: 'instantPayment' }
    const needs = (key: string, on: string) =>
      `service[0].reconcile.${key}: needs baseAddresses.${on}, where it is asked for`
    expect(problems({ baseAddresses: { charges: ADDRESSES.charges }, reconcile })).toEqual([
      needs('payments', 'payment'),
      needs('openings', 'registration'),
      needs('statement', 'account'),
    ])
  })

  test('are those of the same institution', () => {
    const { service, callbacks, ...others } = configuration({})
    const institution = (reconcile: object) => ({
      name: 'bank-a',
      trust: [{ environment: 'production', chain: 'a.pem' }],
      kinds: { pix: { path: '/bank-a/pix' }, charge: { path: '/bank-a/charge' } },
      service: [{ ...service[0], reconcile }],
    })
    const having = (reconcile: object) => ({ ...others, callbacks, institutions: [institution(reconcile)] })
    expect(load(having({ payments: 'pix' }), FILES).service[0]?.reconcile).toMatchObject({
      payments: 'pix',
      openings: null,
      charges: 'charge',
    })
    expect(mistakes(having({ payments: 'payment' }), FILES)).toEqual([
      'institutions[0].service[0].reconcile.payments: is not a kind of the institution bank-a; known here: pix, charge',
    ])
  })
})

test('times and switches', () => {
  const reconcile = { every: '10s', readCredentials: true, silentAfter: '1h', giveUpAfter: '400d', retries: 'long' }
  expect(read({ reconcile })).toMatchObject({
    everyMs: 10_000,
    readCredentials: true,
    silentAfterMs: 3_600_000,
    giveUpAfterMs: 400 * DAY,
    retries: 'long',
  })
})

test.each([
  [{ every: '9s' }, 'every: must be from 10s to 30d'],
  [{ every: 10 }, 'every: has no unit: write for example "10s" for seconds or "10ms" for milliseconds'],
  [{ giveUpAfter: '59m' }, 'giveUpAfter: must be from 1h to 400d'],
  [{ giveUpAfter: '401d' }, 'giveUpAfter: must be from 1h to 400d'],
  [{ silentAfter: '0s' }, 'silentAfter: must be from 1s to 400d'],
  [{ retries: 'middle' }, 'retries: must be one of short, long'],
  [{ readCredentials: 'yes' }, 'readCredentials: must be true or false'],
  [{ payments: '' }, 'payments: is empty: write the name of a kind, such as payment'],
  [{ payment: 'payment' }, 'payment: unknown key; did you mean "payments"?'],
])('%j is a mistake', (reconcile, problem) => {
  expect(problems({ reconcile })).toEqual([`service[0].reconcile.${problem}`])
})

test('readCredentials is a mistake where no opening is asked about', () => {
  const problem =
    'service[0].reconcile.readCredentials: is for openings: name their kind in reconcile.openings, and set baseAddresses.registration'
  const reconcile = { readCredentials: true }
  expect(problems({ kinds: { charge }, reconcile })).toEqual([problem])
  expect(problems({ baseAddresses: { charges: ADDRESSES.charges }, reconcile })).toEqual([problem])
  expect(read({ reconcile })?.openings).toBe('registration')
})
