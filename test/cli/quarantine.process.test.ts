import { expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { openStore } from '../../src/store/open-store.ts'
import { aHeldCallback } from '../support/builders.ts'
import { createSite, startTestGateway } from '../support/gateway.ts'
import { storeOptionsOf } from '../support/store.ts'
import { linesOf, portaria } from './program.ts'

const FOREIGN = JSON.stringify({ txid: '\u001b[31mA', account: 'theirs' })

/** In quarantine: qtn_1 (foreign), qtn_2 (no account), qtn_3 (sandbox). */
async function siteWithQuarantine() {
  const site = await createSite()
  const store = await openStore(storeOptionsOf(loadConfig(site.configFile)))
  await store.storeCallback(aHeldCallback(FOREIGN))
  await store.storeCallback(aHeldCallback('{"txid":"B"}'))
  await store.storeCallback(aHeldCallback('{"txid":"C"}', [], { environment: 'sandbox' }))
  await store.close()
  return site
}

it('shows what is held back with who sent it, as JSON, and the bytes that came', async () => {
  const site = await siteWithQuarantine()
  const show = (...args: string[]) => portaria(site, 'quarantine', 'show', 'qtn_1', ...args)
  const { stdout } = await show()
  expect(stdout).toMatch(/^in quarantine\n {2}id +qtn_1\n/)
  expect(stdout).toContain("the caller's certificate\n")
  expect(stdout).toContain('\\u001b[31mA')
  expect(linesOf(await show('--json'))).toMatchObject([{ id: 'qtn_1', evidence: { callback: 'clb_1' } }])
  expect((await show('--raw')).stdout).toBe(FOREIGN)
})

it('releases and discards where no gateway runs: several at once, up to the first that cannot be', async () => {
  const site = await siteWithQuarantine()
  const released = await portaria(site, 'quarantine', 'release', 'qtn_1', 'qtn_2')
  expect([released.code, released.stdout]).toEqual([
    0,
    expect.stringMatching(/^qtn_1 is evt_1_\w{10} now\nqtn_2 is evt_2_\w{10} now\n$/),
  ])
  const again = await portaria(site, 'quarantine', 'discard', 'qtn_3', 'qtn_1', 'qtn_2')
  expect([again.code, again.stdout, again.stderr]).toEqual([
    1,
    'qtn_3 is discarded\n',
    'portaria: qtn_1 is released already, which is final\n',
  ])
  const listed = linesOf(await portaria(site, 'quarantine', 'list', '--json'))
  expect(listed.map(({ state, decidedBy }) => [state, decidedBy])).toEqual([
    ['discarded', 'operator'],
    ['released', 'operator'],
    ['released', 'operator'],
  ])
})

it('asks the running gateway', async () => {
  const site = await siteWithQuarantine()
  const gateway = await startTestGateway(site)
  onTestFinished(() => gateway.stop())
  expect(linesOf(await portaria(site, 'quarantine', 'release', 'qtn_1', '--json'))).toMatchObject([
    { id: 'qtn_1', state: 'released', duplicate: false },
  ])
  expect(gateway.lines).toContainEqual(expect.objectContaining({ event: 'quarantine.released', by: 'operator' }))
  const missing = await portaria(site, 'quarantine', 'show', 'qtn_9')
  expect([missing.code, missing.stderr]).toEqual([1, 'portaria: there is no qtn_9 in quarantine\n'])
})
