import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runSimulator } from '../../../simulator/test/running.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { allEvents } from '../../support/calls.ts'
import { BASE_CALLBACKS, createSite, startTestGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { linesOf, portaria } from '../program.ts'
import { serviceEntry } from './service-site.ts'

/** A gateway whose institution bank-a is the sandbox of a simulator; the unnamed one has the test CA, and calls no service. */
async function createBankSite() {
  const { folder, certs } = await createSite()
  const running = await runSimulator({}, { receiverCaFile: join(certs, 'server-ca.crt') })
  onTestFinished(() => running.stop())
  const { chainFile, clientFiles } = running.simulator.folder.environments.sandbox
  const token = randomBytes(32).toString('hex')
  writeFileSync(join(folder, 'charge-token'), token, { mode: 0o600 })
  const configure = (urls: { callbacks?: string; charges?: string }) =>
    createSite(
      {
        callbacks: { ...BASE_CALLBACKS, publicUrl: urls.callbacks },
        chargeNotifications: {
          host: '127.0.0.1',
          port: 0,
          certificate: 'certs/server.crt',
          privateKey: 'certs/server.key',
          tokens: [{ environment: 'sandbox', institution: 'bank-a', tokenFile: 'charge-token' }],
          publicUrl: urls.charges,
        },
        institutions: [
          {
            name: 'bank-a',
            trust: [{ environment: 'sandbox', chain: chainFile }],
            kinds: { payment: { path: '/bank-a/payment' }, charge: { path: '/bank-a/charge' } },
            service: [serviceEntry({ folder, certs, configFile: '' }, running)],
          },
        ],
      },
      folder,
    )
  const gateway = await startTestGateway(await configure({}))
  const callbacks = `https://localhost:${gateway.callbacks.port}`
  const charges = `https://localhost:${gateway.charges?.port}`
  const site = await configure({ callbacks, charges })
  await gateway.reload(loadConfig(site.configFile))
  const checkOptions = ['--ca', join(certs, 'server-ca.crt'), '--cert', clientFiles.cert, '--key', clientFiles.key]
  const command = (...args: string[]) => portaria(site, 'service', ...args)
  return { running, site, gateway, callbacks, charges, token, checkOptions, command }
}

const SANDBOX = ['--environment', 'sandbox']
const BANK = [...SANDBOX, '--institution', 'bank-a']

it('addresses of an institution are registered at its own service, and are no other one’s', async () => {
  const { running, gateway, callbacks, checkOptions, command } = await createBankSite()
  const at = ['--interface', 'payment']
  const created = await command('webhooks', 'create', ...BANK, ...at, ...checkOptions, '--yes', '--json')
  const url = `${callbacks}/bank-a/payment`
  expect([created.code, linesOf(created)]).toMatchObject([
    0,
    [{ institution: 'bank-a', environment: 'sandbox', outcome: 'registered', url }],
  ])
  const { webhooks, applications } = running.simulator.sites.sandbox
  const [{ account } = { account: '' }] = applications.list()
  webhooks.register({ interface: 'payment', account, url: `${callbacks}/callbacks/payment` })
  const listed = linesOf(await command('webhooks', 'list', ...BANK, ...at, '--json'))
  expect(listed.map(({ url, kind }) => [url, kind])).toEqual([
    [url, 'payment'],
    [`${callbacks}/callbacks/payment`, null],
  ])
  const ofUnnamed = await command('webhooks', 'list', ...SANDBOX, ...at)
  expect([ofUnnamed.code, ofUnnamed.stderr]).toEqual([
    2,
    expect.stringContaining('has no entry for sandbox under service:'),
  ])
  // The requests of the check, and those of the service.
  await until(async () => (await allEvents(gateway.api, '&kind=probe')).length > 0)
  const probes = await allEvents(gateway.api, '&kind=probe')
  expect([...new Set(probes.map(({ institution }) => institution))]).toEqual(['bank-a'])
})

it('charges of an institution get its own token, and status shows both parts', async () => {
  const { running, gateway, charges, token, command } = await createBankSite()
  const url = `${charges}/charges/${token}`
  const ask = async (method: 'POST' | 'PUT', path: string, body: object) =>
    (await running.ask('charges', { method, path, body })).json
  const metadata = { notification_url: url }
  const { data } = await ask('POST', '/v1/charge', { items: [{ name: 'Book', value: 15010 }], metadata })
  const path = `/v1/charge/${data.charge_id}/metadata`
  // The service sends a token, whose entries the gateway asks of it.
  await until(async () => (await allEvents(gateway.api, '&kind=charge')).length > 0)
  const [event] = await allEvents(gateway.api, '&kind=charge')
  expect([event?.institution, event?.environment]).toEqual(['bank-a', 'sandbox'])
  await ask('PUT', path, { notification_url: 'http://127.0.0.1:9/charges/elsewhere' })
  const move = ['charges', 'set-notification-url', '--all', '--rate', '500', '--yes', '--json']
  const moved = await command(...move, ...BANK)
  expect([moved.code, linesOf(moved)]).toMatchObject([
    0,
    [{ institution: 'bank-a', environment: 'sandbox', id: String(data.charge_id), result: 'changed' }, { changed: 1 }],
  ])
  const { json } = await running.ask('charges', { path: `/v1/charge/${data.charge_id}` })
  expect(json.data.notification_url).toBe(url)
  const ofUnnamed = await command(...move, ...SANDBOX)
  expect([ofUnnamed.code, ofUnnamed.stderr]).toEqual([
    2,
    expect.stringContaining('has no token of sandbox under chargeNotifications.tokens'),
  ])
  const status = await command('status')
  expect([status.code, status.stdout, status.stderr]).toEqual([0, expect.stringMatching(/^bank-a\/sandbox\n/), ''])
  expect(status.stdout).not.toContain('not called')
  expect(linesOf(await command('status', '--json'))).toMatchObject([{ institution: 'bank-a', environment: 'sandbox' }])
})
