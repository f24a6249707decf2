import { expect, it, vi } from 'vitest'
import { createTraitsMemory, filterHint, TRAITS_LIMIT } from '../../../src/api/http/filter-hint.ts'
import type { EventFilter, EventTraits } from '../../../src/domain/event-record.ts'

const traits: readonly EventTraits[] = [
  { kind: 'payment', environment: 'production', status: 'LIQUIDADO' },
  { kind: 'payment', environment: 'production', status: 'CANCELADO' },
  { kind: 'charge', environment: 'production', status: null },
  { kind: 'former', environment: 'sandbox', status: 'SECRET' },
  { kind: 'operator', environment: 'production', status: 'expired' },
]
const known = { traits, kinds: ['registration', 'payment', 'charge'] }
const KINDS = 'kinds of this gateway: registration, payment, charge'

it.each<[EventFilter, string | null]>([
  [{}, null],
  [{ kinds: ['payment'], environment: 'production', status: 'CANCELADO' }, null],
  [{ kinds: ['pix'] }, `no event has kind 'pix'; ${KINDS}, former, operator, probe`],
  [{ kinds: ['pix', 'payment', 'former'] }, `no event has kind 'pix'; ${KINDS}, former, operator, probe`],
  [{ kinds: ['registration'] }, "no event has kind 'registration' yet"],
  [{ kinds: ['charge'], environment: 'sandbox' }, "no event has environment 'sandbox'"],
  [
    { kinds: ['former'], environment: 'production' },
    `no production event has kind 'former'; ${KINDS}, former, operator, probe`,
  ],
  [{ status: 'liquidado' }, "no event has status 'liquidado'; statuses: LIQUIDADO, CANCELADO, SECRET"],
  [{ status: 'expired' }, "no event has status 'expired'; statuses: LIQUIDADO, CANCELADO, SECRET"],
  [{ kinds: ['operator'], status: 'expired' }, null],
  [{ kinds: ['charge'], status: 'X' }, "no event of kind 'charge' has status 'X'; these events have no status"],
  [
    { kinds: ['payment', 'charge'], environment: 'production', status: 'x'.repeat(70) },
    `no production event of kind 'payment' or 'charge' has status '${'x'.repeat(64)}'; statuses: LIQUIDADO, CANCELADO`,
  ],
])('the filter %j has the hint %j', (filter, hint) => {
  const seen = filter.environment === 'sandbox' ? { ...known, traits: traits.slice(0, 3) } : known
  expect(filterHint(filter, seen)).toBe(hint)
})

it.each<[EventFilter, string | null]>([
  [{ institution: 'bank-a', kinds: ['boleto'], status: 'PAGO' }, null],
  [{ institution: 'bank-b' }, "no event has institution 'bank-b'"],
  [
    { institution: 'bank-a', environment: 'production' },
    "no event of institution 'bank-a' has environment 'production'",
  ],
  [{ institution: 'bank-a', kinds: ['payment'] }, "no event of institution 'bank-a' has kind 'payment' yet"],
  [
    { institution: 'bank-a', environment: 'sandbox', status: 'LIQUIDADO' },
    "no sandbox event of institution 'bank-a' has status 'LIQUIDADO'; statuses: PAGO",
  ],
])('the filter %j with an institution has the hint %j', (filter, hint) => {
  const ofBank = { kind: 'boleto', environment: 'bank-a/sandbox', status: 'PAGO' } as const
  expect(filterHint(filter, { ...known, traits: [...traits, ofBank] })).toBe(hint)
})

it('before the first event a status has a hint too', () => {
  expect(filterHint({ status: 'X' }, { ...known, traits: [] })).toBe("no event has status 'X' yet")
})

it('a hint tells a reader of one environment nothing about the other', () => {
  expect(filterHint({ kinds: ['former'] }, known, 'production')).toBe(
    `no event has kind 'former'; ${KINDS}, operator, probe`,
  )
  expect(filterHint({ status: 'SECRET' }, known, 'production')).toBe(
    "no event has status 'SECRET'; statuses: LIQUIDADO, CANCELADO",
  )
})

it('where not all traits are known, there is no hint', () => {
  const many = Array.from({ length: TRAITS_LIMIT }, (_, i) => ({ ...(traits[0] as EventTraits), status: `${i}` }))
  expect(filterHint({ kinds: ['pix'] }, { ...known, traits: many })).toBeNull()
})

it('a look-up reads the events since the previous one, and nothing where the values are known', async () => {
  const stored = [...traits.slice(0, 2)]
  const listEventTraits = vi.fn(async (after: number) => stored.slice(after))
  const memory = createTraitsMemory({ listEventTraits, latestPosition: async () => stored.length })
  const hintOf = (status: string) => memory.hintFor({ status }, known.kinds)
  expect(await hintOf('X')).toBe("no event has status 'X'; statuses: LIQUIDADO, CANCELADO")
  expect([await hintOf('LIQUIDADO'), await hintOf('CANCELADO')]).toEqual([null, null])
  stored.push({ kind: 'payment', environment: 'sandbox', status: 'X' })
  expect(await hintOf('X')).toBeNull()
  expect(listEventTraits.mock.calls).toEqual([
    [0, TRAITS_LIMIT],
    [2, TRAITS_LIMIT],
  ])
})
