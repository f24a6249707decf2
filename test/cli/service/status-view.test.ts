import { expect, it } from 'vitest'
import { statusText } from '../../../src/cli/service/status-view.ts'

const STATUS = {
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
