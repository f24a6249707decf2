/** Error correction of QR codes: Reed-Solomon over GF(2^8) with the polynomial 11D (ISO/IEC 18004). */

function multiply(one: number, other: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d)
    product ^= ((other >>> bit) & 1) * one
  }
  return product
}

/** Coefficients of the generator polynomial, highest first, without the leading 1. */
function generatorOf(degree: number): number[] {
  const generator: number[] = [...Array(degree - 1).fill(0), 1]
  let root = 1
  for (let step = 0; step < degree; step++) {
    for (let index = 0; index < degree; index++) {
      const next = generator[index + 1] ?? 0
      generator[index] = multiply(generator[index] as number, root) ^ next
    }
    root = multiply(root, 2)
  }
  return generator
}

/** The codewords that are appended to a block of data. */
export function correctionOf(block: readonly number[], count: number): number[] {
  const generator = generatorOf(count)
  const remainder: number[] = Array(count).fill(0)
  for (const codeword of block) {
    const factor = codeword ^ (remainder.shift() as number)
    remainder.push(0)
    for (const [index, coefficient] of generator.entries())
      remainder[index] = (remainder[index] as number) ^ multiply(coefficient, factor)
  }
  return remainder
}
