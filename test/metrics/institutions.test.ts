import { expect, it } from 'vitest'
import type { KindActivity } from '../../src/domain/inactivity.ts'
import type { Realm } from '../../src/domain/realm.ts'
import type { ServiceStatus } from '../../src/domain/service/service-status.ts'
import { createExposition } from '../../src/metrics/exposition.ts'
import { createServiceTraffic, exposeService } from '../../src/metrics/service-metrics.ts'
import { exposeWatched } from '../../src/metrics/watch-metrics.ts'
import { NOON } from '../support/builders.ts'

const REALMS = ['production', 'bank-a/production'] as const satisfies Realm[]

function samplesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

it('series of the service have the environment alone, and the institution if that has a name', () => {
  const exposition = createExposition()
  const charges = {
    interface: 'charges',
    baseAddress: 'https://charges.example',
    tokenUntil: null,
    lastSuccessAt: null,
    isFailing: false,
    lastFailure: null,
  } as const
  const status: ServiceStatus[] = REALMS.map((environment) => ({
    environment,
    interfaces: [charges],
    certificate: null,
    authoritiesProblem: null,
    resolvesTokens: true,
    notificationBudget: { limit: 5, used: 0 },
    waitingTokens: { count: 1, oldestAt: NOON },
  }))
  const traffic = createServiceTraffic(exposition, () => status)
  exposeService(exposition, { status: () => status, now: () => NOON })
  traffic.requested('bank-a/production', { on: 'charges', outcome: 'timeout' })
  const samples = samplesOf(exposition.text())
  const of = 'environment="production"'
  for (const owner of ['', 'institution="bank-a",'])
    expect(samples).toEqual(
      expect.arrayContaining([
        `portaria_service_failing{${owner}${of},interface="charges"} 0`,
        `portaria_service_requests_total{${owner}${of},interface="charges",outcome="success"} 0`,
        `portaria_service_token_fetches_total{${owner}${of},interface="charges",outcome="success"} 0`,
        `portaria_service_last_success_timestamp_seconds{${owner}${of},interface="charges"} 0`,
        `portaria_service_budget_left{${owner}${of}} 5`,
        `portaria_service_tokens_waiting{${owner}${of}} 1`,
        `portaria_service_token_age_seconds{${owner}${of}} 0`,
      ]),
    )
  expect(samples).toContain(
    `portaria_service_requests_total{institution="bank-a",${of},interface="charges",outcome="timeout"} 1`,
  )
  expect(samples.join('\n')).not.toContain('bank-a/')
})

it('series of silent kinds have the institution if that has a name', () => {
  const exposition = createExposition()
  const kinds = REALMS.map(
    (environment): KindActivity => ({ kind: 'payment', environment, lastReceivedAt: 2000, isInactive: true }),
  )
  const clock = { state: () => ({ isPlausible: true, problem: null }) }
  const sources = {
    checks: () => [],
    certificates: () => [],
    outages: () => [],
    kindActivity: () => kinds,
    clock,
    now: () => NOON,
  }
  exposeWatched(exposition, sources)
  const samples = samplesOf(exposition.text())
  expect(samples.filter((line) => line.startsWith('portaria_kind_'))).toEqual(
    ['portaria_kind_silent', 'portaria_kind_last_received_timestamp_seconds'].flatMap((name, index) => [
      `${name}{kind="payment"} ${index + 1}`,
      `${name}{institution="bank-a",kind="payment"} ${index + 1}`,
    ]),
  )
})
