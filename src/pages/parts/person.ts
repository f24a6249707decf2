/** The page of all that is stored about a CPF or CNPJ. */
export function personPath(digits: string): string {
  return `/ui/person?number=${digits}`
}

/** As people write it. */
export function documentText(digits: string): string {
  return digits.length === 11
    ? digits.replace(/(...)(...)(...)(..)/, '$1.$2.$3-$4')
    : digits.replace(/(..)(...)(...)(....)(..)/, '$1.$2.$3/$4-$5')
}
