import { locate, parsePointer, type Span, textOf } from '../platform/json-text.ts'
import { valueAt } from '../platform/json-value.ts'

/** Why a fact is quarantined: it names an account that is not allowed, or no account. */
export const QUARANTINE_REASONS = ['account_foreign', 'account_missing'] as const
export type QuarantineReason = (typeof QUARANTINE_REASONS)[number]

/** The allowed accounts or keys, and where a fact names its account. */
export interface AccountRule {
  /** JSON Pointers (RFC 6901). */
  readonly pointers: readonly string[]
  /** Written as in a fact, as a string or a number (`150.10` is not `150.1`), or a key of instant payments as people write it. */
  readonly values: readonly string[]
}

/** A value of a body: parsed, and its bytes. */
export interface Place {
  readonly span: Span
  readonly value: unknown
}

export type AccountMatch = 'own' | QuarantineReason

/**
 * `own` where a pointer leads to an allowed value; `foreign` where it leads only to other values; `missing` where it leads to null or nothing.
 * @param array pointer to the array of facts in an envelope: an account in one fact does not apply to the others
 */
export type AccountCheck = (body: Uint8Array, place: Place, array?: readonly string[]) => AccountMatch

/** null: accounts are not checked. */
export function compileAccounts(rules: readonly AccountRule[]): AccountCheck | null {
  if (rules.length === 0) return null
  const compiled = rules.flatMap(({ pointers, values }) => {
    const allowed = new Set(values.flatMap((value) => [value, keyForm(value)]))
    return pointers.map((pointer) => ({ tokens: parsePointer(pointer), allowed }))
  })
  return function checkAccount(body, place, array) {
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

const CNPJ = /^[0-9A-Z]{2}\.?[0-9A-Z]{3}\.?[0-9A-Z]{3}\/?[0-9A-Z]{4}-?[0-9]{2}$/i
const CPF = /^[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}$/
const PHONE = /^(?:\+55 ?)?\([0-9]{2}\) ?[0-9]{4,5}[- ]?[0-9]{4}$|^\+[0-9][0-9 ()-]{7,20}$/
const MAIL_OR_UUID = /^[^@ ]+@[^@ ]+$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * A key as the directory of instant payments (DICT) writes it: a CPF or CNPJ without punctuation, its letters large, a phone number as +5511999999999,
 * an address of mail and a random key in small letters. Anything else is left as it is: two account numbers may differ in their punctuation alone.
 */
function keyForm(written: string): string {
  const text = written.trim()
  if (CNPJ.test(text) || CPF.test(text)) return text.replaceAll(/[./-]/g, '').toUpperCase()
  if (PHONE.test(text)) return `${text.startsWith('+') ? '+' : '+55'}${text.replaceAll(/[^0-9]/g, '')}`
  return MAIL_OR_UUID.test(text) ? text.toLowerCase() : written
}

function isWithin(tokens: readonly string[], array: readonly string[] | undefined): boolean {
  return array?.every((token, index) => tokens[index] === token) === true
}

/** The written digits: `12345678901234567890` changes when it is parsed as a number. */
export function numberAt(body: Uint8Array, span: Span, tokens: readonly string[]): string | null {
  const found = locate(body, span, tokens)
  return found === null ? null : textOf(body, found)
}
