import { expect, it } from 'vitest'
import { settingsSchema } from '../../src/simulator/settings.ts'

it('a host name belongs to one interface of an environment', () => {
  const mistakesOf = (sandbox: object, production: object = {}) =>
    settingsSchema.safeParse({ hostNames: { sandbox, production } }).error?.issues.map(({ path, message }) => ({
      ...{ path: path.join('.'), message },
    }))
  expect(mistakesOf({ payment: ['a.example', 'a.example'], account: ['b.example'] }, { charges: ['a.example'] })).toBe(
    undefined,
  )
  expect(mistakesOf({ payment: ['a.example'], account: ['a.example'] })).toEqual([
    { path: 'hostNames.sandbox.account', message: 'a.example is a host name of payment already' },
  ])
})
