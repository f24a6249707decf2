/** Spellings of one number in several pieces. Index and query read them alike, in plain text. */

const SPACED_THOUSANDS = String.raw`[1-9]\d{0,2}(?:\s\d{3}){1,4}`
/** `R$ 2 345`, `2 345,67`: without a currency and without cents it may be several numbers. */
const SPACED_AMOUNT = new RegExp(
  String.raw`(?:(?<=r\$\s?)${SPACED_THOUSANDS}(?:,\d\d)?|(?<![\w.,/-])${SPACED_THOUSANDS},\d\d)(?![.,]?\d|\w)`,
  'g',
)

/** The amounts whose thousands stand apart, written together: `2345,67` of `R$ 2 345,67`. */
export function spacedAmountsIn(plain: string): string[] {
  return plain.match(SPACED_AMOUNT)?.map(together) ?? []
}

export function withoutSpacesInAmounts(plain: string): string {
  return plain.replaceAll(SPACED_AMOUNT, together)
}

function together(amount: string): string {
  return amount.replaceAll(/\s/g, '')
}

/** The 0 of a long-distance call with the code of a carrier, which `xx` leaves open. */
const OPEN_CARRIER = /(?<![a-z0-9])0[\s-]?xx[\s(-]?(?=[1-9]\d(?:9?\d{8})?(?![a-z0-9]))/g

/** A phone number from its area code on: `(21) 98765-4321` of `(0xx21) 98765-4321`. */
export function withoutOpenCarrier(plain: string): string {
  return plain.includes('xx') ? plain.replaceAll(OPEN_CARRIER, '') : plain
}
