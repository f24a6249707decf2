import { expect, it } from 'vitest'
import { loadConfig } from '../../../src/config/load-config.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { anInterpretedCallback } from '../../support/builders.ts'
import { callApi, callBack } from '../../support/calls.ts'
import { createSite, startTestGateway } from '../../support/gateway.ts'
import { storeOptionsOf } from '../../support/store.ts'
import { until } from '../../support/until.ts'

const DAY = 86_400_000

it('a gateway removes by itself what its configuration does not keep, and goes on taking and giving what is new', async () => {
  const retention = { payload: '7d', metadata: '30d', kinds: { charge: { metadata: '20d' } } }
  const site = await createSite({ storage: { url: 'sqlite:data/portaria.db', minFreeSpace: '1MiB', retention } })
  const store = await openStore(storeOptionsOf(loadConfig(site.configFile)))
  for (const [kind, age] of [
    ['payment', 31],
    ['payment', 25],
    ['charge', 25],
  ] as const) {
    const callback = anInterpretedCallback(`{"identificador":"${kind} ${age}"}`)
    const facts = callback.facts.map((fact) => ({ ...fact, kind }))
    await store.storeCallback({ ...callback, kind, facts, receivedAt: Date.now() - age * DAY })
  }
  // Somebody ran a gateway until now: without that the clock would be 25 days ahead of everything it knows.
  await store.recordClock({ heartbeatAt: Date.now() })
  await store.close()

  const gateway = await startTestGateway(site)
  const line = await until(() => gateway.lines.find(({ event }) => event === 'retention.removed'))
  expect(line).toMatchObject({ payloads: 3, events: 2, kept: 0 })
  await callBack(gateway, { path: '/callbacks/payment', body: '{"identificador":"new"}' })
  const { data } = JSON.parse((await callApi(gateway.api, '/v1/events')).body)
  expect(data).toMatchObject([
    { subject: 'payment 25', data: null, payloadRemovedAt: expect.any(String) },
    { subject: 'new', data: { identificador: 'new' }, payloadRemovedAt: null },
  ])
})
