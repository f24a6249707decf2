import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { BODIES, receiverTypes, schemaOf } from '../../packaging/receiver-types.ts'
import { INSTITUTIONS } from '../../simulator/src/institutions/fixtures.ts'
import type { JsonSchema } from '../../src/api/http/json-schema.ts'
import { ROOT } from '../../src/platform/program-files.ts'

const PRESETS = join(ROOT, 'config/institutions')

it('the types of the receiver are those of the schemas', async () => {
  await expect(receiverTypes()).toMatchFileSnapshot('../../receiver/src/events.ts')
})

it('every kind of every preset has a type', () => {
  const presets = readdirSync(PRESETS).map((file) => parse(readFileSync(join(PRESETS, file), 'utf8')))
  const kinds = presets.flatMap(({ institution }: { institution: { kinds: object } }) => Object.keys(institution.kinds))
  expect(kinds.length).toBeGreaterThan(10)
  expect(Object.keys(BODIES).sort()).toEqual([...new Set(kinds)].sort())
})

/** Names of members and the types of their values, such as `pix[].valor: string`. */
function membersOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => membersOf(one, `${path}[]`))
  if (typeof value !== 'object' || value === null) return [`${path}: ${typeof value}`]
  return Object.entries(value).flatMap(([name, inner]) => membersOf(inner, path === '' ? name : `${path}.${name}`))
}

function declaredBy(schema: JsonSchema, path = ''): string[] {
  const { type, properties, items } = schema as Record<string, JsonSchema | undefined> & { type?: string }
  if (items !== undefined) return declaredBy(items, `${path}[]`)
  if (properties === undefined) return [`${path}: ${type}`]
  return Object.entries(properties).flatMap(([name, inner]) =>
    declaredBy(inner as JsonSchema, path === '' ? name : `${path}.${name}`),
  )
}

it.each([
  ['service', 'open-banking', 'openBanking'],
  ['service', 'registration', 'registration'],
  ['instant-payment', 'payments', 'pix'],
  ['instant-payment', 'refund', 'pix'],
  ['instant-payment', 'recurrence', 'rec'],
  ['instant-payment', 'recurring-charge', 'cobr'],
  ...['consent:paymentConsent', 'payment:pixPayment', 'enrollment:enrollment'].map((one) => [
    'open-finance',
    ...one.split(':'),
  ]),
  ...['recurring-consent:recurringConsent', 'recurring-payment:recurringPayment'].map((one) => [
    'open-finance',
    ...one.split(':'),
  ]),
] as [string, string, string][])('the type knows each member of what %s sends as %s', (institution, fixture, kind) => {
  const body = INSTITUTIONS[institution]?.fixtures[fixture]?.body
  const declared = declaredBy(schemaOf(BODIES[kind]?.[0] as string))
  expect(membersOf(body).length).toBeGreaterThan(0)
  expect(membersOf(body).filter((member) => !declared.includes(member))).toEqual([])
})
