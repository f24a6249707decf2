/** Amounts have terms of their own, in cents, so that 150.10, 150,10 and R$ 150,10 are one term, and no other number is. */

/** No letter or digit, so that no word of a text is an amount term. */
const MARK = '¤'

const BRAZILIAN = String.raw`(\d{1,3}(?:\.\d{3}){1,4}|\d{1,12})(?:,(\d{1,2}))?`
const ENGLISH = String.raw`(\d{1,3}(?:,\d{3}){1,4}|\d{1,12})(?:\.(\d{1,2}))?`
const WRITTEN = new RegExp(`^[^a-z0-9]{0,4}(r\\$)?[^a-z0-9]{0,2}(?:${BRAZILIAN}|${ENGLISH})[^a-z0-9]{0,8}$`)
const LONGEST = 40

export interface WrittenAmount {
  readonly term: string
  /** With two decimals or a currency. Other texts, such as 150.1, 1.500 and 00190.00, may also be something else. */
  readonly isCertain: boolean
  /** Whole units behind a currency, such as R$ 150. A text that has them gives no amount term, because digits alone are no amount. */
  readonly isWhole: boolean
}

/** The amount that a word of plain text writes; null: none. Digits alone are no amount. */
export function amountOf(word: string): WrittenAmount | null {
  if (word.length > LONGEST) return null
  const match = WRITTEN.exec(word)
  if (match === null) return null
  const [, currency, brazilian, comma, english, point] = match
  const units = brazilian ?? english ?? ''
  const decimals = comma ?? point
  const isWhole = decimals === undefined && !/[.,]/.test(units)
  if (currency === undefined && isWhole) return null
  return {
    term: amountTerm(units.replaceAll(/[.,]/g, ''), decimals ?? ''),
    isCertain: currency !== undefined || (decimals?.length === 2 && !/^0\d/.test(units)),
    isWhole,
  }
}

const BEFORE_MORE = [
  /^(\d{1,12})[.,](\d\d)(?!\d)/,
  /^(\d{1,3}(?:\.\d{3}){1,4}),(\d\d)(?!\d)/,
  /^(\d{1,3}(?:,\d{3}){1,4})\.(\d\d)(?!\d)/,
]

/**
 * The amounts with which a word begins that is none itself: 10.20 of 10.20.30.40. A query cannot tell the beginning of such a word from an amount,
 * and an amount matches amount terms only. More digits behind it, as in 123.456.789-00, make no amount: common words would be found by it.
 */
export function amountsBefore(word: string): string[] {
  return BEFORE_MORE.flatMap((form) => {
    const match = form.exec(word)
    return match === null ? [] : [amountTerm((match[1] ?? '').replaceAll(/[.,]/g, ''), match[2] ?? '')]
  })
}

/** The amounts that a JSON number may be: 150.1 is 150.10; an integer is in whole units or in cents. */
export function amountsOfNumber(written: string): string[] {
  const match = /^-?(\d{1,12})(?:\.(\d\d?)0*)?$/.exec(written)
  if (match === null) return []
  const [, units = '', decimals] = match
  return decimals === undefined ? [amountTerm(units, ''), amountTerm('', units)] : [amountTerm(units, decimals)]
}

export function isAmountTerm(term: string): boolean {
  return term.startsWith(MARK)
}

function amountTerm(units: string, decimals: string): string {
  const cents = units === '' ? decimals : units + decimals.padEnd(2, '0')
  return MARK + cents.replace(/^0+(?=\d)/, '')
}
