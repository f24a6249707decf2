import { randomUUID } from 'node:crypto'
import type { Site } from '../site.ts'
import { removeKeySettings } from './settings-endpoints.ts'

/** Random keys that an account may have at the same time (service-errors.md, endpoint 1). */
export const MOST_KEYS = 20

/** A key that was ever created. Removed ones are kept, so that no key comes twice. */
interface KeyRecord {
  readonly account: string
  /** Simulated times, in ms since 1970. */
  readonly createdAt: number
  readonly removedAt: number | null
}

/** The random keys of an account, oldest first. */
export function keysOf(site: Site, account: string): readonly string[] {
  return ownKeys(site).get(account) ?? []
}

/** Creates a random UUID that was never a key of the environment; null: the account has as many keys as it may. */
export function createKey(site: Site, account: string): string | null {
  const keys = keysOf(site, account)
  if (keys.length >= MOST_KEYS) return null
  let key = randomUUID()
  while (everCreated(site).get(key) !== undefined) key = randomUUID()
  site.records.transaction(() => {
    everCreated(site).put(key, { account, createdAt: site.clock.now(), removedAt: null })
    ownKeys(site).put(account, [...keys, key])
  })
  return key
}

/** Removes a key with its settings; false: the account has no such key. */
export function removeKey(site: Site, account: string, key: string): boolean {
  const keys = keysOf(site, account)
  const record = everCreated(site).get(key)
  if (record === undefined || !keys.includes(key)) return false
  site.records.transaction(() => {
    everCreated(site).put(key, { ...record, removedAt: site.clock.now() })
    ownKeys(site).put(
      account,
      keys.filter((one) => one !== key),
    )
    removeKeySettings(site, account, key)
  })
  return true
}

/** Whether the key is there: it was created and not removed. */
export function hasKey(site: Site, key: string): boolean {
  return everCreated(site).get(key)?.removedAt === null
}

function ownKeys(site: Site) {
  return site.collection<readonly string[]>('keys-of-accounts')
}

function everCreated(site: Site) {
  return site.collection<KeyRecord>('keys')
}
