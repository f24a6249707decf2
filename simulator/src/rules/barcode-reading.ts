/** A part of a typeable line or barcode that has a check digit. */
export type CheckedPart = 'field1' | 'field2' | 'field3' | 'block1' | 'block2' | 'block3' | 'block4' | 'general'

/** What is wrong with the digits of a barcode or typeable line. */
export type BarcodeProblem =
  /** Something else than digits, such as dots and spaces. */
  | { readonly what: 'characters' }
  /** Only zeros, as the line of a billet of the sandbox. */
  | { readonly what: 'zeros' }
  /** Neither a barcode of 44 digits nor a line of 47 (billet) or 48 (utilities and taxes, first digit 8). */
  | { readonly what: 'length'; readonly length: number }
  /** A billet in another currency than real (9). */
  | { readonly what: 'currency'; readonly found: string }
  /** A segment of utilities and taxes that the layout does not have. */
  | { readonly what: 'segment'; readonly found: string }
  /** The third digit of utilities and taxes is not 6 to 9. */
  | { readonly what: 'valueIdentifier'; readonly found: string }
  | {
      readonly what: 'checkDigit'
      readonly of: CheckedPart
      /** Of the check digit in the digits that were given, from 1. */
      readonly position: number
      readonly found: number
      readonly expected: number
    }

/** A digit to verify: at an index of the given digits, with what it should be. */
export interface ExpectedDigit {
  readonly of: CheckedPart
  readonly index: number
  readonly expected: number
}

/** The first wrong check digit. */
export function wrongDigitOf(digits: string, checks: readonly ExpectedDigit[]): BarcodeProblem | undefined {
  const wrong = checks.find(({ index, expected }) => Number(digits[index]) !== expected)
  if (wrong === undefined) return undefined
  const { of, index, expected } = wrong
  return { what: 'checkDigit', of, position: index + 1, found: Number(digits[index]), expected }
}

/** `value` as `length` digits. RangeError if it is no integer from 0, or has more. */
export function digitsOf(name: string, value: number, length: number): string {
  const digits = String(value).padStart(length, '0')
  if (!Number.isSafeInteger(value) || value < 0 || digits.length > length) {
    throw new RangeError(`${name} must be an integer of at most ${length} digits, not ${value}.`)
  }
  return digits
}

/** RangeError unless `text` is that many digits. */
export function requireDigits(name: string, text: string, length: number): string {
  if (text.length !== length || !/^\d*$/.test(text)) {
    throw new RangeError(`${name} must be ${length} digits, not ${JSON.stringify(text)}.`)
  }
  return text
}
