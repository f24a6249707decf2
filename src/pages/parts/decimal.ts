import type { SpokenLanguage } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'

/** Between the whole and the fraction of a number. */
export const DECIMAL: Readonly<Record<SpokenLanguage, string>> = { en: '.', pt: ',' }

/** A number as the reader's language writes it. @param digits behind the separator; left out: those that it has */
export function decimalText(value: number, { language }: Speaker, digits?: number): string {
  return (digits === undefined ? String(value) : value.toFixed(digits)).replace('.', DECIMAL[language])
}
