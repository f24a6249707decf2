import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { simulatorForTest } from '../../simulator/running.ts'
import { callApi } from '../../support/calls.ts'
import { createSite, startTestGateway } from '../../support/gateway.ts'

it('a gateway shows its calls of the service at /v1/service and in /metrics', async () => {
  const running = await simulatorForTest()
  const { clientId, clientSecret } = running.simulator.sites.sandbox.applications.list()[0] as {
    clientId: string
    clientSecret: string
  }
  const charges = running.baseOf('charges')
  const entry = {
    ...{ environment: 'sandbox', baseAddresses: { charges }, clientId, clientSecret: 'secret' },
    ...{ authorities: running.simulator.folder.rootFile, dailyBudgets: { notifications: 5 } },
  }
  const site = await createSite({ service: [entry] })
  writeFileSync(join(site.folder, 'secret'), clientSecret, { mode: 0o600 })
  const { api, lines } = await startTestGateway(site)
  const metadata = (id: number) =>
    callApi(api, `/charges/v1/charge/${id}/metadata?environment=sandbox`, {
      method: 'PUT',
      body: { custom_id: 'book' },
    })
  const created = await running.ask('charges', {
    method: 'POST',
    path: '/v1/charge',
    body: { items: [{ name: 'Book', value: 100 }] },
  })
  expect((await metadata(created.json.data.charge_id)).status).toBe(200)
  await running.control('POST', '/faults', { on: 'api', fault: 'rate_limited', retryAfter: 3600 })
  expect((await metadata(1)).status).toBe(503)

  const [shown] = JSON.parse((await callApi(api, '/v1/service')).body).data
  expect(shown).toEqual({
    environment: 'sandbox',
    interfaces: [
      {
        ...{ interface: 'charges', baseAddress: charges, failing: true },
        ...{ tokenUntil: expect.any(String), lastSuccessAt: expect.any(String) },
        lastFailure: {
          at: expect.any(String),
          code: 'rate_limited',
          error: expect.stringContaining('429'),
          final: false,
        },
      },
    ],
    ...{ certificate: null, authoritiesProblem: null, resolveTokens: true },
    notificationBudget: { limit: 5, used: 0, left: 5 },
    waitingTokens: { count: 0, oldestAt: null },
  })
  const metrics = (await callApi(api, '/metrics')).body
    .split('\n')
    .filter((line) => line.startsWith('portaria_service'))
  const of = 'environment="sandbox",interface="charges"'
  expect(metrics.filter((line) => !line.includes('timestamp')).sort()).toEqual([
    'portaria_service_budget_left{environment="sandbox"} 5',
    `portaria_service_failing{${of}} 1`,
    `portaria_service_requests_total{${of},outcome="rate_limited"} 1`,
    `portaria_service_requests_total{${of},outcome="success"} 1`,
    'portaria_service_token_age_seconds{environment="sandbox"} 0',
    `portaria_service_token_fetches_total{${of},outcome="success"} 1`,
    'portaria_service_tokens_waiting{environment="sandbox"} 0',
  ])
  expect(lines.filter(({ event }) => event.startsWith('service.')).map(({ event }) => event)).toEqual([
    'service.failing',
  ])
})
