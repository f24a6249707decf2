/** Whether the text is a CPF: 11 digits with right check digits, not all the same. */
export function isCpf(text: string): boolean {
  return /^\d{11}$/.test(text) && !isOneCharacter(text) && text === withCpfDigits(text.slice(0, 9))
}

/** Whether the text is a CNPJ: 12 digits or capital letters and two check digits, not all the same (letters since July 2026). */
export function isCnpj(text: string): boolean {
  return /^[0-9A-Z]{12}\d{2}$/.test(text) && !isOneCharacter(text) && text === withCnpjDigits(text.slice(0, 12))
}

/** Appends the two check digits to the nine digits of a CPF. */
export function withCpfDigits(base: string): string {
  const first = base + checkDigit(base, 11)
  return first + checkDigit(first, 11)
}

/** Appends the two check digits to the twelve characters of a CNPJ. */
export function withCnpjDigits(base: string): string {
  const first = base + checkDigit(base, 9)
  return first + checkDigit(first, 9)
}

/** Modulo 11 with the weights 2, 3, … `highest` from the right, again and again. A letter counts as its ASCII code minus 48. */
function checkDigit(text: string, highest: number): number {
  let sum = 0
  for (let i = 0; i < text.length; i++) sum += (text.charCodeAt(text.length - 1 - i) - 48) * (2 + (i % (highest - 1)))
  const rest = sum % 11
  return rest < 2 ? 0 : 11 - rest
}

function isOneCharacter(text: string): boolean {
  return new Set(text).size === 1
}
