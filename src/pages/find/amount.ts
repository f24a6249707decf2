import type { Language } from '../../messages/catalogue.ts'
import { valueAt } from '../../platform/json-value.ts'
import { LANGUAGE_TAGS } from '../frame/language.ts'

interface AmountPlace {
  readonly tokens: readonly string[]
  /** Whole numbers are in cents. */
  readonly isCents: boolean
}

/** `value` of a charge is in cents, `valor` of the others is text in reais (spec/DECISIONS.md, the callbacks' fields). */
const CHARGE: readonly AmountPlace[] = [
  { tokens: ['value'], isCents: true },
  { tokens: ['data', '0', 'value'], isCents: true },
]
const OTHERS: readonly AmountPlace[] = [
  { tokens: ['valor'], isCents: false },
  { tokens: ['valor', 'original'], isCents: false },
]

/** The amount in the data of an event, as people write it; null: there is none at the known places. */
export function amountIn(event: { readonly kind: string; readonly data: unknown }, language: Language): string | null {
  for (const { tokens, isCents } of event.kind === 'charge' ? CHARGE : OTHERS) {
    const decimal = decimalOf(valueAt(event.data, tokens), isCents)
    if (decimal !== null) return formatOf(language).format(decimal)
  }
  return null
}

type Decimal = `${number}`

function decimalOf(value: unknown, isCents: boolean): Decimal | null {
  if (isCents) return Number.isSafeInteger(value) ? centsText(value as number) : null
  // A whole number could be reais or cents.
  if (typeof value === 'number' && !Number.isInteger(value) && Math.abs(value) < 1e12) return `${value}`
  return typeof value === 'string' && /^-?\d{1,15}\.\d{2}$/.test(value) ? (value as Decimal) : null
}

/** Without a division, which would round. */
function centsText(cents: number): Decimal {
  const digits = String(Math.abs(cents)).padStart(3, '0')
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}` as Decimal
}

const formats = new Map<Language, Intl.NumberFormat>()

function formatOf(language: Language): Intl.NumberFormat {
  const format =
    formats.get(language) ?? new Intl.NumberFormat(LANGUAGE_TAGS[language], { style: 'currency', currency: 'BRL' })
  formats.set(language, format)
  return format
}
