import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { readSettings, settingsSchema } from '../src/settings.ts'

it('a host name belongs to one interface of an environment', () => {
  const mistakesOf = (sandbox: object, production: object = {}) =>
    settingsSchema.safeParse({ hostNames: { sandbox, production } }).error?.issues.map(({ path, message }) => ({
      path: path.join('.'),
      message,
    }))
  expect(mistakesOf({ payment: ['a.example', 'a.example'], account: ['b.example'] }, { charges: ['a.example'] })).toBe(
    undefined,
  )
  expect(mistakesOf({ payment: ['a.example'], account: ['a.example'] })).toEqual([
    { path: 'hostNames.sandbox.account', message: 'a.example is a host name of payment already' },
  ])
})

it('says in words what is wrong with a file, all mistakes together', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'settings.yaml')
  writeFileSync(
    file,
    JSON.stringify({ errors: 'loud', webhooks: { timeoutSeconds: 0, openBankingTimeoutSeconds: 1.5 } }),
  )
  expect(() => readSettings(file)).toThrow(
    `${file} has mistakes; docs/start.md of the simulator lists the settings:\n  errors: must be field or strict\n  webhooks.timeoutSeconds: must be at least 1\n` +
      '  webhooks.openBankingTimeoutSeconds: must be a whole number',
  )
  writeFileSync(file, JSON.stringify({ rateLimit: { perSecond: 0, burst: 1 } }))
  expect(() => readSettings(file)).toThrow(
    `${file} has mistakes; docs/start.md of the simulator lists the settings:\n  rateLimit.perSecond: must be more than 0`,
  )
})
