import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { type Api, BUILDS, loadBuild } from '../../../simulator/test/published-client/builds.ts'
import { until } from '../../support/until.ts'
import { type App, type RoutingWorld, startRouting } from './routing-world.ts'

/** Creates a charge, which `route` routes, and cancels it: the app gets that. */
async function expectNotifications(world: RoutingWorld, app: App, route: (id: number) => unknown): Promise<void> {
  const id = await world.service.createCharge()
  await route(id)
  expect(await world.service.show(id)).toMatchObject({ notification_url: world.ownAddress, custom_id: 'order-17' })
  await world.service.call('PUT', `/charge/${id}/cancel`)
  await until(() => app.entries().some(([of, status]) => of === id && status === 'canceled'))
}

it.each(BUILDS)(
  'the published client (%s) routes charges and subscriptions with another base address only',
  async (name) => {
    const world = await startRouting()
    const shop = await world.startApp('shop')
    const { Client, apis } = await loadBuild(name)
    const charges = apis.DEFAULT as Api
    const published = charges.URL
    const base = `http://127.0.0.1:${world.gateway.api.port}/charges`
    charges.URL = { PRODUCTION: base, SANDBOX: base }
    try {
      const client = new Client({ sandbox: false, client_id: shop.clientId, client_secret: shop.clientSecret })
      const metadata = { notification_url: shop.receiver.url, custom_id: 'order-17' }
      await expectNotifications(world, shop, async (id) => {
        expect(await client.updateChargeMetadata?.({ id }, metadata)).toMatchObject({ code: 200 })
      })
      const id = await world.service.createSubscription()
      expect(await client.updateSubscriptionMetadata?.({ id }, metadata)).toMatchObject({ code: 200 })
      expect(await world.service.recordOf(id)).toMatchObject({ notification_url: world.ownAddress })
      await expect(client.updateChargeMetadata?.({ id: 99 }, metadata)).rejects.toMatchObject({
        code: 3_500_010,
        error: 'not_found',
      })
      await expect(client.updateChargeMetadata?.({ id }, { custom_id: 7 })).rejects.toMatchObject({
        code: 3_500_034,
        error_description: { property: '/custom_id' },
      })
    } finally {
      charges.URL = published
    }
  },
)

const hasCurl = spawnSync('curl', ['--version']).status === 0

it.skipIf(!hasCurl)('the example of docs/apps-for-the-service.md routes a charge', async () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../../docs/apps-for-the-service.md'), 'utf8')
  const [, section = ''] = page.split("\n## Route a charge's notifications to your app\n")
  const [, example = ''] = /```sh\n([\s\S]*?)```/.exec(section) ?? []
  const world = await startRouting()
  const shop = await world.startApp('shop')
  await expectNotifications(world, shop, async (id) => {
    const script = example
      .replaceAll('http://127.0.0.1:8080', `http://127.0.0.1:${world.gateway.api.port}`)
      .replace('https://shop.example/notifications', shop.receiver.url)
      .replace('/charge/1000001/', `/charge/${id}/`)
    const env = { ...process.env, PORTARIA_CLIENT_ID: shop.clientId, PORTARIA_CLIENT_SECRET: shop.clientSecret }
    const { stdout } = await promisify(execFile)('sh', ['-c', script], { env })
    expect(stdout).toBe('{"code":200}')
  })
})
