import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compileTokens, type PathToken } from '../../src/receiving/path-tokens.ts'

const [TOKEN, OTHER, CHARGE] = ['aaaa', 'bbbb', 'cccc'].map((start) => start + '0'.repeat(28)) as [
  string,
  string,
  string,
]
const SUFFIXES = ['/pix', '/rec']
const ENTRY = { path: '/callbacks/payment', suffixes: SUFFIXES, kind: 'payment', environment: 'production' } as const
const TOKENS: readonly PathToken[] = [
  { path: '/charges', suffixes: [], kind: 'charge', environment: 'production', token: CHARGE },
  { ...ENTRY, token: TOKEN },
  { ...ENTRY, environment: 'sandbox', token: OTHER },
  { ...ENTRY, kind: 'inner', path: '/callbacks/payment/inner/', token: 'dddd'.repeat(8) },
  { ...ENTRY, kind: 'named-so', path: '/callbacks/pix', token: 'eeee'.repeat(8) },
]
const read = compileTokens(TOKENS)

it.each([
  `/callbacks/payment/${TOKEN}`,
  `/callbacks/payment/${TOKEN}/`,
  `//callbacks//payment/${TOKEN}//pix`,
  `/callbacks/payment/${TOKEN}/rec?x=1`,
  `/callbacks/payment/${TOKEN}?hmac=wrong`,
  `https://hooks.example/callbacks/payment/${TOKEN}`,
])('the token is a segment of its own behind the path of its kind: %s', (target) => {
  expect(read(target)).toEqual({
    shown: '/callbacks/payment/aaaa…',
    found: { kind: 'payment', environment: 'production' },
    isMissing: false,
    hasRest: false,
  })
})

it.each([
  `/callbacks/payment?hmac=${TOKEN}`,
  `/callbacks/payment/?hmac=${TOKEN}`,
  `/callbacks/payment/pix?hmac=${TOKEN}`,
  `/callbacks/payment?hmac=${TOKEN}/pix`,
  `/callbacks/payment?hmac=${TOKEN}//pix`,
  `/callbacks/payment?hmac=${TOKEN}&x=/pix`,
  `/callbacks/payment?x=1&hmac=${TOKEN}`,
  `/callbacks/payment?hmac=${TOKEN}&xhmac=1`,
  `/callbacks/payment?hmac=wrong&hmac=${TOKEN}`,
])('or the parameter hmac: %s', (target) => {
  expect(read(target)).toEqual({
    shown: '/callbacks/payment?hmac=aaaa…',
    found: { kind: 'payment', environment: 'production' },
    isMissing: false,
    hasRest: false,
  })
})

it.each([
  ['of another kind', `/callbacks/payment/${CHARGE}`],
  ['with one character less', `/callbacks/payment/${TOKEN.slice(0, -1)}`],
  ['with one character more', `/callbacks/payment?hmac=${TOKEN}0`],
  ['in other letters', `/callbacks/payment?hmac=${TOKEN.toUpperCase()}`],
  ['percent-encoded', `/callbacks/payment?hmac=%61${TOKEN.slice(1)}`],
  ['before another one', `/callbacks/payment?hmac=${TOKEN}&hmac=wrong`],
  ['as a parameter with a similar name', `/callbacks/payment?xhmac=${TOKEN}`],
  ['with an unknown suffix', `/callbacks/payment?hmac=${TOKEN}/cobr`],
  ['behind an empty segment of a charge', '/charges/'],
])('a token %s is none: %s', (_what, target) => {
  expect(read(target)?.found).toBeNull()
})

it('at other paths there is no token', () => {
  for (const target of ['/', '*', '', `/${TOKEN}`, `/callbacks?hmac=${TOKEN}`, `/callbacks/paymentx?hmac=${TOKEN}`])
    expect(read(target)).toBeNull()
})

it('the token decides the environment, and the path the kind, also where one path is within another', () => {
  const foundAt = (target: string) => read(target)?.found
  expect(foundAt(`/callbacks/payment?hmac=${OTHER}`)).toEqual({ kind: 'payment', environment: 'sandbox' })
  expect(foundAt(`/callbacks/payment/inner/${'dddd'.repeat(8)}`)).toMatchObject({ kind: 'inner' })
  expect(foundAt(`/callbacks/pix?hmac=${'eeee'.repeat(8)}`)).toMatchObject({ kind: 'named-so' })
  expect(foundAt(`/charges/${CHARGE}`)).toMatchObject({ kind: 'charge' })
  expect(read('/callbacks/payment/inner/wrong-token')?.shown).toBe('/callbacks/payment/inner/wron…')
})

it('says where a token is missing, or something follows it', () => {
  expect(read('/callbacks/payment?x=1')).toMatchObject({ shown: '/callbacks/payment', isMissing: true, found: null })
  expect(read(`/callbacks/payment/${TOKEN}/x`)).toMatchObject({ shown: '/callbacks/payment/aaaa…/…', hasRest: true })
  expect(read(`/charges/${CHARGE}/pix`)).toMatchObject({ shown: '/charges/cccc…/…', hasRest: true })
})

it('shows at most four characters of a token, right or wrong', () => {
  const aTarget = fc
    .tuple(fc.constantFrom('/', '?hmac=', '?x=1&hmac=', '/x/', '/pix?hmac='), fc.string({ minLength: 5 }), fc.string())
    .map(([between, token, rest]) => ({ target: `/callbacks/payment${between}${token}${rest}`, token }))
  fc.assert(
    fc.property(aTarget, ({ target }) => {
      const { shown = '' } = read(target) ?? {}
      expect(shown.replace(/^\/(callbacks\/payment(\/inner)?)(\?hmac=|\/)?/, '').length).toBeLessThanOrEqual(7)
    }),
  )
})

it('a suffix may lead to another kind, behind the token and behind the query', () => {
  const kindsBehind = { '/pix': 'pix', '/rec': 'rec' }
  const readOf = compileTokens([{ ...ENTRY, path: '/bank/pix', kind: 'pix', kindsBehind, token: TOKEN }])
  const kindAt = (target: string) => readOf(target)?.found?.kind
  expect(
    [`/${TOKEN}/rec`, `?hmac=${TOKEN}/rec`, `/rec?hmac=${TOKEN}`, `/${TOKEN}/pix`, `/${TOKEN}`].map((behind) =>
      kindAt(`/bank/pix${behind}`),
    ),
  ).toEqual(['rec', 'rec', 'rec', 'pix', 'pix'])
})
