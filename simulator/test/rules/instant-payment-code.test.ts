import fc from 'fast-check'
import { expect, it } from 'vitest'
import { crc16, instantPaymentCode, readInstantPaymentCode } from '../../src/rules/instant-payment-code.ts'

const PAYMENT = { location: 'localhost:9443/b/1', amountCents: 599, payee: 'Ação', city: 'São Paulo' }

it('the check value is that of published codes', () => {
  const published =
    '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***6304'
  expect([crc16(published), crc16('123456789')]).toEqual(['1D3D', '29B1'])
})

it('the fields have their lengths in front, and names lose their accents', () => {
  expect(instantPaymentCode(PAYMENT).slice(0, -4)).toBe(
    '00020101021226400014br.gov.bcb.pix2518localhost:9443/b/15204000053039865404' +
      '5.995802BR5904Acao6009Sao Paulo62070503***6304',
  )
})

it.each([
  ['株式', '5909RECEBEDOR60'],
  ['Comércio de Livro Velhos e Novos', '5924Comercio de Livro Velhos60'],
  [' José ', '5904Jose60'],
])('the payee %s has 1 to 25 characters', (payee, field) => {
  expect(instantPaymentCode({ ...PAYMENT, payee })).toContain(field)
})

it('a location has at most 77 characters, and is read from the code again', () => {
  const location = 'l'.repeat(77)
  const code = instantPaymentCode({ ...PAYMENT, location })
  expect(readInstantPaymentCode(code)).toEqual({ outcome: 'read', location })
  expect(() => instantPaymentCode({ ...PAYMENT, location: `${location}l` })).toThrow(RangeError)
})

it('any text is read or wrong, and a code with any other character is wrong', () => {
  const code = instantPaymentCode(PAYMENT)
  const place = fc.nat(code.length - 1)
  const other = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 })
  // The letters of the check value are good in both cases, and a space at the end is not part of the code.
  const outcomeFor = (text: string) =>
    text.trim().slice(0, -4) + text.trim().slice(-4).toUpperCase() === code ? 'read' : 'wrong'
  fc.assert(
    fc.property(place, other, fc.string(), (at, character, text) => {
      for (const changed of [code.slice(0, at) + character + code.slice(at + 1), code.slice(0, at) + text])
        expect(readInstantPaymentCode(changed).outcome).toBe(outcomeFor(changed))
    }),
    { numRuns: 500 },
  )
})
