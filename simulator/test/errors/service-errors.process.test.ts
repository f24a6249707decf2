import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ACCOUNT_ERRORS, OPEN_BANKING_ERRORS, OPENING_ERRORS, type Provocations } from './account-errors.ts'
import { CHARGE_ERRORS } from './charge-errors.ts'
import { EVERY_ENDPOINT_ERRORS } from './every-endpoint-errors.ts'
import { WEBHOOK_ERRORS } from './webhook-errors.ts'
import { codeOf, startWorld, type World } from './world.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const PAGE = readFileSync(join(ROOT, 'simulator/docs/service-errors.md'), 'utf8').split(
  /^## The gateway's own copies/m,
)[0] as string

/** `status code`: of the setting `errors: field`, and of `strict`, which is the same where the page has no other. */
interface Row {
  readonly field: string
  readonly strict: string
}

const ROWS = new Map(
  [...PAGE.matchAll(/^\| ([^|]+) \| (\d{3}) \| `([^|]+)` \| (.+?) \|(?: (.*) \|)?$/gm)].map(
    ([, who = '', status, code = '', , strict = '']): [string, Row] => {
      const field = `${status} ${code}`.replaceAll('`', '')
      const other = strict.replaceAll('`', '').trim()
      return [`${who.replaceAll('`', '')} ${field}`, { field, strict: other === '' ? field : other }]
    },
  ),
)

const PROVOCATIONS: Provocations = {
  ...EVERY_ENDPOINT_ERRORS,
  ...ACCOUNT_ERRORS,
  ...OPENING_ERRORS,
  ...OPEN_BANKING_ERRORS,
  ...WEBHOOK_ERRORS,
  ...CHARGE_ERRORS,
}

it('simulator/docs/service-errors.md has each provoked error, and no other', () => {
  expect([...ROWS.keys()].toSorted()).toEqual(Object.keys(PROVOCATIONS).toSorted())
})

describe.each(['field', 'strict'] as const)('with errors: %s', (errors) => {
  let world: World & { stop(): Promise<unknown> }
  beforeAll(async () => {
    world = await startWorld(errors)
  })
  afterAll(() => world.stop())

  it.each(Object.keys(PROVOCATIONS))('%s is answered as simulator/docs/service-errors.md has it', async (key) => {
    for (const provoke of PROVOCATIONS[key] ?? []) {
      await world.begin()
      const answer = await provoke(world)
      expect(`${answer.status} ${codeOf(answer)}`).toBe(ROWS.get(key)?.[errors])
    }
  })
})
