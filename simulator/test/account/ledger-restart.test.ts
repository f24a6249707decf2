import { expect, it, onTestFinished } from 'vitest'
import { addMovement, balanceOf, blocksOf, movementsOf, setBlocks } from '../../src/account/ledger.ts'
import { ENVIRONMENTS } from '../../src/interfaces.ts'
import { type Simulator, startSimulator } from '../../src/service/simulator.ts'
import { runSimulator, simulatorForTest } from '../running.ts'

const accountOf = ({ sites }: Simulator, environment: (typeof ENVIRONMENTS)[number] = 'sandbox') =>
  sites[environment].applications.list()[0]?.account ?? ''

it('a ledger survives a restart with --keep: movements, balance, blocks and what is left to refund', async () => {
  const kept = await runSimulator({}, { isKept: true })
  onTestFinished(() => kept.stop())
  const account = accountOf(kept.simulator)
  const { sandbox } = kept.simulator.sites
  const { id } = addMovement(sandbox, { account, kind: 'pixRecebido', cents: 500, origin: null })
  addMovement(sandbox, { account, kind: 'pixDevolucaoEnviada', cents: 200, origin: null, reverses: id })
  setBlocks(sandbox, account, { judicial: 7, med: 8 })
  const before = movementsOf(sandbox, account)
  await kept.simulator.stop()
  const again = await startSimulator({
    port: 0,
    controlPort: 0,
    host: null,
    settingsFile: null,
    receiverCaFile: null,
    isKept: true,
    folder: kept.simulator.folder.path,
    report: () => undefined,
  })
  onTestFinished(() => again.stop())
  const site = again.sites.sandbox
  expect(movementsOf(site, account)).toEqual(before)
  expect([balanceOf(site, account), blocksOf(site, account)]).toEqual([100_000_300, { judicial: 7, med: 8 }])
  const refund = { account, kind: 'pixDevolucaoEnviada', origin: null, reverses: id } as const
  expect(() => addMovement(site, { ...refund, cents: 301 })).toThrow('300 of 500 cents')
  expect(addMovement(site, { ...refund, cents: 300 }).id).toBe(3)
})

it('a reset removes the ledgers of its environment', async () => {
  const { simulator, control } = await simulatorForTest()
  for (const environment of ENVIRONMENTS) {
    const site = simulator.sites[environment]
    const account = accountOf(simulator, environment)
    addMovement(site, { account, kind: 'pixRecebido', cents: 500, origin: null })
    setBlocks(site, account, { judicial: 7, med: 8 })
  }
  await control('POST', '/reset?environment=sandbox')
  const { sandbox, production } = simulator.sites
  const account = accountOf(simulator)
  expect([balanceOf(sandbox, account), movementsOf(sandbox, account)]).toEqual([100_000_000, []])
  expect(blocksOf(sandbox, account)).toEqual({ judicial: 0, med: 0 })
  expect(addMovement(sandbox, { account, kind: 'pixRecebido', cents: 1, origin: null }).id).toBe(1)
  expect(balanceOf(production, accountOf(simulator, 'production'))).toBe(100_000_500)
})
