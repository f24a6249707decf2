import { describe, expect, it } from 'vitest'
import { callbackUrl, chargeUrl, isSameUrl, masked, ownKindOf } from '../../../src/cli/service/own-addresses.ts'
import type { Config } from '../../../src/config/config.ts'

const config = {
  file: '/site/portaria.yaml',
  callbacks: {
    publicUrl: 'https://hooks.example.com/in',
    suffixes: ['/pix'],
    kinds: [
      { institution: null, name: 'payment', path: '/callbacks/payment' },
      { institution: null, name: 'registration', path: '/callbacks/registration' },
      { institution: 'bank-a', name: 'payment', path: '/bank-a/payment' },
    ],
  },
  institutions: [{ name: 'bank-a', suffixes: ['/cobr'] }],
  chargeNotifications: { publicUrl: 'http://hooks.example.com:8444' },
} as unknown as Config

const without = (changes: object) => ({ ...config, callbacks: { ...config.callbacks, ...changes } }) as Config

describe('the URL of a kind', () => {
  it.each([
    ['', '', 'https://hooks.example.com/in/callbacks/payment'],
    ['/pix', '', 'https://hooks.example.com/in/callbacks/payment/pix'],
    ['', 'x=', 'https://hooks.example.com/in/callbacks/payment?x='],
    ['/pix', '?hmac=secret&y=%20', 'https://hooks.example.com/in/callbacks/payment/pix?hmac=secret&y=%20'],
  ])('with the suffix %j and the query %j is %s', (suffix, query, url) => {
    expect(callbackUrl(config, { institution: null, kind: 'payment', suffix, query })).toBe(url)
  })

  it.each([
    ['a kind that is not configured', config, { kind: 'openBanking' }, /no kind openBanking .* payment, registration$/],
    ['no publicUrl', without({ publicUrl: null }), {}, /no callbacks\.publicUrl: .* such as https/],
    [
      'a suffix that the gateway does not accept',
      config,
      { suffix: '/rec' },
      /--suffix \/rec .* which has \/pix: .* 404/,
    ],
    ['a query with a space', config, { query: 'a b' }, /percent-encode/],
    ['a query with a fragment', config, { query: 'a#b' }, /percent-encode/],
  ])('is refused for %s', (_why, from, parts, text) => {
    expect(() => callbackUrl(from, { institution: null, kind: 'payment', suffix: '', query: '', ...parts })).toThrow(
      text,
    )
  })
})

it('the URL of an institution has the path and the suffixes of its own kind, and leads to no other one', () => {
  const parts = { institution: 'bank-a', kind: 'payment', suffix: '/cobr', query: '' }
  const url = 'https://hooks.example.com/in/bank-a/payment/cobr'
  expect(callbackUrl(config, parts)).toBe(url)
  expect([ownKindOf(config, 'bank-a/sandbox', url), ownKindOf(config, 'sandbox', url)]).toEqual(['payment', null])
  expect(() => callbackUrl(config, { ...parts, suffix: '/pix' })).toThrow(
    'not in institutions.bank-a.suffixes, which has /cobr',
  )
  expect(() => callbackUrl(config, { ...parts, kind: 'registration' })).toThrow('under institutions.bank-a.kinds')
})

describe('an address of this gateway', () => {
  it.each([
    ['https://hooks.example.com/in/callbacks/payment', 'payment'],
    ['https://hooks.example.com:443/in/callbacks/registration/?a=b', 'registration'],
    ['https://HOOKS.example.com/in/callbacks/payment/pix?x=', 'payment'],
    ['https://hooks.example.com/callbacks/payment', null],
    ['https://hooks.example.com/in/callbacks/payments', null],
    ['https://hooks.example.com/in/callbacks/payment/other', null],
    ['https://hooks.example.com.evil.example/in/callbacks/payment', null],
    ['https://hooks.example.com:8443/in/callbacks/payment', null],
    ['http://hooks.example.com/in/callbacks/payment', null],
    ['no url', null],
  ])('%s: kind %s', (url, kind) => {
    expect(ownKindOf(config, 'production', url)).toBe(kind)
  })

  it('is none without publicUrl', () => {
    expect(
      ownKindOf(without({ publicUrl: null }), 'production', 'https://hooks.example.com/in/callbacks/payment'),
    ).toBeNull()
  })
})

it('the address of charges is publicUrl, /charges/ and the token', () => {
  expect(chargeUrl(config, 'abc')).toBe('http://hooks.example.com:8444/charges/abc')
  const off = { ...config, chargeNotifications: null }
  expect(() => chargeUrl(off, 'abc')).toThrow(/no chargeNotifications\.publicUrl: .* --url$/)
})

it.each([
  ['https://a.example/charges/0123456789abcdef', 'https://a.example/charges/0123…'],
  ['https://a.example/charges/abc', 'https://a.example/charges/abc'],
  ['https://a.example/x/secret-of-app?key=1', 'https://a.example/x/secr…?…'],
  ['no url at all', 'no u…'],
  [null, null],
])('%s is shown as %s', (url, shown) => {
  expect(masked(url)).toBe(shown)
})

it('two texts of one URL are the same', () => {
  expect(isSameUrl('https://A.example:443/x', 'https://a.example/x')).toBe(true)
  expect(isSameUrl('https://a.example/x', 'https://a.example/x?')).toBe(false)
  expect(isSameUrl('no url', 'no url')).toBe(true)
})
