import { once } from 'node:events'
import { expect, it } from 'vitest'
import { spawnGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { type App, prepareRouting, startApp } from './routing-world.ts'

/** `timeout`: the service does not carry the request out. `late_answer`: it does, and the gateway does not learn it. */
it.each([
  { fault: 'timeout', afterMs: 60_000 },
  { fault: 'late_answer', delayMs: 60_000 },
])(
  'a kill -9 while the service is asked ($fault) loses no notification, and the same request confirms the route',
  {
    timeout: 60_000,
  },
  async (fault) => {
    const { site, running, service, ownAddress } = await prepareRouting()
    const addressOf = async (id: number) => (await service.show(id)).notification_url
    const killed = await spawnGateway(site)
    const shop = await startApp(killed.api, 'shop', 'production')
    const id = await service.createCharge()
    await shop.route(await service.createCharge())
    const ordered = { on: 'api', interface: 'charges', path: '/metadata', count: null, ...fault }
    expect((await running.control('POST', '/faults?environment=production', ordered)).status).toBe(201)

    const lost = shop.route(id).catch((error: Error) => error.message)
    await until(async () => (await running.control('GET', '/faults?environment=production')).json.faults[0].met > 0)
    if (fault.fault === 'late_answer') await until(async () => (await addressOf(id)) === ownAddress)
    killed.process.kill('SIGKILL')
    await once(killed.process, 'exit')
    expect(await lost).toMatch(/hang up|ECONNRESET/)
    await running.control('DELETE', '/faults?environment=production')
    expect(await addressOf(id)).toBe(fault.fault === 'timeout' ? null : ownAddress)

    const { api } = await spawnGateway(site)
    const isTaken = fault.fault === 'late_answer'
    if (isTaken) await expectCanceled(id)
    const again = await shop.at(api).route(id)
    expect([again.status, again.body]).toEqual([200, '{"code":200}'])
    expect(await addressOf(id)).toBe(ownAddress)
    if (!isTaken) await expectCanceled(id)

    async function expectCanceled(charge: number): Promise<void> {
      expect((await service.call('PUT', `/charge/${charge}/cancel`)).status).toBe(200)
      await until(() => hasCanceled(shop, charge))
    }
  },
)

function hasCanceled(app: App, charge: number): boolean {
  return app.entries().some(([id, status]) => id === charge && status === 'canceled')
}
