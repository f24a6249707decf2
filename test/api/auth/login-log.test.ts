import { expect, it } from 'vitest'
import { createClientLogin } from '../../../src/api/auth/client-login.ts'
import { type LogLine, recordingLog } from '../../support/gateway.ts'

it('wrong secrets for many ids fill no log: 60 lines a minute, and the next minute begins with the number left out', () => {
  const lines: LogLine[] = []
  let now = 0
  const login = createClientLogin({ findClient: () => undefined, now: () => now, log: recordingLog(lines) })
  const attempt = (n: number) => {
    const id = `cli_${String(n).padStart(10, '0')}`
    expect(() => login({ id, secret: 'guess' }, '192.0.2.1')).toThrow('there is no client with this id and secret')
    return id
  }
  for (let n = 0; n < 100; n++) attempt(n)
  expect(lines).toHaveLength(60)
  expect(lines.some((line) => 'leftOut' in line)).toBe(false)
  now += 60_000
  const next = [attempt(100), attempt(101)]
  const common = { level: 'warn', event: 'token.refused', address: '192.0.2.1' }
  expect(lines.slice(60)).toEqual([
    { ...common, client: next[0], leftOut: 40 },
    { ...common, client: next[1] },
  ])
})
