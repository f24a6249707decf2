import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { loadConfig } from '../../../src/config/load-config.ts'
import { callApi } from '../../support/calls.ts'
import { createSite, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'

const ENTRY = {
  environment: 'sandbox',
  baseAddresses: { charges: 'https://127.0.0.1:1' },
  clientId: 'id',
  clientSecret: 'secret',
}

it('a reload applies how long the service sends a callback again', async () => {
  const site = await createSite({ service: [ENTRY] })
  writeFileSync(join(site.folder, 'secret'), 'Client_Secret_1234', { mode: 0o600 })
  await (await startTestGateway(site)).stop()
  // As if the gateway had not run for an hour.
  const db = new Database(join(site.folder, 'data/portaria.db'))
  db.prepare('update gateway_runs set seen_at = seen_at - :ms, ended_at = ended_at - :ms').run({ ms: 3_600_000 })
  db.close()

  const gateway = await startTestGateway(site)
  expect(await schedules(gateway)).toEqual(['short'])
  const service = [{ ...ENTRY, reconcile: { retries: 'long' } }]
  writeFileSync(site.configFile, stringify({ ...parse(readFileSync(site.configFile, 'utf8')), service }))
  expect((await gateway.reload(loadConfig(site.configFile))).needRestart).toEqual([])
  // The overview is at most a second old.
  await until(async () => (await schedules(gateway)).join() === 'long')
})

/** Of the windows that the overview has. */
async function schedules({ api }: TestGateway): Promise<string[]> {
  const { outages } = JSON.parse((await callApi(api, '/v1/overview')).body)
  return outages.flatMap(({ windows }: { windows: { retries: string }[] }) => windows.map(({ retries }) => retries))
}
