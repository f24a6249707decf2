import { namedParts, type Realm } from '../../domain/realm.ts'
import type { ChargeResource } from '../../domain/service/charge-route.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { shownText } from '../../platform/body-text.ts'

const PAGE = 500

/**
 * The charges or subscriptions that stored events of kind charge name, in the order of their first event. An event whose data retention has removed
 * names none.
 */
export async function knownIds(
  reader: StoreReader,
  resource: ChargeResource,
  realm: Realm,
): Promise<readonly string[]> {
  const ids = new Set<string>()
  for (let after = 0; ; ) {
    const { events, next, more } = await reader.listEvents({ kinds: ['charge'], ...namedParts(realm), after }, PAGE)
    // The filter cannot ask for the unnamed institution alone.
    for (const { body, contentType } of events.filter((event) => event.environment === realm))
      for (const id of idsIn(shownText(body, contentType), `${resource}_id`)) ids.add(id)
    if (!more) return [...ids]
    after = next
  }
}

/** Document 2 has the id in the entry, the entries of a token have it below `identifiers`. A callback that is no JSON names none. */
function idsIn(body: string, name: string): readonly string[] {
  const found: string[] = []
  try {
    JSON.parse(body, (key, value: unknown, context?: { readonly source?: string }) => {
      // As it is written: a number may be too large for this language.
      const text = typeof value === 'number' ? (context?.source ?? String(value)) : value
      if (key === name && typeof text === 'string' && /^[0-9]{1,19}$/.test(text)) found.push(text)
      return value
    })
    return found
  } catch (error) {
    // Too deep, or no JSON: both are stored as they came.
    if (error instanceof SyntaxError || error instanceof RangeError) return []
    throw error
  }
}
