import { expect, it } from 'vitest'
import { setBalance } from '../../../src/simulator/account/ledger.ts'
import { simulatorForTest } from '../running.ts'

it('the balance has two decimals, and the blocked amounts where the query asks for them in any case', async () => {
  const { ask, simulator } = await simulatorForTest({ servicePathSegment: 'gn' })
  setBalance(simulator.sites.sandbox, simulator.sites.sandbox.applications.accounts()[0]?.number ?? '', 15010)
  const bloqueios = { judicial: '0.00', med: '0.00', total: '0.00' }
  for (const path of ['/v2/gn/saldo', '/v2/gn/saldo/', '/v2/gn/saldo?bloqueios=False'])
    expect((await ask('account', { path })).json).toEqual({ saldo: '150.10' })
  for (const value of ['true', 'True', 'TRUE'])
    expect((await ask('account', { path: `/v2/gn/saldo/?bloqueios=${value}` })).json).toEqual({
      saldo: '150.10',
      bloqueios,
    })
  expect((await ask('account', { path: '/v2/gn/saldo?bloqueios=1' })).status).toBe(400)
  expect((await ask('account', { path: '/v2/svc/saldo' })).status).toBe(404)
})
