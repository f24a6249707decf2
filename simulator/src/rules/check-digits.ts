/** Modulo 10 of billets and taxes: weights 2, 1, 2, … from the right, the digits of each product added. */
export function modulo10(digits: string): number {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const product = Number(digits[digits.length - 1 - i]) * (i % 2 === 0 ? 2 : 1)
    sum += product > 9 ? product - 9 : product
  }
  return (10 - (sum % 10)) % 10
}

/** Modulo 11 of the whole barcode of a billet: what would be 0, 10 or 11 is 1. */
export function billetModulo11(digits: string): number {
  const digit = 11 - remainder11(digits)
  return digit > 9 ? 1 : digit
}

/** Modulo 11 of utilities and taxes (FEBRABAN's layout for collection): the remainders 0 and 1 give 0. */
export function taxModulo11(digits: string): number {
  const remainder = remainder11(digits)
  return remainder < 2 ? 0 : 11 - remainder
}

/** Weights 2 to 9 from the right, again and again. */
function remainder11(digits: string): number {
  let sum = 0
  for (let i = 0; i < digits.length; i++) sum += Number(digits[digits.length - 1 - i]) * (2 + (i % 8))
  return sum % 11
}
