import { valueAt } from '../../platform/json-value.ts'

/** An amount in reais, with two decimals as a rule: `150.10`. */
export type Decimal = `${number}`

interface AmountPlace {
  readonly tokens: readonly string[]
  /** Whole numbers are in cents. */
  readonly isCents: boolean
}

/** `value` of a charge is in cents, `valor` of the others is text in reais (service-decisions.md, the callbacks' fields). */
const CHARGE: readonly AmountPlace[] = [{ tokens: ['value'], isCents: true }]
const OTHERS: readonly AmountPlace[] = [
  { tokens: ['valor'], isCents: false },
  { tokens: ['valor', 'original'], isCents: false },
]

/**
 * The amount that an event is about; null: there is none at the known places.
 * @param data the payload as parsed JSON, with one fact in its array
 */
export function amountIn({ kind, data }: { readonly kind: string; readonly data: unknown }): Decimal | null {
  const places = kind === 'charge' ? CHARGE : OTHERS
  for (const fact of [data, ...factsIn(data)])
    for (const { tokens, isCents } of places) {
      const decimal = decimalOf(valueAt(fact, tokens), isCents)
      if (decimal !== null) return decimal
    }
  return null
}

/** The only elements of arrays in the envelope, or in a member: `notification.entries[0]`, `data[0]`, `pix[0]`; and the only member: `pix`. */
export function factsIn(data: unknown): unknown[] {
  const members = membersOf(data)
  const elements = [data, ...members, ...members.flatMap(membersOf)].flatMap((one) =>
    Array.isArray(one) && one.length === 1 ? [one[0]] : [],
  )
  return members.length === 1 ? [...members, ...elements] : elements
}

export function membersOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.values(value) : []
}

function decimalOf(value: unknown, isCents: boolean): Decimal | null {
  if (isCents) return Number.isSafeInteger(value) ? centsText(value as number) : null
  if (typeof value === 'number' && isDecimal(value)) return withTwoDecimals(value)
  return typeof value === 'string' && /^-?\d{1,15}\.\d{2}$/.test(value) ? (value as Decimal) : null
}

/** A whole number could be reais or cents. A smaller one would be written with an exponent. */
function isDecimal(value: number): boolean {
  return !Number.isInteger(value) && Math.abs(value) < 1e12 && Math.abs(value) >= 1e-6
}

/** `150.1` as `150.10`: a parsed number has lost its last zero. One with more decimals keeps them. */
function withTwoDecimals(value: number): Decimal {
  const text = value.toFixed(2) as Decimal
  return Number(text) === value ? text : `${value}`
}

/** Without a division, which would round. */
function centsText(cents: number): Decimal {
  const digits = String(Math.abs(cents)).padStart(3, '0')
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}` as Decimal
}
