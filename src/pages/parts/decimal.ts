import type { Catalogue } from '../../messages/catalogue.ts'

/** A number as the reader's language writes it. @param digits behind the separator; left out: those that it has */
export function decimalText(value: number, { common }: Pick<Catalogue, 'common'>, digits?: number): string {
  return (digits === undefined ? String(value) : value.toFixed(digits)).replace('.', common.decimal)
}
