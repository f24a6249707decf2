import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callApi } from './calls.ts'
import { BASE_CALLBACKS, createSite, startTestGateway, type TestGateway } from './gateway.ts'
import { startReceiver } from './receiver.ts'

/** A running gateway in which everything that has a metric is there once: no metric stays without a series. */
export async function startMonitoredGateway(): Promise<TestGateway> {
  const { url } = await startReceiver()
  const payment = { ...BASE_CALLBACKS.kinds.payment, alertAfter: '1h' }
  const kinds = { ...BASE_CALLBACKS.kinds, payment }
  const baseAddresses = { charges: 'https://127.0.0.1:9/charges' }
  const service = { environment: 'production', baseAddresses, clientId: 'id', clientSecret: 'secret' }
  const [trust, ofBank] = BASE_CALLBACKS.trust
  const callbacks = { ...BASE_CALLBACKS, trust: [trust], kinds }
  // Its series are behind those of the unnamed institution, and have one label more.
  const bank = {
    name: 'bank-a',
    trust: [ofBank],
    kinds: { payment },
    service: [{ ...service, environment: 'sandbox' }],
  }
  const destinations = [{ name: 'books', url }]
  const alarms = { channels: [{ name: 'team', webhook: url, format: 'json' }] }
  const site = await createSite({ callbacks, institutions: [bank], destinations, service: [service], alarms })
  writeFileSync(join(site.folder, 'secret'), 'of-the-service', { mode: 0o600 })
  const gateway = await startTestGateway(site)
  await callApi(gateway.api, '/v1/consumers/reader/seek', { method: 'POST', body: { position: 'start' } })
  return gateway
}
