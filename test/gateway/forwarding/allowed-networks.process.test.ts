import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { callApi, callBack } from '../../support/calls.ts'
import { createSite, type SpawnedGateway, spawnGateway, type TestSite } from '../../support/gateway.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

const FORWARDING = { schedule: ['0s', '100ms', '100ms', '100ms'], timeout: '2s' }

function configure(site: TestSite, changes: Record<string, unknown>): void {
  writeFileSync(site.configFile, stringify({ ...(parse(readFileSync(site.configFile, 'utf8')) as object), ...changes }))
}

/** By SIGHUP. Resolves when the log has the result. */
async function reload(gateway: SpawnedGateway): Promise<unknown> {
  const results = () => gateway.lines.filter(({ event }) => /^configuration\.(not_)?reloaded$/.test(event))
  const before = results().length
  gateway.process.kill('SIGHUP')
  return (
    await until(
      () => results(),
      (all) => all.length > before,
    )
  ).at(-1)?.event
}

it('a reload applies forwarding.allowedNetworks to the API, to destinations of the file, and to open connections', async () => {
  const site = await createSite({ forwarding: { ...FORWARDING, allowedNetworks: [] } })
  const gateway = await spawnGateway(site)
  const receiver = await startReceiver()
  const url = `http://localhost:${receiver.port}/hook`
  const create = async (name: string) => {
    const { status, body } = await callApi(gateway.api, '/v1/destinations', { method: 'POST', body: { url, name } })
    return [status, (JSON.parse(body) as { detail?: string }).detail]
  }
  const received = (count: number) =>
    until(
      () => receiver.received,
      (all) => all.length === count,
    )
  const refusal = [
    422,
    expect.stringMatching(/\(loopback\): .*add "loopback" to forwarding\.allowedNetworks and reload/),
  ]

  expect(await create('app')).toEqual(refusal)
  configure(site, {
    forwarding: { ...FORWARDING, allowedNetworks: ['loopback'] },
    destinations: [{ name: 'file', url }],
  })
  expect(await reload(gateway)).toBe('configuration.reloaded')
  expect(await create('app')).toEqual([201, undefined])
  await callBack({ callbacks: gateway.callbacks, site }, { body: '{"identificador":"1"}' })
  await received(2)

  configure(site, { forwarding: { ...FORWARDING, allowedNetworks: ['10.0.0.0/8'] }, destinations: [] })
  expect(await reload(gateway)).toBe('configuration.reloaded')
  expect(await create('other')).toEqual(refusal)
  await callBack({ callbacks: gateway.callbacks, site }, { body: '{"identificador":"2"}' })
  const failed = await until(() => gateway.lines.find(({ event, error }) => event === 'delivery.attempted' && error))
  expect(failed).toMatchObject({
    destination: 'app',
    error: expect.stringContaining('not an allowed address (loopback)'),
  })
  expect(receiver.received).toHaveLength(2)
  expect(gateway.lines.filter(({ event }) => event === 'configuration.needs_restart')).toEqual([])
})
