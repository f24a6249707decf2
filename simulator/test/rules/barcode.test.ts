import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { barcodeOf, readBarcode, typeableLineOf } from '../../src/rules/barcode.ts'
import type { BarcodeProblem } from '../../src/rules/barcode-reading.ts'
import { type Billet, buildBilletBarcode } from '../../src/rules/billet-barcode.ts'
import {
  buildTaxBarcode,
  type Tax,
  type TaxParts,
  type TaxSegment,
  type TaxValueIdentifier,
} from '../../src/rules/tax-barcode.ts'

/** From documents and test suites of other people: line, barcode, amount in cents. */
const BILLETS = [
  ['23794150096000005550330090100006796240000021320', '23797962400000213204150060000055503009010000', 21320],
  ['10498527246100010004200649158714796260000065000', '10497962600000650008527261000100040064915871', 65000],
  ['21290001192110001210904475617405975870000002000', '21299758700000020000001121100012100447561740', 2000],
  ['00190500954014481606906809350314337370000000100', '00193373700000001000500940144816060680935031', 100],
  ['42297115040000195441160020034520268610000054659', '42292686100000546597115000001954416002003452', 54659],
  ['23793381286000782713695000063305975520000370000', '23799755200003700003381260007827139500006330', 370000],
  ['33690000090000001000910721762432181580000235000', '33691815800002350000000000000010001072176243', 235000],
] as const

const TAXES_MODULO_10 = [
  ['846200000004470000113220292826006077729363538004', '84620000000470000113222928260060772936353800', 4700],
  ['846100000005246100291102005460339004695895061080', '84610000000246100291100054603390069589506108', 2461],
  ['836200000005667800481000180975657313001589636081', '83620000000667800481001809756573100158963608', 6678],
  ['826500000110314400081704924000000027202104000015', '82650000011314400081709240000000220210400001', 113144],
  ['826500000003526200971483220205933918419181200223', '82650000000526200971482202059339141918120022', 5262],
  ['836400000011331201380002812884627116080136181551', '83640000001331201380008128846271108013618155', 13312],
] as const

const TAXES_MODULO_11 = [
  ['858900004609524601791605607593050865831483000010', '85890000460524601791606075930508683148300001', 4605246],
  ['848900000002404201622015806051904292586034111220', '84890000000404201622018060519042958603411122', 4042],
] as const

const EXAMPLES = [...BILLETS, ...TAXES_MODULO_10, ...TAXES_MODULO_11]

function read(digits: string): Billet | Tax {
  const reading = readBarcode(digits)
  if (reading.outcome === 'refused') throw new Error(`${digits}: ${JSON.stringify(reading.problem)}`)
  return reading.bill
}

function problemOf(digits: string): BarcodeProblem | undefined {
  const reading = readBarcode(digits)
  return reading.outcome === 'refused' ? reading.problem : undefined
}

const digits = (length: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }).map((list) => list.join(''))

function withDigit(text: string, index: number, digit: number): string {
  return text.slice(0, index) + digit + text.slice(index + 1)
}

/** Every text that differs from `text` in one digit, with the digit's index. */
function* changesOf(text: string): Generator<readonly [string, number]> {
  for (let index = 0; index < text.length; index++) {
    for (let digit = 0; digit <= 9; digit++) {
      if (Number(text[index]) !== digit) yield [withDigit(text, index, digit), index]
    }
  }
}

describe('lines of other people', () => {
  it.each(EXAMPLES)('reads the line %s and its barcode alike', (line, barcode, amountCents) => {
    expect(read(line)).toEqual(read(barcode))
    expect(read(line)).toMatchObject({ barcode, typeableLine: line, amountCents })
    expect([typeableLineOf(barcode), barcodeOf(line)]).toEqual([line, barcode])
  })

  it('reads bank, amount, due factor and free field of a billet', () => {
    // 2379 4150 0 | 9, 6000005550 | 3, 3009010000 | 6, general digit 7, factor 9624, amount 213.20
    expect(read('23794150096000005550330090100006796240000021320')).toEqual({
      kind: 'billet',
      barcode: '23797962400000213204150060000055503009010000',
      typeableLine: '23794150096000005550330090100006796240000021320',
      bank: 237,
      amountCents: 21320,
      dueFactor: 9624,
      freeField: '4150060000055503009010000',
    })
  })

  it('reads segment, amount, company and free field of a tax', () => {
    expect(read('846200000004470000113220292826006077729363538004')).toEqual({
      kind: 'tax',
      barcode: '84620000000470000113222928260060772936353800',
      typeableLine: '846200000004470000113220292826006077729363538004',
      segment: 4,
      valueIdentifier: 6,
      amountCents: 4700,
      reference: null,
      company: '0011',
      freeField: '3222928260060772936353800',
    })
  })
})

describe('one wrong digit', () => {
  it.each(BILLETS.map(([line]) => line))('is found wherever modulo 10 covers it: %s', (line) => {
    const missed = [...changesOf(line)].filter(([changed, index]) => index < 32 && problemOf(changed) === undefined)
    expect(missed).toEqual([])
  })

  it.each(TAXES_MODULO_10.map(([line]) => line))('is found anywhere in a tax line of modulo 10: %s', (line) => {
    expect([...changesOf(line)].filter(([changed]) => problemOf(changed) === undefined)).toEqual([])
  })

  it('is found in the general digit of every example', () => {
    for (const [, barcode] of EXAMPLES) {
      const general = barcode.startsWith('8') ? 3 : 4
      const missed = [...changesOf(barcode)].filter(
        ([changed, at]) => at === general && problemOf(changed) === undefined,
      )
      expect(missed).toEqual([])
    }
  })

  it.each([
    [9, { of: 'field1', position: 10, found: 0, expected: 9 }],
    [20, { of: 'field2', position: 21, found: 0, expected: 3 }],
    [31, { of: 'field3', position: 32, found: 0, expected: 6 }],
    [32, { of: 'general', position: 33, found: 0, expected: 7 }],
  ])('is named in a billet line at index %i', (index, problem) => {
    const line = withDigit('23794150096000005550330090100006796240000021320', index, 0)
    expect(readBarcode(line)).toEqual({ outcome: 'refused', problem: { what: 'checkDigit', ...problem } })
  })

  it.each([
    [11, { of: 'block1', position: 12, found: 7, expected: 9 }],
    [23, { of: 'block2', position: 24, found: 7, expected: 5 }],
    [35, { of: 'block3', position: 36, found: 7, expected: 5 }],
    [47, { of: 'block4', position: 48, found: 7, expected: 0 }],
  ])('is named in a tax line of modulo 11 at index %i', (index, problem) => {
    const line = withDigit('858900004609524601791605607593050865831483000010', index, 7)
    expect(problemOf(line)).toEqual({ what: 'checkDigit', ...problem })
  })

  it.each([
    ['23797962400000213204150060000055503009010000', 4, { of: 'general', position: 5, found: 1, expected: 7 }],
    ['85890000460524601791606075930508683148300001', 3, { of: 'general', position: 4, found: 1, expected: 9 }],
  ])('is named in the barcode %s', (barcode, index, problem) => {
    expect(problemOf(withDigit(barcode, index, 1))).toEqual({ what: 'checkDigit', ...problem })
  })
})

describe('modulo 11', () => {
  const tax = (freeField: string) =>
    buildTaxBarcode({ segment: 5, valueIdentifier: 8, value: 0, company: '0000', freeField })

  // The weighted sum of the last block is 2 × last digit + 3 × the one before.
  it.each([
    ['05', 'remainder 10', 1],
    ['04', 'remainder 8', 3],
    ['00', 'remainder 0', 0],
    ['06', 'remainder 1', 0],
  ])('of a tax block that ends in %s (%s) is %3$i', (end, _remainder, expected) => {
    const barcode = tax(`${'0'.repeat(23)}${end}`)
    expect(typeableLineOf(barcode).at(-1)).toBe(String(expected))
    expect(read(typeableLineOf(barcode)).barcode).toBe(barcode)
  })

  it('of a whole billet is never 0: what would be 0, 10 or 11 is 1', () => {
    const generals = Array.from({ length: 200 }, (_, i) =>
      buildBilletBarcode({ bank: 1, amountCents: i, dueDate: null, freeField: '0'.repeat(25) }),
    ).map((barcode) => barcode[4])
    expect([...new Set(generals)].sort()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9'])
    // 10 of 11 remainders would be even; 1 comes from the remainders 0, 1 and 10.
    expect(generals.filter((digit) => digit === '1').length).toBeGreaterThan(2 * (200 / 11))
  })
})

describe('digits that are no barcode', () => {
  it.each([
    ['', { what: 'length', length: 0 }],
    ['2379415009600000555033009010000679624000002132', { what: 'length', length: 46 }],
    ['237941500960000055503300901000067962400000213200', { what: 'length', length: 48 }],
    ['84620000000447000011322029282600607772936353800', { what: 'length', length: 47 }],
    ['23794.15009 60000.055503 30090.100006 7 96240000021320', { what: 'characters' }],
    ['23794150096000005550330090100006796240000021320\n', { what: 'characters' }],
    ['２3794150096000005550330090100006796240000021320', { what: 'characters' }],
    ['0'.repeat(47), { what: 'zeros' }],
    [`001${'0'.repeat(41)}`, { what: 'currency', found: '0' }],
    [`80${'0'.repeat(42)}`, { what: 'segment', found: '0' }],
    [`88${'0'.repeat(42)}`, { what: 'segment', found: '8' }],
    [`845${'0'.repeat(41)}`, { what: 'valueIdentifier', found: '5' }],
  ])('%j', (text, problem) => {
    expect(readBarcode(text)).toEqual({ outcome: 'refused', problem })
  })
})

describe('building', () => {
  const bank = fc.oneof(fc.integer({ min: 1, max: 799 }), fc.integer({ min: 900, max: 999 }))

  it('a billet and reading it back gives the same parts', () => {
    const parts = fc.record({
      bank,
      amountCents: fc.integer({ min: 0, max: 9_999_999_999 }),
      factor: fc.integer({ min: 1000, max: 9999 }),
      freeField: digits(25),
    })
    fc.assert(
      fc.property(parts, ({ bank, amountCents, factor, freeField }) => {
        // 2025-02-22 is factor 1000.
        const dueDate = new Date(Date.UTC(2025, 1, 22 + factor - 1000)).toISOString().slice(0, 10)
        const barcode = buildBilletBarcode({ bank, amountCents, dueDate, freeField })
        const typeableLine = typeableLineOf(barcode)
        expect(read(barcode)).toEqual({
          kind: 'billet',
          barcode,
          typeableLine,
          bank,
          amountCents,
          dueFactor: factor,
          freeField,
        })
        expect([read(typeableLine), barcodeOf(typeableLine)]).toEqual([read(barcode), barcode])
      }),
    )
  })

  it('a billet without a due date leaves the place of the factor to a large amount', () => {
    const parts = { bank: 237, dueDate: null, freeField: '1'.repeat(25) }
    const largest = buildBilletBarcode({ ...parts, amountCents: 9_999_999_999_999 })
    expect(largest.slice(5, 19)).toBe('09999999999999')
    expect(read(largest)).toMatchObject({ dueFactor: 0, amountCents: 9_999_999_999_999 })
    expect(read(buildBilletBarcode({ ...parts, amountCents: 0 }))).toMatchObject({ dueFactor: 0, amountCents: 0 })
  })

  const companyOf = (segment: TaxSegment) => digits(segment === 6 ? 8 : 4)
  const taxParts: fc.Arbitrary<TaxParts> = fc.constantFrom<TaxSegment[]>(1, 2, 3, 4, 5, 6, 7, 9).chain((segment) =>
    fc.record({
      segment: fc.constant(segment),
      valueIdentifier: fc.constantFrom<TaxValueIdentifier[]>(6, 7, 8, 9),
      value: fc.integer({ min: 0, max: 99_999_999_999 }),
      company: companyOf(segment),
      freeField: digits(segment === 6 ? 21 : 25),
    }),
  )

  it('a tax and reading it back gives the same parts, the value as amount (6, 8) or reference (7, 9)', () => {
    fc.assert(
      fc.property(taxParts, (parts) => {
        const barcode = buildTaxBarcode(parts)
        const { value, ...others } = parts
        const isAmount = parts.valueIdentifier % 2 === 0
        const typeableLine = typeableLineOf(barcode)
        const amounts = { amountCents: isAmount ? value : null, reference: isAmount ? null : value }
        expect(read(barcode)).toEqual({ kind: 'tax', barcode, typeableLine, ...others, ...amounts })
        expect([read(typeableLine), barcodeOf(typeableLine)]).toEqual([read(barcode), barcode])
      }),
    )
  })

  it('one changed digit of any tax line of modulo 10 is found', () => {
    const modulo10 = taxParts.filter(({ valueIdentifier }) => valueIdentifier < 8)
    fc.assert(
      fc.property(modulo10, fc.nat({ max: 47 }), fc.integer({ min: 1, max: 9 }), (parts, index, by) => {
        // The third digit decides on the modulo: another one can fit another modulo.
        fc.pre(index !== 2)
        const line = typeableLineOf(buildTaxBarcode(parts))
        expect(problemOf(withDigit(line, index, (Number(line[index]) + by) % 10))).toBeDefined()
      }),
    )
  })

  it.each([
    [{ bank: 0 }],
    [{ bank: 812 }],
    [{ bank: 1000 }],
    [{ amountCents: 10_000_000_000 }],
    [{ amountCents: 10_000_000_000_000, dueDate: null }],
    [{ amountCents: -1 }],
    [{ amountCents: 1.5 }],
    [{ dueDate: '2000-07-02' }],
    [{ dueDate: '2026-02-29' }],
    [{ freeField: '1'.repeat(24) }],
    [{ freeField: `${'1'.repeat(24)}a` }],
  ])('a billet with %j is a RangeError', (wrong) => {
    const parts = { bank: 237, amountCents: 100, dueDate: '2026-03-01', freeField: '1'.repeat(25) }
    expect(buildBilletBarcode(parts)).toHaveLength(44)
    expect(() => buildBilletBarcode({ ...parts, ...wrong })).toThrow(RangeError)
  })

  it.each([
    [{ value: 100_000_000_000 }],
    [{ company: '12345678' }],
    [{ segment: 6 as const }],
    [{ freeField: '1'.repeat(21) }],
  ])('a tax with %j is a RangeError', (wrong) => {
    const parts = { segment: 3, valueIdentifier: 6, value: 100, company: '1234', freeField: '1'.repeat(25) } as const
    expect(buildTaxBarcode(parts)).toHaveLength(44)
    expect(() => buildTaxBarcode({ ...parts, ...wrong })).toThrow(RangeError)
  })
})
