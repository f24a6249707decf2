import { compileInterpreter } from '../interpretation.ts'
import { CHARGE_KIND, type KindRule, kindDefaults } from '../kinds.ts'
import { institutionOf, type Realm } from '../realm.ts'
import type { TokenEntry } from './notification-token.ts'

/** An entry as the service gave it: one JSON object. */
export interface FetchedEntry {
  readonly entryId: number
  readonly bytes: Uint8Array
}

export interface EntryOfToken extends FetchedEntry {
  readonly environment: Realm
  readonly token: string
}

/**
 * Makes an entry the body of an event, and reads it by the rules of kind `charge`, except its accounts: the gateway's own credentials have fetched
 * it, so it belongs to the gateway's own account.
 */
export function createEntryReader(kinds: readonly KindRule[]): (entry: EntryOfToken) => TokenEntry {
  const interpreterOf = (rule: KindRule) => compileInterpreter({ ...rule, accounts: [] })
  const rules = kinds.filter(({ name }) => name === CHARGE_KIND)
  const interpreters = new Map(rules.map((rule) => [rule.institution, interpreterOf(rule)]))
  const otherwise = interpreterOf({ name: CHARGE_KIND, path: '', ...kindDefaults(CHARGE_KIND) })

  return function readEntry({ environment, token, entryId, bytes }) {
    const head = Buffer.from(`{"notification":{"token":${JSON.stringify(token)},"entries":[`)
    const body = Buffer.concat([head, bytes, Buffer.from(']}}')])
    const interpret = interpreters.get(institutionOf(environment)) ?? otherwise
    const read = interpret({ body, contentType: 'application/json', environment, listener: 'charges' })
    const { subject = null, status = null, references = { charge: null, subscription: null } } = read.facts[0] ?? {}
    return { entryId, kind: CHARGE_KIND, subject, status, references, body }
  }
}
