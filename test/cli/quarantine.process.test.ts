import { expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { openStore } from '../../src/store/open-store.ts'
import { aHeldCallback } from '../support/builders.ts'
import { createSite } from '../support/gateway.ts'
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

it('shows the bytes that came', async () => {
  const site = await siteWithQuarantine()
  expect((await portaria(site, 'quarantine', 'show', 'qtn_1', '--raw')).stdout).toBe(FOREIGN)
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
