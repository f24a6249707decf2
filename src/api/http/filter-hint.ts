import { KINDS_BY_NAME_ONLY } from '../../domain/event.ts'
import type { EventFilter, EventTraits } from '../../domain/event-record.ts'
import { type Environment, isInRealm } from '../../domain/realm.ts'
import type { StoreReader } from '../../domain/store-reader.ts'

/** Distinct traits that a hint needs at most: with more of them, a filter gets no hint. */
export const TRAITS_LIMIT = 2000
/** Statuses and kinds that a hint names at most. */
const NAMED = 20
/** Of an unknown value. */
const CHARACTERS = 64

type Searched = Pick<EventFilter, 'kinds' | 'environment' | 'institution' | 'status'>

/** What a gateway knows of its events. */
export interface KnownEvents {
  /** Of the stored events, and of those that retention removed: at most `TRAITS_LIMIT`. */
  readonly traits: readonly EventTraits[]
  /** The configured kinds. */
  readonly kinds: readonly string[]
}

/**
 * Words for values of a filter that no event has ever had; null: each of them occurs.
 * @param allowed the only environment that the reader may know of; left out: all
 */
export function filterHint(
  { kinds, environment, institution, status }: Searched,
  known: KnownEvents,
  allowed?: Environment,
): string | null {
  if (known.traits.length >= TRAITS_LIMIT) return null
  const visible = known.traits.filter((one) => isInRealm({ environment: allowed }, one.environment))
  const selectable = visible.filter(({ kind }) => kinds !== undefined || !KINDS_BY_NAME_ONLY.includes(kind))
  const ofInstitution = selectable.filter((one) => isInRealm({ institution }, one.environment))
  if (institution !== undefined && ofInstitution.length === 0) return `no event has institution ${quoted(institution)}`
  const inEnvironment = ofInstitution.filter((one) => isInRealm({ environment }, one.environment))
  const ofThis = institution === undefined ? '' : ` of institution ${quoted(institution)}`
  if (environment !== undefined && inEnvironment.length === 0)
    return `no event${ofThis} has environment '${environment}'`
  const events = `${environment === undefined ? '' : `${environment} `}event${ofThis}`
  const missing = (kinds ?? []).filter((kind) => inEnvironment.every((one) => one.kind !== kind))
  const hints = missing.map((kind) => `no ${events} has kind ${quoted(kind)}${kindsAdvice(kind, known.kinds, visible)}`)
  const ofKinds = inEnvironment.filter((one) => kinds === undefined || kinds.includes(one.kind))
  if (status !== undefined && hints.length === 0 && ofKinds.every((one) => one.status !== status)) {
    const selected = kinds === undefined ? '' : ` of kind ${kinds.map(quoted).join(' or ')}`
    hints.push(`no ${events}${selected} has status ${quoted(status)}${statusAdvice(ofKinds)}`)
  }
  return hints.length === 0 ? null : hints.join('; ')
}

/** Traits of all events, in memory. */
export interface TraitsMemory {
  /** As `filterHint`. Reads the store only where a value is not known yet. */
  hintFor(filter: Searched, kinds: readonly string[], allowed?: Environment): Promise<string | null>
}

/** Traits only become more, so each look-up reads the events since the previous one: a poller with a mistyped filter costs little. */
export function createTraitsMemory(store: Pick<StoreReader, 'listEventTraits' | 'latestPosition'>): TraitsMemory {
  const traits = new Map<string, EventTraits>()
  let position = 0

  async function readNew(): Promise<void> {
    const latest = await store.latestPosition()
    for (const one of await store.listEventTraits(position, TRAITS_LIMIT)) traits.set(JSON.stringify(one), one)
    position = latest
  }

  return {
    async hintFor(filter, kinds, allowed) {
      const hint = () => filterHint(filter, { traits: [...traits.values()], kinds }, allowed)
      if (hint() === null) return null
      await readNew()
      return hint()
    },
  }
}

/**
 * The same for a list whose values are looked up one by one.
 * @param item such as `delivery`
 * @param values of the filter, by their names
 */
export async function lookedUpHint<Name extends string>(
  item: string,
  values: { readonly [N in Name]?: string | readonly string[] | undefined },
  has: (name: Name, value: string) => Promise<boolean>,
): Promise<string | null> {
  const hints: string[] = []
  for (const [name, given] of Object.entries(values) as [Name, string | readonly string[] | undefined][])
    for (const value of given === undefined ? [] : [given].flat())
      if (!(await has(name, value))) hints.push(`no ${item} has ${name} ${quoted(value)}`)
  return hints.length === 0 ? null : hints.join('; ')
}

function kindsAdvice(kind: string, configured: readonly string[], stored: readonly EventTraits[]): string {
  if (configured.includes(kind)) return ' yet'
  return `; kinds of this gateway: ${listed([...configured, ...stored.map((one) => one.kind), ...KINDS_BY_NAME_ONLY])}`
}

function statusAdvice(stored: readonly EventTraits[]): string {
  if (stored.length === 0) return ' yet'
  const statuses = stored.flatMap(({ status }) => status ?? [])
  return statuses.length === 0 ? '; these events have no status' : `; statuses: ${listed(statuses)}`
}

function listed(words: readonly string[]): string {
  const distinct = [...new Set(words)]
  return [...distinct.slice(0, NAMED), ...(distinct.length > NAMED ? ['…'] : [])].join(', ')
}

function quoted(value: string): string {
  return `'${value.slice(0, CHARACTERS)}'`
}
