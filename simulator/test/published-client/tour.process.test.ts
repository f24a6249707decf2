import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ENVIRONMENTS, type Environment } from '../../src/interfaces.ts'
import { CUSTOMER } from '../charges/charge-client.ts'
import { receiverCaFile, startReceiver } from '../receiver.ts'
import { openingRequest } from '../registration/opening-request.ts'
import { type RunningSimulator, runSimulator } from '../running.ts'
import { BUILDS, type ClientOptions, type LoadedBuild, leadTo, loadBuild } from './builds.ts'
import { askControl } from './calls.ts'
import { credentialsOf, filesOf } from './surroundings.ts'

let running: RunningSimulator
const authorities = getCACertificates('default')

beforeAll(async () => {
  running = await runSimulator({ servicePathSegment: 'gn' }, { receiverCaFile: receiverCaFile() })
  setDefaultCACertificates([...authorities, running.simulator.folder.root])
})
afterAll(async () => {
  setDefaultCACertificates(authorities)
  await running.stop()
})

type Method =
  | ('accountConfigWebhook' | 'createAccount' | 'getAccountCredentials' | 'createAccountCertificate')
  | ('pixCreateEvp' | 'pixListEvp' | 'getAccountBalance')
  | ('createCharge' | 'definePayMethod' | 'detailCharge' | 'getNotification')
// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Client = Readonly<Record<Method, (...args: unknown[]) => Promise<any>>>
type Surroundings = Awaited<ReturnType<typeof surroundingsOf>>

const SCOPES = ['gn.pix.evp.write', 'gn.pix.evp.read', 'gn.balance.read']
const ACCEPT = new URLSearchParams({ answer: 'accept', as: 'secondary_account' })

describe.each(BUILDS)('with the %s build', (name) => {
  let build: LoadedBuild
  let restore: () => void
  beforeAll(async () => {
    build = await loadBuild(name)
    restore = leadTo(running, build)
  })
  afterAll(() => restore())
  const clientOf = (options: ClientOptions) => new build.Client(options) as unknown as Client

  it.each(ENVIRONMENTS)(
    'an account of the %s is opened, has a key, is paid and fetches the notification',
    async (on) => {
      const around = await surroundingsOf(on)
      const integrator = clientOf({ ...credentialsOf(running, on), certificate: filesOf(running, on).p12 })
      const { clientId, clientSecret, conta, certificate } = await openAccount(integrator, around)
      const own = clientOf({
        sandbox: on === 'sandbox',
        client_id: clientId,
        client_secret: clientSecret,
        certificate,
        cert_base64: true,
      })
      expect(await own.getAccountBalance({})).toEqual({ saldo: '0.00' })

      const { chave } = await own.pixCreateEvp()
      expect(await own.pixListEvp()).toEqual({ chaves: [chave] })
      expect(await integrator.pixListEvp()).toEqual({ chaves: [] })

      const { applications } = await around.control('GET', '/applications')
      expect(applications).toContainEqual({ clientId, account: conta.numero, scopes: SCOPES })
      await around.control('PUT', `/applications/${clientId}/notifications`, { form: 'token' })
      const id = await payByCard(own, on, around)
      expect(await own.detailCharge({ id })).toMatchObject({ data: { status: 'paid', total: 15_010 } })
      expect(await entriesOf(own, around)).toMatchObject([
        { status: { current: 'new' } },
        { status: { current: 'waiting' } },
        {
          status: { current: 'paid' },
          type: 'charge',
          custom_id: 'A-1',
          value: 15_010,
          identifiers: { charge_id: id },
        },
      ])
      // A card of the sandbox only changes the status.
      expect(await own.getAccountBalance({})).toEqual({ saldo: on === 'sandbox' ? '0.00' : '150.10' })
    },
  )
})

/** The end client accepts on the page behind its link. @returns credentials, and the certificate in base64 */
async function openAccount(integrator: Client, { control, callbacks }: Surroundings) {
  await integrator.accountConfigWebhook({ webhookUrl: callbacks.urlOf('registration') })
  const { contaSimplificada } = await integrator.createAccount(openingRequest({ escoposIntegrados: SCOPES }))
  const idContaSimplificada = contaSimplificada.identificador
  const { messages } = await control('GET', '/outbox?subject=account_opening')
  await fetch(messages.at(-1).link, { method: 'POST', body: ACCEPT })
  await control('POST', '/clock/advance', { by: '2m' })
  // The first one is the test call at the registration of the address.
  await callbacks.arrived(2)
  expect(JSON.parse(String(callbacks.received[1]?.body))).toEqual({ contaSimplificada, evento: 'conta_aberta' })
  const credentials = await integrator.getAccountCredentials({ idContaSimplificada })
  return { ...credentials, certificate: await integrator.createAccountCertificate({ idContaSimplificada }) }
}

/** In production the card's bank answers by the control API. */
async function payByCard(client: Client, environment: Environment, { control, notified }: Surroundings) {
  const metadata = { custom_id: 'A-1', notification_url: notified.urlOf('charges') }
  const { data } = await client.createCharge({ items: [{ name: 'Livro', value: 15_010, amount: 1 }], metadata })
  const id: number = data.charge_id
  const { payment_token } = await control('POST', '/cards', { brand: 'visa' })
  const credit_card = { customer: CUSTOMER, payment_token, installments: 1 }
  await client.definePayMethod({ id }, { payment: { credit_card } })
  await control('POST', '/clock/advance', { by: '1m' })
  if (environment === 'production') await control('POST', `/charges/${id}/confirm`, {})
  return id
}

/** Of the token that the receiver got, the same one with each change. */
async function entriesOf(client: Client, { notified }: Surroundings) {
  await notified.arrived(3)
  const [token, ...others] = new Set(notified.received.map(({ body }) => new URLSearchParams(body).get('notification')))
  expect(others).toEqual([])
  return (await client.getNotification({ token })).data
}

/** Empty records on a Monday noon, a receiver of callbacks that trusts the environment's chain, and one of notifications. */
async function surroundingsOf(environment: Environment) {
  const base = `http://localhost:${running.simulator.controlPort}/control`
  const control = (method: string, path: string, body?: unknown) =>
    askControl(base, method, `${path}${path.includes('?') ? '&' : '?'}environment=${environment}`, body)
  await askControl(base, 'POST', '/reset')
  await askControl(base, 'PUT', '/clock', { now: '2026-03-02T15:00:00Z', frozen: true })
  const callbacks = await startReceiver({ chain: running.simulator.folder.environments[environment].chain })
  const notified = await startReceiver({ chain: null })
  onTestFinished(async () => void (await Promise.all([callbacks.stop(), notified.stop()])))
  return { control, callbacks, notified }
}
