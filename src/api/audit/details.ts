import { type ActionDetails, LONGEST_DETAIL } from '../../domain/actions/action.ts'
import type { Caller } from '../../domain/client.ts'
import { withoutControlCharacters } from '../../platform/control-characters.ts'
import type { Call, Endpoint } from '../http/endpoint.ts'

/** Members of a body or a query that is not checked yet: the action is recorded before it is performed. */
export function membersOf(given: unknown, names: readonly string[]): Record<string, unknown> {
  const members = (typeof given === 'object' && given !== null ? given : {}) as Record<string, unknown>
  return Object.fromEntries(names.map((name) => [name, Object.hasOwn(members, name) ? members[name] : undefined]))
}

/** A URL may have a secret in its path and its query. */
export function hostIn(url: unknown): string | undefined {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : undefined
}

/** null: there is nothing to say. */
export async function readDetails({ details = [], body }: Endpoint, call: Call): Promise<ActionDetails | null> {
  const members = () => membersOf(body === undefined ? call.query : call.body, details as readonly string[])
  const given = Object.entries(typeof details === 'function' ? await details(call) : members())
  const texts = given.flatMap(([name, value]) => {
    const text = textOf(value)
    return text === '' ? [] : [[name, text] as const]
  })
  return texts.length === 0 ? null : Object.fromEntries(texts)
}

/** With the names that an OpenID provider has for the person who acts. */
export function withPerson(details: ActionDetails | null, { principal }: Caller): ActionDetails | null {
  const person = principal?.kind === 'client' ? principal.person : undefined
  if (person === undefined) return details
  return { ...details, person: textOf(person.name), issuer: textOf(person.issuer), sub: textOf(person.subject) }
}

function textOf(value: unknown): string {
  const text = Array.isArray(value) ? value.filter((one) => typeof one !== 'object').join(' ') : plainText(value)
  const shown = withoutControlCharacters(text.slice(0, LONGEST_DETAIL + 1)).toWellFormed()
  return shown.length <= LONGEST_DETAIL ? shown : `${shown.slice(0, LONGEST_DETAIL - 1).toWellFormed()}…`
}

function plainText(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : ''
}
