/** Cents with two decimals, as callbacks carry amounts: 15010 is `150.10`. RangeError unless an integer from 0. */
export function decimalOf(cents: number): string {
  if (!Number.isSafeInteger(cents) || cents < 0) throw new RangeError(`${cents} is no number of cents.`)
  return signedDecimalOf(cents)
}

/** The same of an integer of any size, also below 0: -15010 is `-150.10`. */
export function signedDecimalOf(cents: number | bigint): string {
  const digits = String(cents < 0 ? -cents : cents).padStart(3, '0')
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
