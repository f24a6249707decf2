import { expect, it } from 'vitest'
import type { ServiceStatus } from '../../../src/domain/service/service-status.ts'
import { askJson, startApi } from '../api.ts'

const at = (minute: number) => Date.UTC(2026, 2, 2, 12, minute)

const SANDBOX: ServiceStatus = {
  environment: 'sandbox',
  interfaces: [
    {
      interface: 'charges',
      baseAddress: 'https://api.service.example/charges',
      isFailing: true,
      tokenUntil: at(50),
      lastSuccessAt: at(1),
      lastFailure: { at: at(2), code: 'unavailable', text: 'it answers HTTP 503', isFinal: false },
    },
  ],
  certificate: { subject: 'CN=integrator', notAfter: at(59), problem: null },
  authoritiesProblem: null,
  resolvesTokens: true,
  notificationBudget: { limit: 100, used: 130 },
  waitingTokens: { count: 3, oldestAt: at(0) },
}

const PRODUCTION: ServiceStatus = {
  environment: 'production',
  interfaces: [],
  certificate: null,
  authoritiesProblem: 'no file',
  resolvesTokens: false,
  notificationBudget: { limit: null, used: 7 },
  waitingTokens: { count: 0, oldestAt: null },
}

it('GET /v1/service shows tokens, certificate, last calls, budget and waiting tokens of each environment', async () => {
  const api = await startApi({ serviceStatus: [SANDBOX, PRODUCTION] })
  const { data } = await askJson<{ data: unknown }>(api, '/v1/service')
  const iso = (minute: number) => new Date(at(minute)).toISOString()
  expect(data).toEqual([
    {
      institution: null,
      environment: 'sandbox',
      interfaces: [
        {
          interface: 'charges',
          baseAddress: 'https://api.service.example/charges',
          failing: true,
          tokenUntil: iso(50),
          lastSuccessAt: iso(1),
          lastFailure: { at: iso(2), code: 'unavailable', error: 'it answers HTTP 503', final: false },
        },
      ],
      certificate: { subject: 'CN=integrator', notAfter: iso(59), problem: null },
      authoritiesProblem: null,
      resolveTokens: true,
      notificationBudget: { limit: 100, used: 130, left: 0 },
      waitingTokens: { count: 3, oldestAt: iso(0) },
    },
    {
      institution: null,
      environment: 'production',
      interfaces: [],
      certificate: null,
      authoritiesProblem: 'no file',
      resolveTokens: false,
      notificationBudget: { limit: null, used: 7, left: null },
      waitingTokens: { count: 0, oldestAt: null },
    },
  ])
})
