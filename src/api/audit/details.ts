import type { Request } from 'express'
import { type ActionDetails, LONGEST_DETAIL } from '../../domain/actions/action.ts'
import { withoutControlCharacters } from '../../platform/control-characters.ts'
import type { DetailsOf } from '../http/endpoint.ts'

/** Members of the body, which is not checked yet: the action is recorded before it is performed. */
export function membersOf({ body }: Request, names: readonly string[]): Record<string, unknown> {
  const members = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  return Object.fromEntries(names.map((name) => [name, Object.hasOwn(members, name) ? members[name] : undefined]))
}

/** A URL may have a secret in its path and its query. */
export function hostIn(url: unknown): string | undefined {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : undefined
}

/** null: there is nothing to say. */
export async function readDetails(detailsOf: DetailsOf | undefined, request: Request): Promise<ActionDetails | null> {
  const given = Object.entries((await detailsOf?.(request)) ?? {})
  const texts = given.flatMap(([name, value]) => {
    const text = textOf(value)
    return text === '' ? [] : [[name, text] as const]
  })
  return texts.length === 0 ? null : Object.fromEntries(texts)
}

function textOf(value: unknown): string {
  const text = Array.isArray(value) ? value.filter((one) => typeof one !== 'object').join(' ') : plainText(value)
  const shown = withoutControlCharacters(text.slice(0, LONGEST_DETAIL + 1)).toWellFormed()
  return shown.length <= LONGEST_DETAIL ? shown : `${shown.slice(0, LONGEST_DETAIL - 1).toWellFormed()}…`
}

function plainText(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : ''
}
