import { locate, parsePointer, type Span, textOf } from '../platform/json-text.ts'
import { valueAt } from '../platform/json-value.ts'

/** Why a fact is held back: it names an account that is not one's own, or nothing in it says whose it is. */
export const QUARANTINE_REASONS = ['account_foreign', 'account_missing'] as const
export type QuarantineReason = (typeof QUARANTINE_REASONS)[number]

/** Accounts or keys of one's own, and where a fact names the one that it is about. */
export interface AccountRule {
  /** JSON Pointers (RFC 6901). */
  readonly pointers: readonly string[]
  /** As a fact writes them, as a string or as a number: `150.10` is not `150.1`. */
  readonly values: readonly string[]
}

/** A value where it stands in a body: parsed to look into it, its bytes to copy from. */
export interface Place {
  readonly span: Span
  readonly value: unknown
}

export type AccountMatch = 'own' | QuarantineReason

/**
 * Own as soon as one pointer leads to an allowed value; foreign if others stand there; missing if nothing but null does.
 * @param array pointer to the array that the facts of an envelope stand in: what one of them says is not said of all
 */
export type AccountCheck = (body: Uint8Array, place: Place, array?: readonly string[]) => AccountMatch

/** null: no account is asked for. */
export function compileAccounts(rules: readonly AccountRule[]): AccountCheck | null {
  if (rules.length === 0) return null
  const compiled = rules.flatMap(({ pointers, values }) => {
    const allowed = new Set(values)
    return pointers.map((pointer) => ({ tokens: parsePointer(pointer), allowed }))
  })
  return function standingOf(body, place, array) {
    let match: AccountMatch = 'account_missing'
    for (const { tokens, allowed } of compiled) {
      const value = isWithin(tokens, array) ? null : valueAt(place.value, tokens)
      if (value === undefined || value === null) continue
      const text = typeof value === 'number' ? numberAt(body, place.span, tokens) : value
      if (typeof text === 'string' && allowed.has(text)) return 'own'
      match = 'account_foreign'
    }
    return match
  }
}

function isWithin(tokens: readonly string[], array: readonly string[] | undefined): boolean {
  return array?.every((token, index) => tokens[index] === token) === true
}

/** As it was written: `12345678901234567890` is no longer that once it is a number. */
export function numberAt(body: Uint8Array, span: Span, tokens: readonly string[]): string | null {
  const found = locate(body, span, tokens)
  return found === null ? null : textOf(body, found)
}
