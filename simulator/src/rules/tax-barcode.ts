import { type BarcodeProblem, digitsOf, type ExpectedDigit, requireDigits, wrongDigitOf } from './barcode-reading.ts'
import { modulo10, taxModulo11 } from './check-digits.ts'

/*
 * Barcode, 44 digits:   product 8, segment 1, value identifier 1, general digit 1, value 11, company 4 or 8, free field 25 or 21.
 * Typeable line, 48:    the barcode in four blocks of 11 digits, each with its check digit.
 */
const GENERAL = 3
const BLOCK = 11

/** Towns, water, power and gas, telephone, government, other companies by their tax id, traffic fines, a bank's own. */
const SEGMENTS = [1, 2, 3, 4, 5, 6, 7, 9] as const
export type TaxSegment = (typeof SEGMENTS)[number]

/** Segment 6 names the company by the first eight digits of its tax id. */
const BY_TAX_ID = 6

/** 6 and 8: the value is the amount; 7 and 9: it is a reference or quantity. 6 and 7: modulo 10; 8 and 9: modulo 11. */
const VALUE_IDENTIFIERS = [6, 7, 8, 9] as const
export type TaxValueIdentifier = (typeof VALUE_IDENTIFIERS)[number]

/** What the digits of a bill of a utility, or of a tax, say. */
export interface Tax {
  readonly kind: 'tax'
  readonly barcode: string
  readonly typeableLine: string
  readonly segment: TaxSegment
  readonly valueIdentifier: TaxValueIdentifier
  /** null: the value is a reference or quantity, and the digits name no amount. */
  readonly amountCents: number | null
  /** null: the value is the amount. */
  readonly reference: number | null
  /** 4 digits; in segment 6 the first 8 digits of the company's tax id. */
  readonly company: string
  /** 25 digits; in segment 6 21. */
  readonly freeField: string
}

export interface TaxParts {
  readonly segment: TaxSegment
  readonly valueIdentifier: TaxValueIdentifier
  /** Cents, or a reference or quantity, by `valueIdentifier`. At most 11 digits. */
  readonly value: number
  readonly company: string
  readonly freeField: string
}

/** The barcode of a utility or tax. RangeError for parts that no barcode can carry. */
export function buildTaxBarcode({ segment, valueIdentifier, value, company, freeField }: TaxParts): string {
  const companyLength = companyLengthOf(segment)
  const front = `8${segment}${valueIdentifier}`
  const rest =
    digitsOf('value', value, 11) +
    requireDigits('company', company, companyLength) +
    requireDigits('freeField', freeField, 29 - companyLength)
  return `${front}${moduloOf(valueIdentifier)(front + rest)}${rest}`
}

/** The typeable line of a tax's barcode of 44 digits. */
export function taxLineOf(barcode: string): string {
  const modulo = moduloOf(Number(barcode[2]))
  return [0, 1, 2, 3]
    .map((block) => barcode.slice(block * BLOCK, (block + 1) * BLOCK))
    .map((block) => `${block}${modulo(block)}`)
    .join('')
}

/** The barcode in a tax's typeable line of 48 digits; the check digits of the blocks are left out, not verified. */
export function barcodeOfTaxLine(line: string): string {
  return [0, 12, 24, 36].map((start) => line.slice(start, start + BLOCK)).join('')
}

/** Reads 44 or 48 digits. */
export function readTax(digits: string): Tax | BarcodeProblem {
  const segment = SEGMENTS.find((known) => String(known) === digits[1])
  if (segment === undefined) return { what: 'segment', found: digits[1] as string }
  const valueIdentifier = VALUE_IDENTIFIERS.find((known) => String(known) === digits[2])
  if (valueIdentifier === undefined) return { what: 'valueIdentifier', found: digits[2] as string }
  const isLine = digits.length === 48
  const barcode = isLine ? barcodeOfTaxLine(digits) : digits
  const modulo = moduloOf(valueIdentifier)
  const general = modulo(barcode.slice(0, GENERAL) + barcode.slice(GENERAL + 1))
  const checks: ExpectedDigit[] = [{ of: 'general', index: GENERAL, expected: general }]
  const problem = wrongDigitOf(digits, isLine ? [...checksOfBlocks(digits, modulo), ...checks] : checks)
  return problem ?? taxOf(barcode, segment, valueIdentifier)
}

function checksOfBlocks(line: string, modulo: (digits: string) => number): ExpectedDigit[] {
  const blocks = ['block1', 'block2', 'block3', 'block4'] as const
  return blocks.map((of, block) => {
    const start = block * (BLOCK + 1)
    return { of, index: start + BLOCK, expected: modulo(line.slice(start, start + BLOCK)) }
  })
}

function taxOf(barcode: string, segment: TaxSegment, valueIdentifier: TaxValueIdentifier): Tax {
  const companyEnd = 15 + companyLengthOf(segment)
  const value = Number(barcode.slice(4, 15))
  const isAmount = valueIdentifier === 6 || valueIdentifier === 8
  return {
    kind: 'tax',
    barcode,
    typeableLine: taxLineOf(barcode),
    segment,
    valueIdentifier,
    amountCents: isAmount ? value : null,
    reference: isAmount ? null : value,
    company: barcode.slice(15, companyEnd),
    freeField: barcode.slice(companyEnd),
  }
}

function companyLengthOf(segment: TaxSegment): number {
  return segment === BY_TAX_ID ? 8 : 4
}

function moduloOf(valueIdentifier: number): (digits: string) => number {
  return valueIdentifier < 8 ? modulo10 : taxModulo11
}
