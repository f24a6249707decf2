import { expect, it } from 'vitest'
import { setBalance, setBlocks } from '../../src/account/ledger.ts'
import { simulatorForTest } from '../running.ts'

it('the balance has two decimals, and the blocked amounts where the query asks for them in any case', async () => {
  const { ask, simulator } = await simulatorForTest({ servicePathSegment: 'gn' })
  const site = simulator.sites.sandbox
  const account = site.applications.accounts()[0]?.number ?? ''
  const balance = async (query = '') => (await ask('account', { path: `/v2/gn/saldo${query}` })).json
  expect(await balance()).toEqual({ saldo: '1000000.00' })
  setBalance(site, account, 15_010)
  for (const path of ['', '/', '?bloqueios=False', '/?bloqueios=false', '?bloqueios=FALSE'])
    expect(await balance(path)).toEqual({ saldo: '150.10' })
  const nothing = { judicial: '0.00', med: '0.00', total: '0.00' }
  for (const path of ['/?bloqueios=true', '?bloqueios=True', '/?bloqueios=TRUE'])
    expect(await balance(path)).toEqual({ saldo: '150.10', bloqueios: nothing })
  setBlocks(site, account, { judicial: 7, med: 20_000 })
  const bloqueios = { judicial: '0.07', med: '200.00', total: '200.07' }
  expect([await balance(), await balance('?bloqueios=true')]).toEqual([
    { saldo: '150.10' },
    { saldo: '150.10', bloqueios },
  ])
  for (const query of ['bloqueios=1', 'bloqueios=', 'bloqueios=sim', 'bloqueios=true&bloqueios=true'])
    expect([query, (await ask('account', { path: `/v2/gn/saldo?${query}` })).status]).toEqual([query, 400])
  expect((await ask('account', { path: '/v2/svc/saldo' })).status).toBe(404)
})
