import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileRoutes, compileVariable, pathOfTarget } from '../../src/domain/routes.ts'
import type { PortariaError } from '../../src/platform/errors.ts'

const SUFFIXES = ['/pix', '/rec', '/cobr']
const match = compileRoutes(
  [
    { name: 'payment', path: '/callbacks/payment' },
    { name: 'charge', path: '/c' },
  ],
  SUFFIXES,
)

describe('a route', () => {
  it.each([
    '/callbacks/payment',
    '/callbacks/payment/',
    '/callbacks/payment/pix',
    '/callbacks/payment//pix',
    '/callbacks/payment/rec',
    '/callbacks/payment/cobr',
    '//callbacks/payment',
    '/callbacks///payment//',
    '/callbacks/payment?x=1',
    '/callbacks/payment?x=/pix',
    '/callbacks/payment?hmac=xyz/pix',
    '/callbacks/payment/?',
    '/callbacks/payment/pix?a?b#c',
    '/callbacks/payment?/c',
    'https://gateway.example/callbacks/payment',
    'http://gateway.example:8443//callbacks/payment/pix?x',
    'HTTPS://GATEWAY.EXAMPLE/callbacks/payment',
  ])('takes %s', (target) => {
    expect(match(target)).toBe('payment')
  })

  it.each([
    '/',
    '',
    '*',
    '?/callbacks/payment',
    '/?x=/callbacks/payment',
    'callbacks/payment',
    '/callbacks',
    '/callbacks/Payment',
    '/CALLBACKS/PAYMENT',
    '/callbacks/payments',
    '/callbacks/payment/PIX',
    '/callbacks/payment/pix/',
    '/callbacks/payment/pix/pix',
    '/callbacks/payment/other',
    '/callbacks/paymentpix',
    '/x/callbacks/payment',
    '/callbacks/%70ayment',
    '/callbacks%2Fpayment',
    '/callbacks/payment%2Fpix',
    '/callbacks/payment%3Fx',
    '/callbacks/payment%',
    '/callbacks/./payment',
    '/callbacks/x/../payment',
    '/callbacks\\payment',
    '/callbacks/payment#x',
    '/callbacks/payment;a=b',
    '/callbacks/payment ',
    'ftp://gateway.example/callbacks/payment',
    'https:/callbacks/payment',
    'https://gateway.example',
    'https://gateway.example?/callbacks/payment',
    '__proto__',
    '/constructor',
  ])('does not take %s', (target) => {
    expect(match(target)).toBeNull()
  })

  it('is never decided by what is behind the question mark', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('/callbacks/payment', '/c/pix', '/no'), (query, path) => {
        expect(match(`${path}?${query}`)).toBe(match(path))
      }),
    )
  })

  it('never throws, and gives a path without runs of slashes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('/', '?', '%', 'h', 'ttp://', 'a', '\0') }), (target) => {
        match(target)
        expect(pathOfTarget(target)).not.toContain('//')
      }),
    )
  })
})

describe('configured paths', () => {
  it.each([
    ['/a/', '/a'],
    ['//a', '/a/pix'],
    ['/', '/pix'],
    ['/', '/'],
    ['/a//b', '/a/b//rec'],
  ])('may be written with more slashes: %s takes %s', (path, target) => {
    expect(compileRoutes([{ name: 'payment', path }], SUFFIXES)(target)).toBe('payment')
  })

  it('take suffixes only as configured', () => {
    const routes = compileRoutes([{ name: 'payment', path: '/a' }], ['x'])
    expect([routes('/a/x'), routes('/a/pix')]).toEqual(['payment', null])
  })

  it.each([
    ['/a', '/a'],
    ['/a', '/a/'],
    ['/a', '//a'],
    ['/a', '/a/pix'],
    ['/a/rec', '/a'],
    ['/', '/cobr'],
    ['/a', '/a//pix'],
  ])('of two kinds must not be able to meet: %s and %s', (one, other) => {
    const compile = () =>
      compileRoutes(
        [
          { name: 'one', path: one },
          { name: 'other', path: other },
        ],
        SUFFIXES,
      )
    expect(compile).toThrow(/give each a path of its own/)
    try {
      compile()
    } catch (error) {
      const { code, details } = error as PortariaError
      expect(code).toBe('configuration_invalid')
      expect(details[0]).toMatch(/could be kind one or kind other$/)
    }
  })

  it('that differ only in case are two routes', () => {
    const routes = compileRoutes(
      [
        { name: 'one', path: '/a' },
        { name: 'other', path: '/A' },
      ],
      SUFFIXES,
    )
    expect([routes('/a'), routes('/A/pix')]).toEqual(['one', 'other'])
  })
})

describe('a path with a variable segment', () => {
  const CONSENT = '/of/payments/{version}/consents/{consentId}'
  const routes = compileRoutes(
    [
      { name: 'consent', path: CONSENT },
      { name: 'payment', path: '/of/payments/{version}/pix/payments/{paymentId}' },
      { name: 'fixed', path: '/fixed' },
    ],
    SUFFIXES,
  )

  it.each([
    ['/of/payments/v4/consents/urn:bank:C1', 'consent', 'urn:bank:C1'],
    ['/of//payments/v4/consents/urn%3Abank%3AC1/?x=1', 'consent', 'urn:bank:C1'],
    ['https://gateway.example/of/payments/v5/consents/C%', 'consent', 'C%'],
    ['/of/payments/v4/pix/payments/P1', 'payment', null],
    ['/fixed/pix', 'fixed', null],
  ])('takes %s', (target, kind, value) => {
    expect([routes(target), compileVariable(CONSENT)(target)]).toEqual([kind, value])
  })

  it.each([
    '/of/payments/v4/consents',
    '/of/payments/v4/consents/',
    '/of/payments/v4/consents/C1/pix',
    '/of/payments/consents/C1',
    '/of/payments/v4/CONSENTS/C1',
    '/x/of/payments/v4/consents/C1',
  ])('does not take %s', (target) => {
    expect([routes(target), compileVariable(CONSENT)(target)]).toEqual([null, null])
  })

  it.each([
    ['/a/{x}', '/a/b'],
    ['/a', '/{x}/pix'],
    ['/a/{x}', '/{y}/b'],
  ])('must not be able to meet another kind: %s and %s', (one, other) => {
    const compile = () =>
      compileRoutes(
        [
          { name: 'one', path: one },
          { name: 'other', path: other },
        ],
        SUFFIXES,
      )
    expect(compile).toThrow(/give each a path of its own/)
  })

  it.each([
    ['/a/{x}', '/a/b/c'],
    ['/a/{x}', '/b/{x}'],
  ])('may be beside another kind: %s and %s', (one, other) => {
    const both = compileRoutes(
      [
        { name: 'one', path: one },
        { name: 'other', path: other },
      ],
      [],
    )
    expect([both('/a/1'), both(other)]).toEqual(['one', 'other'])
  })
})
