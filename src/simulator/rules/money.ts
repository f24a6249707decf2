/** Cents with two decimals, as callbacks carry amounts: 15010 is `150.10`. RangeError unless an integer from 0. */
export function decimalOf(cents: number): string {
  if (!Number.isSafeInteger(cents) || cents < 0) throw new RangeError(`${cents} is no number of cents.`)
  const digits = String(cents).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** The same, also below 0: -15010 is `-150.10`. */
export function signedDecimalOf(cents: number): string {
  return cents < 0 ? `-${decimalOf(-cents)}` : decimalOf(cents)
}
