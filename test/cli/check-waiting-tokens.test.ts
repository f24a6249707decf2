import { expect, it } from 'vitest'
import { checkWaitingTokens } from '../../src/cli/check/service.ts'
import { loadWithoutSecrets } from '../../src/config/load-config.ts'
import { aTokenCallback } from '../store/contract/token-contract.ts'
import { createSite } from '../support/gateway.ts'
import { databaseFile, openTestStore } from '../support/store.ts'
import { findingsAt } from './checking.ts'

it('more than 1000 charge tokens that wait are a warning, as in the overview', async () => {
  const site = await createSite()
  const config = loadWithoutSecrets(site.configFile)
  expect(await checkWaitingTokens(config)).toEqual([])
  const store = await openTestStore({ file: databaseFile(config) })
  const add = (token: number) => store.storeCallback(aTokenCallback(`charge-${token}`))
  await Promise.all(Array.from({ length: 1000 }, (_, token) => add(token)))
  expect(await checkWaitingTokens(config)).toEqual([])
  await add(1000)
  expect((await findingsAt(site)).filter(({ area }) => area === 'service')).toMatchObject([
    {
      code: 'tokens_many',
      level: 'warning',
      what: 'production: waiting tokens',
      found: 'charge tokens of production that wait: 1001, many more than charges change',
      nextStep: expect.stringContaining("replace the token of the charge listener's path"),
    },
  ])
})
