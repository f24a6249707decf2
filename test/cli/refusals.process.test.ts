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
import { linesOf, portaria } from './program.ts'

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

it('lists refusals newest first, in words, and lets no untrusted caller steer the terminal', async () => {
  const { site } = await siteWith(aRefusal(), STRANGE)
  const { stdout, code } = await portaria(site, 'refusals', 'list')
  const [header, ...rows] = stdout.trimEnd().split('\n')
  expect(code).toBe(0)
  expect(header).toMatch(/^refused +id +listener +environment +address +tls +code +certificate +reason$/)
  expect(rows[0]).toMatch(/rfs_2 .* 192\.0\.2\.2 .* expired +CN=\\u001b\[31mred +its certificate has expired$/)
  expect(rows[1]).toMatch(/^2026-01-15 12:00:00Z +rfs_1 .* no client certificate; the service's probe$/)
})

it('lists as JSON lines what its filters let through', async () => {
  const { site } = await siteWith(aRefusal(), STRANGE, aRefusal({ listener: 'charges', code: 'unknown_token' }))
  const ids = async (...args: string[]) =>
    linesOf(await portaria(site, 'refusals', 'list', '--json', ...args)).map((line) => line.id)
  expect(await ids('--reason', 'expired', '--reason', 'no_certificate')).toEqual(['rfs_2', 'rfs_1'])
  expect(await ids('--address', '192.0.2.1', '--listener', 'charges')).toEqual(['rfs_3'])
  expect(await ids('--from', '1h')).toEqual(['rfs_2'])
  expect(await ids('--limit', '1')).toEqual(['rfs_3'])
})

it('shows one refusal with the certificates that were shown', async () => {
  const { site } = await siteWith(STRANGE)
  const { stdout } = await portaria(site, 'refusals', 'show', 'rfs_1')
  expect(stdout).toMatch(/^refusal\n {2}id +rfs_1\n/)
  expect(stdout).toContain(`its certificate\n  subject         CN=\\u001b[31mred\n`)
  expect(stdout).toContain('ab'.repeat(32))
})

it('ends with 1 for a refusal that is not there, with 2 for a reason that is none', async () => {
  const { site } = await siteWith()
  const missing = await portaria(site, 'refusals', 'show', 'rfs_1')
  expect([missing.code, missing.stderr]).toEqual([1, 'portaria: there is no refusal rfs_1\n'])
  const wrong = await portaria(site, 'refusals', 'list', '--reason', 'bad_luck')
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Known are no_certificate, unknown_issuer')])
  expect((await portaria(site, 'refusals', 'list')).stdout).toBe('no refusals\n')
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
