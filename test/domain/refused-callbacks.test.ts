import { describe, expect, it } from 'vitest'
import {
  doubledSuffix,
  refusedCallbackAlarm,
  refusedCallbacksOf,
  remedyOf,
} from '../../src/domain/refused-callbacks.ts'
import { compileRoutes } from '../../src/domain/routes.ts'

const suffixes = ['/pix', '/rec', '/cobr']
const routes = { suffixes, matchRoute: compileRoutes([{ name: 'payment', path: '/callbacks/payment' }], suffixes) }

describe('a URL that was registered with the suffix at its end', () => {
  it.each([
    ['/callbacks/payment/pix', '/pix', '/callbacks/payment'],
    ['/callbacks/payment/rec/', '/rec', '/callbacks/payment'],
  ])('%s is named with the path to register', (path, suffix, registered) => {
    expect(doubledSuffix(path, routes)).toEqual({ suffix, registered })
  })

  it.each(['/callbacks/payment', '/callbacks/payment/', '/other/pix', '/callbacks/payment/pix/pix'])(
    '%s is none',
    (path) => {
      expect(doubledSuffix(path, routes)?.registered).not.toBe('/callbacks/payment')
    },
  )

  it.each([
    ['/callbacks/payment/pix/pix', /^register the URL without \/pix: its path is \/callbacks\/payment,/],
    ['/callbacks/payment/pix/rec', /^register the URL without \/pix/],
    ['/callbacks/payments', / of callbacks\.kinds, /],
    [null, / of callbacks\.kinds, /],
    ['/charges/0f1e…/…', /^register the address that ends with the token/],
  ])('is the remedy where calls go to %s', (path, remedy) => {
    expect(remedyOf({ environment: 'production', code: 'unknown_path', path }, routes)).toMatch(remedy)
  })

  it('is none where the path is wrong: the remedy names the kinds of the institution', () => {
    const refused = { environment: 'bank-a/production', code: 'unknown_path', path: '/wrong' } as const
    expect(remedyOf(refused, routes)).toMatch(/ of institutions\.bank-a\.kinds, /)
  })
})

it('refused callbacks are reported by cause, the latest first; those of callers that were not identified are none', () => {
  const refused = (refusedAt: number, changes = {}) => ({
    code: 'unknown_path' as const,
    environment: 'production' as const,
    detail: '/a',
    refusedAt,
    ...changes,
  })
  const list = [
    refused(9, { detail: '/b' }),
    refused(8),
    refused(7, { environment: null }),
    refused(6, { code: 'expired' }),
    refused(5),
  ]
  expect(refusedCallbacksOf(list, () => null)).toEqual([
    {
      environment: 'production',
      code: 'unknown_path',
      path: '/b',
      status: 404,
      count: 1,
      lastAt: 9,
      repeatedUntil: null,
    },
    {
      environment: 'production',
      code: 'unknown_path',
      path: '/a',
      status: 404,
      count: 2,
      lastAt: 8,
      repeatedUntil: null,
    },
  ])
})

it('the alarm is one for each institution, environment and code, and names all three', () => {
  const refused = { code: 'unknown_path', detail: '/a', refusedAt: 90_000_000 } as const
  const alarms = (['production', 'bank-a/production'] as const).map((environment) =>
    refusedCallbackAlarm({ ...refused, environment }, (realm) => (realm === 'production' ? null : 3_600_000)),
  )
  expect(new Set(alarms.map(({ kind }) => kind)).size).toBe(2)
  const [own, ofBank] = alarms.map(({ event }) => event)
  expect([ofBank?.environment, JSON.parse(ofBank?.body ?? '')]).toEqual([
    'bank-a/production',
    {
      type: 'callback.refused',
      code: 'unknown_path',
      answeredStatus: 404,
      institution: 'bank-a',
      environment: 'production',
      path: '/a',
      repeatedUntil: '1970-01-02T02:00Z',
    },
  ])
  for (const member of ['institution', 'repeatedUntil']) expect(JSON.parse(own?.body ?? '')).not.toHaveProperty(member)
})

it('the first refused callback of a cause counts for the time until which it is sent again', () => {
  const list = [7_200_000, 3_600_000].map((refusedAt) => ({
    ...({ code: 'too_large', environment: 'bank-a/sandbox', detail: '/a' } as const),
    refusedAt,
  }))
  expect(refusedCallbacksOf(list, () => 60_000)).toMatchObject([
    { lastAt: 7_200_000, repeatedUntil: '1970-01-01T01:01Z' },
  ])
})
