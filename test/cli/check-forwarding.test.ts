import { expect, it } from 'vitest'
import { checkDestinations } from '../../src/cli/check/destinations.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { callApi, callBack } from '../support/calls.ts'
import { createSite, startTestGateway } from '../support/gateway.ts'

it('no one who takes events is a note before the first fact, and a warning once facts are stored', async () => {
  const site = await createSite()
  const found = async () => {
    const { findings } = await checkDestinations({ config: loadConfig(site.configFile), now: Date.now() } as never)
    return findings.map(({ code, level }) => [code, level])
  }
  expect(await found()).toEqual([['forwarding.none', 'good']])
  const gateway = await startTestGateway(site)
  await callBack(gateway, { body: '{}' })
  expect(await found()).toEqual([['forwarding.none', 'good']])
  await callBack(gateway, { body: '{"identificador":"1"}' })
  expect(await found()).toEqual([['forwarding.none', 'warning']])
  const body = { name: 'app', environment: 'any', scopes: ['events.read'] }
  await callApi(gateway.api, '/v1/clients', { method: 'POST', body })
  expect(await found()).toEqual([['destinations.good', 'good']])
})
