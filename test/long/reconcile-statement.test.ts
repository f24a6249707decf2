import { expect, it } from 'vitest'
import { askApi, createReconcileSite, type Json } from '../gateway/reconcile/reconcile-site.ts'
import { callBack } from '../support/calls.ts'
import { BASE_CALLBACKS } from '../support/gateway.ts'
import { until } from '../support/until.ts'

const DAY_MS = 86_400_000

/** The service takes half a minute for the statement. */
it('the statement of yesterday counts instant payments that no callback told', { timeout: 120_000 }, async () => {
  const { running, start } = await createReconcileSite()
  const now = Date.now()
  const account = running.simulator.sites.sandbox.applications.list()[0]?.account
  await running.control('PUT', '/clock', { now: new Date(now - DAY_MS).toISOString(), frozen: true })
  for (const amount of [100, 200, 300])
    await running.control('POST', `/accounts/${account}/movements`, { kind: 'pixRecebido', amount })
  await running.control('PUT', '/clock', { now: new Date(now).toISOString(), frozen: false })

  const kinds = { ...BASE_CALLBACKS.kinds, pix: { path: '/callbacks/pix' } }
  const gateway = await start({ statement: 'pix' }, {}, { callbacks: { ...BASE_CALLBACKS, kinds } })
  // Today's do not count for yesterday.
  await callBack(gateway, {
    path: '/callbacks/pix',
    body: '{"endToEndId":"E1","valor":"1.00"}',
    environment: 'sandbox',
  })
  const counted = await until(
    async () => (await askApi(gateway, '/v1/gaps')).json.data.find((one: Json) => one.unknown > 0),
    Boolean,
    90_000,
  )
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Sao_Paulo' }).format(now - DAY_MS)
  expect(counted).toMatchObject({
    kind: 'pix',
    environment: 'sandbox',
    day,
    unknown: 3,
    settledBy: 'question to the service',
  })
})
