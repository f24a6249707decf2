import { SERVICE_INTERFACES, type ServiceInterface } from '../domain/service/service-interfaces.ts'

export interface FetchedToken {
  readonly value: string
  readonly lifetimeMs: number
}

export interface TokenCacheOptions {
  readonly fetchToken: (on: ServiceInterface) => Promise<FetchedToken>
  /** In ms since 1970. */
  readonly now: () => number
}

/** A token is renewed this long before its end, or at nine tenths of its lifetime if that is later. */
const MARGIN_MS = 60_000
const MARGIN_SHARE = 0.1
/** Earlier tokens that a late answer may repeat. */
const REMEMBERED = 2 * SERVICE_INTERFACES.length
/** A longer lifetime counts as this one. */
const LONGEST_MS = 24 * 3_600_000

interface Held {
  readonly value: string
  readonly from: number
  readonly until: number
}

/** Access tokens by interface. However many callers need one, there is one fetch at a time; its failure is that of all who wait for it. */
export function createTokenCache({ fetchToken, now }: TokenCacheOptions) {
  const held = new Map<ServiceInterface, Held>()
  const fetching = new Map<ServiceInterface, Promise<string>>()
  let latest: readonly string[] = []

  async function fetchAndHold(on: ServiceInterface): Promise<string> {
    const from = now()
    const { value, lifetimeMs } = await fetchToken(on)
    latest = [value, ...latest].slice(0, REMEMBERED)
    const bounded = Math.min(lifetimeMs, LONGEST_MS)
    held.set(on, { value, from, until: from + bounded - Math.min(MARGIN_MS, bounded * MARGIN_SHARE) })
    return value
  }
  function current(on: ServiceInterface): Held | undefined {
    const known = held.get(on)
    // A clock that was set back would make a token valid for too long.
    return known !== undefined && now() < known.until && now() >= known.from ? known : undefined
  }
  return {
    /** @throws ServiceFailure */
    get(on: ServiceInterface): Promise<string> {
      const known = current(on)
      if (known !== undefined) return Promise.resolve(known.value)
      const underWay = fetching.get(on)
      if (underWay !== undefined) return underWay
      const started = fetchAndHold(on).finally(() => fetching.delete(on))
      fetching.set(on, started)
      return started
    },
    /** Forgets a token that the service refused, unless a newer one has replaced it. */
    drop(on: ServiceInterface, value: string): void {
      if (held.get(on)?.value === value) held.delete(on)
    },
    /** The current tokens, and the latest of those before them. */
    values: (): readonly string[] => latest,
    /** Until when the current token is used, in ms since 1970; null: there is none. */
    until: (on: ServiceInterface): number | null => current(on)?.until ?? null,
  }
}
export type TokenCache = ReturnType<typeof createTokenCache>
