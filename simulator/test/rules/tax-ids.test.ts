import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isCnpj, isCpf, withCnpjDigits, withCpfDigits } from '../../src/rules/tax-ids.ts'

it.each(['52998224725', '11144477735', '12345678909'])('%s is a CPF', (cpf) => {
  expect(isCpf(cpf)).toBe(true)
})

it.each(['11222333000181', '00000000000191', '33000167000101', '12ABC34501DE35'])('%s is a CNPJ', (cnpj) => {
  expect(isCnpj(cnpj)).toBe(true)
})

it.each(['', '1', '529982247250', '5299822472', '529.982.247-25', '5299822472a', '11111111111', '00000000000'])(
  '%j is no CPF',
  (text) => {
    expect(isCpf(text)).toBe(false)
  },
)

it.each(['', '1122233300018', '11.222.333/0001-81', '12abc34501de35', '12ABC34501DEAA', '00000000000000'])(
  '%j is no CNPJ',
  (text) => {
    expect(isCnpj(text)).toBe(false)
  },
)

it.each(['52998224735', '52998224724', '62998224725', '11222333000191', '11222333000182'])(
  '%s, of which one digit was changed, is neither',
  (text) => {
    expect([isCpf(text), isCnpj(text)]).toEqual([false, false])
  },
)

it('check digits that were appended are right, with letters too', () => {
  fc.assert(fc.property(fc.stringMatching(/^[0-9A-Z]{11}[1-9]$/), (base) => isCnpj(withCnpjDigits(base))))
  fc.assert(
    fc.property(fc.stringMatching(/^\d{8}[1-9]$/), (base) => new Set(base).size === 1 || isCpf(withCpfDigits(base))),
  )
})
