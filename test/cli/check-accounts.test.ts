import { expect, it } from 'vitest'
import { checkAccounts } from '../../src/cli/check/configuration.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { callBack } from '../support/calls.ts'
import { BASE_CALLBACKS, createSite, startTestGateway } from '../support/gateway.ts'

const ACCOUNTS = { allow: [{ pointers: ['/conta'], values: ['012345-6'] }] }

/** The findings before and after a callback of this kind. */
async function findingsAround(changes: Record<string, unknown>, kind = 'payment') {
  const site = await createSite(changes)
  const gateway = await startTestGateway(site)
  const found = async () => (await checkAccounts(loadConfig(site.configFile))).map(({ code, level }) => [code, level])
  const before = await found()
  await callBack(gateway, { path: `/callbacks/${kind}`, body: '{"identificador":"1"}' })
  return [before, await found()]
}

it('payments of any account are a warning once they come; a fresh installation has none', async () => {
  expect(await findingsAround({})).toEqual([[], [['accounts.any', 'warning']]])
  expect(await findingsAround({}, 'registration')).toEqual([[], []])
})

it('with named accounts, and in development, there is nothing to do', async () => {
  const payment = { path: '/callbacks/payment', accounts: ACCOUNTS }
  const named = { callbacks: { ...BASE_CALLBACKS, kinds: { payment } } }
  expect(await findingsAround(named)).toEqual(Array(2).fill([['configuration.good', 'good']]))
  expect(await findingsAround({ mode: 'development' })).toEqual([[], []])
})
