import { expect, it } from 'vitest'
import { isRefused, statusText } from '../../../src/cli/service/status-view.ts'

const STATUS = {
  institution: null,
  environment: 'sandbox' as const,
  interfaces: [],
  certificate: null,
  authoritiesProblem: null,
  notificationBudget: { limit: 30_000, used: 100, left: 29_900 },
}
const OLDEST = '2026-11-22T15:30:00.502Z'

it.each([
  [true, 0, '0 waiting'],
  [true, 11, '11 waiting'],
  [false, 0, 'forwarded as they come'],
  [false, 11, 'forwarded as they come; 11 earlier ones wait for their entries'],
])('with resolveTokens %s and %i tokens that wait, service status shows: %s', (resolveTokens, count, shown) => {
  const text = statusText({ ...STATUS, resolveTokens, waitingTokens: { count, oldestAt: count > 0 ? OLDEST : null } })
  expect(/^ {2}tokens +(.*)$/m.exec(text)?.[1]).toBe(shown)
})

it.each([
  ['unreachable', false, 'failing'],
  ['credentials_refused', true, 'refused'],
  ['certificate_refused', false, 'refused'],
])('an interface whose last call failed with %s (final: %s) is shown as %s', (code, final, state) => {
  const lastFailure = { at: OLDEST, code, error: 'a reason', final }
  const one = { interface: 'payment' as const, baseAddress: 'https://payment.example', tokenUntil: null }
  const interfaces = [{ ...one, lastSuccessAt: null, failing: true, lastFailure }]
  const status = { ...STATUS, interfaces, resolveTokens: true, waitingTokens: { count: 0, oldestAt: null } }
  expect([statusText(status).includes(` ${state} `), isRefused(status)]).toEqual([true, state === 'refused'])
})
