import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { chargeClient } from '../../../simulator/test/charges/charge-client.ts'
import { receiverCaFile } from '../../../simulator/test/receiver.ts'
import { simulatorForTest } from '../../../simulator/test/running.ts'
import { aTokenCallback } from '../../store/contract/token-contract.ts'
import { allEvents, callApi } from '../../support/calls.ts'
import { BASE_CALLBACKS, createSite, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { openTestStore } from '../../support/store.ts'
import { until } from '../../support/until.ts'

/** A simulator that sends token forms, and the institution whose service it is. The files are in the folder of the gateway. */
async function createBank(folder: string, name: string, { chain, budget }: { chain: string; budget: number }) {
  const running = await simulatorForTest({}, { receiverCaFile: receiverCaFile() })
  const sandbox = chargeClient(() => running, 'sandbox')
  const [{ clientId, clientSecret } = { clientId: '', clientSecret: '' }] =
    running.simulator.sites.sandbox.applications.list()
  await sandbox.control('PUT', `/applications/${clientId}/notifications`, { form: 'token' })
  const token = name.padEnd(32, '0')
  writeFileSync(join(folder, `${name}-token`), token, { mode: 0o600 })
  writeFileSync(join(folder, `${name}-secret`), clientSecret, { mode: 0o600 })
  writeFileSync(join(folder, `${name}-root.pem`), running.simulator.folder.root)
  const institution = {
    name,
    trust: [{ environment: 'sandbox', chain: `certs/trust/${chain}.pem` }],
    kinds: { charge: { path: '/charge' } },
    service: [
      {
        environment: 'sandbox',
        clientId,
        clientSecret: `${name}-secret`,
        authorities: `${name}-root.pem`,
        baseAddresses: { charges: running.baseOf('charges', 'sandbox') },
        dailyBudgets: { notifications: budget },
      },
    ],
  }
  return {
    institution,
    token: { environment: 'sandbox', institution: name, tokenFile: `${name}-token` },
    /** Whose notifications go to the address of the bank. */
    charge: ({ charges }: TestGateway) =>
      sandbox.createCharge({ metadata: { notification_url: `https://localhost:${charges?.port}/charges/${token}` } }),
  }
}

interface Status {
  readonly institution: string | null
  readonly notificationBudget: { readonly limit: number; readonly used: number; readonly left: number }
  readonly waitingTokens: { readonly count: number }
}

async function statusOf({ api }: TestGateway): Promise<readonly Status[]> {
  return JSON.parse((await callApi(api, '/v1/service')).body).data
}

it('the tokens of two institutions are asked for at their own services, each within its own budget', async () => {
  const { folder } = await createSite()
  const one = await createBank(folder, 'bank-a', { chain: 'sandbox', budget: 1 })
  const other = await createBank(folder, 'bank-b', { chain: 'production', budget: 1000 })
  const chargeNotifications = {
    host: '127.0.0.1',
    port: 0,
    certificate: 'certs/server.crt',
    privateKey: 'certs/server.key',
    tokens: [one.token, other.token],
  }
  const { trust: _trust, kinds: _kinds, ...callbacks } = BASE_CALLBACKS
  const institutions = [one.institution, other.institution]
  const gateway = await startTestGateway(await createSite({ callbacks, chargeNotifications, institutions }, folder))
  const events = async () =>
    (await allEvents(gateway.api, '&kind=charge')).map(({ institution, subject, authentication }) => [
      institution,
      subject,
      authentication,
    ])
  const ids = [await one.charge(gateway), await other.charge(gateway)].map(String)
  const ofBoth = [
    ['bank-a', ids[0], 'service'],
    ['bank-b', ids[1], 'service'],
  ]
  await until(async () => (await events()).length === 2)
  expect((await events()).sort()).toEqual(ofBoth)
  // The first query has used the budget of bank-a up.
  await one.charge(gateway)
  const second = String(await other.charge(gateway))
  await until(async () => (await events()).length === 3)
  expect((await events()).sort()).toEqual([...ofBoth, ['bank-b', second, 'service']].sort())
  await until(async () => (await statusOf(gateway)).some(({ waitingTokens }) => waitingTokens.count > 0))
  expect(await statusOf(gateway)).toMatchObject([
    { institution: 'bank-a', notificationBudget: { limit: 1, used: 1, left: 0 }, waitingTokens: { count: 1 } },
    { institution: 'bank-b', notificationBudget: { limit: 1000 }, waitingTokens: { count: 0 } },
  ])
})

it('a token of an institution that is not configured any more becomes an event', async () => {
  const site = await createSite()
  const store = await openTestStore({ file: join(site.folder, 'data/portaria.db') })
  const receivedAt = Date.now() - 7 * 3_600_000
  await store.storeCallback(aTokenCallback('forgotten', { environment: 'bank-x/sandbox', receivedAt }))
  await store.close()
  const { api } = await startTestGateway(site)
  await until(async () => (await allEvents(api)).length > 0)
  const [event] = await allEvents(api)
  expect([event?.institution, event?.environment, event?.kind]).toEqual(['bank-x', 'sandbox', 'charge'])
})
