import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import type { NewRefusal } from '../../src/domain/refusal.ts'
import { openStore } from '../../src/store/open-store.ts'
import { aRefusal } from '../support/builders.ts'
import { createSite, MAIN } from '../support/gateway.ts'
import { storeOptionsOf } from '../support/store.ts'
import { until } from '../support/until.ts'

async function siteWith(...refusals: NewRefusal[]) {
  const site = await createSite()
  const store = await openStore(storeOptionsOf(loadConfig(site.configFile)))
  onTestFinished(() => store.close())
  await store.recordRefusals({ refusals, probes: [{ address: '192.0.2.1', since: 0 }] })
  return { site, store }
}

const STRANGE = aRefusal({
  remoteAddress: '192.0.2.2',
  refusedAt: Date.now(),
  code: 'expired',
  reason: 'its certificate has expired',
  chain: [{ subject: 'CN=\u001b[31mred', issuer: 'CN=b', fingerprint: 'ab'.repeat(32), notBefore: 0, notAfter: 0 }],
})

it('shows refusals as they come', async () => {
  const { site, store } = await siteWith(STRANGE)
  const args = [MAIN, 'refusals', 'tail', '--json', '--from', '1h', '--config', site.configFile]
  const tail = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void tail.kill('SIGKILL'))
  const ids: unknown[] = []
  createInterface({ input: tail.stdout }).on('line', (line) => ids.push((JSON.parse(line) as { id: string }).id))
  await until(() => ids.length === 1)
  await store.recordRefusals({ refusals: [{ ...STRANGE, refusedAt: Date.now() }], probes: [] })
  await until(() => ids.length === 2)
  expect(ids).toEqual(['rfs_1', 'rfs_2'])
  const ended = new Promise((done) => tail.once('exit', done))
  tail.kill('SIGTERM')
  expect(await ended).toBe(0)
})
