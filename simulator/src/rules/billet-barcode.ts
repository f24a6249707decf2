import { type BarcodeProblem, digitsOf, type ExpectedDigit, requireDigits, wrongDigitOf } from './barcode-reading.ts'
import type { CalendarDate } from './calendar-date.ts'
import { billetModulo11, modulo10 } from './check-digits.ts'
import { dueFactorOf } from './due-factor.ts'

/*
 * Barcode, 44 digits:   bank 3, currency 1, general digit 1, due factor 4, amount 10, free field 25.
 * Typeable line, 47:    [bank, currency, free field 1–5] digit, [free field 6–15] digit, [free field 16–25] digit,
 *                       general digit, due factor, amount.
 */
const REAL = '9'
const GENERAL = 4

/** What the digits of a bank billet say. */
export interface Billet {
  readonly kind: 'billet'
  readonly barcode: string
  readonly typeableLine: string
  readonly bank: number
  /** 0: the digits name no amount. */
  readonly amountCents: number
  /** 0: the digits name no due date. `dueDateOf` makes a date of it. */
  readonly dueFactor: number
  /** 25 digits, which mean something to the bank only. */
  readonly freeField: string
}

export interface BilletParts {
  /** 1 to 999; no bank has a number from 800 to 899, because a barcode with an 8 in front is of utilities and taxes. */
  readonly bank: number
  /** At most 10 digits; without a due date 13. */
  readonly amountCents: number
  readonly dueDate: CalendarDate | null
  readonly freeField: string
}

/** The barcode of a billet in reais. RangeError for parts that no barcode can carry. */
export function buildBilletBarcode({ bank, amountCents, dueDate, freeField }: BilletParts): string {
  const bankDigits = digitsOf('bank', bank, 3)
  if (bank === 0 || bankDigits.startsWith('8')) throw new RangeError(`No bank has the number ${bankDigits}.`)
  // Without a factor the amount may use its place up to the first digit, which stays 0.
  const dueAndAmount =
    dueDate === null
      ? `0${digitsOf('amountCents', amountCents, 13)}`
      : `${dueFactorOf(dueDate)}${digitsOf('amountCents', amountCents, 10)}`
  const front = bankDigits + REAL
  const rest = dueAndAmount + requireDigits('freeField', freeField, 25)
  return `${front}${billetModulo11(front + rest)}${rest}`
}

/** The typeable line of a billet's barcode of 44 digits. */
export function billetLineOf(barcode: string): string {
  const fields = [barcode.slice(0, 4) + barcode.slice(19, 24), barcode.slice(24, 34), barcode.slice(34, 44)]
  return fields.map((field) => `${field}${modulo10(field)}`).join('') + barcode.slice(4, 19)
}

/** The barcode in a billet's typeable line of 47 digits; the check digits of the fields are left out, not verified. */
export function barcodeOfBilletLine(line: string): string {
  const freeField = line.slice(4, 9) + line.slice(10, 20) + line.slice(21, 31)
  return line.slice(0, 4) + line.slice(32) + freeField
}

/** Reads 44 or 47 digits. */
export function readBillet(digits: string): Billet | BarcodeProblem {
  const currency = digits[3] as string
  if (currency !== REAL) return { what: 'currency', found: currency }
  const isLine = digits.length === 47
  const barcode = isLine ? barcodeOfBilletLine(digits) : digits
  const general = billetModulo11(barcode.slice(0, GENERAL) + barcode.slice(GENERAL + 1))
  const checks: ExpectedDigit[] = [{ of: 'general', index: isLine ? 32 : GENERAL, expected: general }]
  const problem = wrongDigitOf(digits, isLine ? [...checksOfFields(digits), ...checks] : checks)
  return problem ?? billetOf(barcode)
}

function checksOfFields(line: string): ExpectedDigit[] {
  return [
    { of: 'field1', index: 9, expected: modulo10(line.slice(0, 9)) },
    { of: 'field2', index: 20, expected: modulo10(line.slice(10, 20)) },
    { of: 'field3', index: 31, expected: modulo10(line.slice(21, 31)) },
  ]
}

function billetOf(barcode: string): Billet {
  // FEBRABAN's manual of the due factor: where the first of the 14 digits of factor and amount is 0, there is no factor.
  const hasFactor = barcode[5] !== '0'
  return {
    kind: 'billet',
    barcode,
    typeableLine: billetLineOf(barcode),
    bank: Number(barcode.slice(0, 3)),
    amountCents: Number(barcode.slice(hasFactor ? 9 : 5, 19)),
    dueFactor: hasFactor ? Number(barcode.slice(5, 9)) : 0,
    freeField: barcode.slice(19),
  }
}
