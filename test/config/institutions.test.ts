import { describe, expect, it } from 'vitest'
import { institutionNamed } from '../../src/config/institutions.ts'
import type { Realm } from '../../src/domain/realm.ts'

/** A configuration with a chain in each of these realms. */
function configWith(...realms: Realm[]): Parameters<typeof institutionNamed>[0] {
  const names = new Set(realms.flatMap((realm) => (realm.includes('/') ? (realm.split('/')[0] ?? []) : [])))
  const trust = realms.map((environment) => ({ environment }))
  return { callbacks: { trust }, service: [], institutions: [...names].map((name) => ({ name })) } as never
}

describe('the institution that a person names', () => {
  it.each<[realms: Realm[], name: string | undefined, found: string | null]>([
    [['production'], undefined, null],
    [['production', 'bank-a/production'], undefined, null],
    [['bank-a/production', 'bank-a/sandbox'], undefined, 'bank-a'],
    [['production', 'bank-a/production'], 'bank-a', 'bank-a'],
  ])('of %j, %j is %j', (realms, name, found) => {
    expect(institutionNamed(configWith(...realms), name)).toBe(found)
  })

  it.each<[realms: Realm[], name: string | undefined, words: string]>([
    [
      ['bank-a/production', 'bank-b/production'],
      undefined,
      'institution is missing: the configuration has bank-a, bank-b',
    ],
    [['production', 'bank-a/production'], 'shop', 'there is no institution "shop"; known here: bank-a'],
    [['production'], 'bank-a', 'there is no institution "bank-a": the configuration names none'],
  ])('of %j, %j is refused with the known names', (realms, name, words) => {
    expect(() => institutionNamed(configWith(...realms), name)).toThrow(words)
  })
})
