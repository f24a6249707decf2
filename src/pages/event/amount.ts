import { amountIn } from '../../domain/search/event-amount.ts'
import type { Language } from '../../messages/languages.ts'
import { LANGUAGE_TAGS } from '../frame/language.ts'

/** The amount in the data of an event, as people write it; null: there is none at the known places. */
export function amountText(
  event: { readonly kind: string; readonly data: unknown },
  language: Language,
): string | null {
  const decimal = amountIn(event)
  return decimal === null ? null : amountFormat(language).format(decimal)
}

const formats = new Map<Language, Intl.NumberFormat>()

/** For an amount in reais. */
export function amountFormat(language: Language): Intl.NumberFormat {
  const format =
    formats.get(language) ?? new Intl.NumberFormat(LANGUAGE_TAGS[language], { style: 'currency', currency: 'BRL' })
  formats.set(language, format)
  return format
}
