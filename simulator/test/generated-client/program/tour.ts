/** A program of an integrator that knows the OpenAPI documents only. Prints what it found as JSON. */

import { readFileSync } from 'node:fs'
import { Agent } from 'undici'
import { createClient as createAccountClient } from './account/client/index.ts'
import * as account from './account/index.ts'
import { client as chargesClient } from './charges/client.gen.ts'
import * as charges from './charges/index.ts'
import { connect, fetchBy } from './connect.ts'
import { client as controlClient } from './control/client.gen.ts'
import * as control from './control/index.ts'
import { client as openBankingClient } from './open-banking/client.gen.ts'
import * as openBanking from './open-banking/index.ts'
import { client as paymentClient } from './payment/client.gen.ts'
import * as payment from './payment/index.ts'
import { client as registrationClient } from './registration/client.gen.ts'
import * as registration from './registration/index.ts'

interface Given {
  /** PEM texts. */
  readonly ca: string
  readonly cert: string
  readonly key: string
  readonly id: string
  readonly secret: string
  /** Origin of the control API. */
  readonly control: string
  /** Address of a receiver of callbacks. */
  readonly receiver: string
  readonly opening: registration.CreateSimplifiedAccountData['body']
}

const { ca, cert, key, id, secret, ...given } = JSON.parse(readFileSync('given.json', 'utf8')) as Given
const documentOf = (name: string): object => JSON.parse(readFileSync(`${name}.json`, 'utf8'))
const integrator = { id, secret, agent: new Agent({ connect: { ca, cert, key } }) }
const withoutCertificate = { id, secret, agent: new Agent({ connect: { ca } }) }
const CUSTOMER = { name: 'Ana Souza', cpf: '52998224725', email: 'ana@example.com', phone_number: '11987654321' }
const throwOnError = true

controlClient.setConfig({ baseUrl: given.control, throwOnError })
registrationClient.setConfig(await connect(documentOf('registration'), integrator))
paymentClient.setConfig(await connect(documentOf('payment'), integrator))
openBankingClient.setConfig(await connect(documentOf('open-banking'), integrator))
chargesClient.setConfig(await connect(documentOf('charges'), withoutCertificate))

await control.setClock({ body: { now: '2026-03-02T15:00:00Z', frozen: true } })
const found = {
  charge: await payCharge(),
  bill: await payBill(),
  errors: await mistakes(),
  openBanking: await setOpenBanking(),
  opened: await openAccount(),
  subscription: await subscribe(),
}
process.stdout.write(JSON.stringify(found))
await Promise.all([integrator.agent.close(), withoutCertificate.agent.close()])

/** The account of an end client, used with its own certificate. */
async function openAccount() {
  await registration.createRegistrationWebhook({ body: { webhookUrl: given.receiver }, throwOnError })
  const { data: requested } = await registration.createSimplifiedAccount({ body: given.opening, throwOnError })
  const { identificador } = requested.contaSimplificada
  await control.acceptOpening({ path: { identificador }, body: {} })
  await control.advanceClock({ body: { by: '2m' } })

  const path = { idContaSimplificada: identificador }
  const { data: credentials } = await registration.showCredentials({ path, throwOnError })
  const { data: certificate } = await registration.createCertificate({ path, throwOnError })
  const agent = new Agent({ connect: { ca, pfx: Buffer.from(certificate, 'base64'), passphrase: '' } })
  const { clientId, clientSecret, conta } = credentials
  // An opening cannot ask for the scopes of statements.
  const scopes = [...credentials.escopos, 'gn.reports.write', 'gn.reports.read']
  await control.setScopes({ path: { clientId }, body: { scopes } })
  const own = { id: clientId, secret: clientSecret, agent }
  const document = documentOf('account') as { servers: [{ url: string }] }
  const client = createAccountClient({
    ...(await connect(document, own, scopes)),
    baseUrl: document.servers[0].url,
    throwOnError,
  })

  await control.createMovement({
    path: { number: conta.numero },
    body: { kind: 'transferenciaRecebida', amount: 15_010 },
  })
  const { data: balance } = await account.showBalance({ client, query: { bloqueios: true }, throwOnError })
  const { data: created } = await account.createKey({ client, throwOnError })
  const { data: removed } = await account.removeKey({ client, path: { chave: created.chave }, throwOnError })
  const { data: keys } = await account.listKeys({ client, throwOnError })
  const statement = await statementOf(client)
  await agent.close()
  return { balance, removed: typeof removed, keys: keys.chaves, statement }
}

/** The day's movements, asked for on the day after: first too early, then the file. */
async function statementOf(client: ReturnType<typeof createAccountClient>) {
  await control.advanceClock({ body: { by: '24h' } })
  const body = { dataMovimento: '2026-03-02', tipoRegistros: { transferenciaRecebida: true, saldoDia: true } }
  const { data: requested } = await account.requestStatement({ client, body, throwOnError })
  const path = { id: requested.id }
  const early = await account.downloadStatement({ client, path, throwOnError })
  await control.advanceClock({ body: { by: '30s' } })
  const later = await account.downloadStatement({ client, path, throwOnError })
  return {
    early: [early.response.status, typeof early.data === 'string' ? null : early.data.status],
    later: [later.response.status, kindsOf(later.data)],
  }
}

/** The first field of each line. */
function kindsOf(file: unknown): (string | undefined)[] {
  return String(file)
    .trimEnd()
    .split('\n')
    .map((line) => line.split(';')[0])
}

async function payBill() {
  const { data: bill } = await control.createBill({ body: { kind: 'billet', amount: 10_000 }, throwOnError })
  const path = { codBarras: bill.codBarras }
  const { data: detail } = await payment.showBill({ path, throwOnError })
  const body = { valor: detail.valores.final, dataPagamento: '2026-03-02', descricao: 'Conta' }
  const { data: requested } = await payment.payBill({ path, body, throwOnError })
  await control.advanceClock({ body: { by: '2m' } })
  const { idPagamento } = requested
  const { data: paid } = await payment.showPayment({ path: { idPagamento }, throwOnError })
  const query = { dataInicio: '2026-03-01', dataFim: '2026-03-31' }
  const { data: summary } = await payment.summarizePayments({ query, throwOnError })
  return { status: paid.status, succeeded: summary.solicitacoes.sucesso }
}

/** Paid by a card. The entries of its notification are fetched with the token of the callback. */
async function payCharge() {
  await control.setNotificationForm({ path: { clientId: id }, body: { form: 'token' } })
  const metadata = { custom_id: 'A-1', notification_url: `${given.receiver}/charges` }
  const items = [{ name: 'Livro', value: 15_010 }]
  const { data: created } = await charges.createCharge({ body: { items, metadata }, throwOnError })
  const path = { id: created.data.charge_id }
  const { data: token } = await control.createCard({ body: { brand: 'visa' }, throwOnError })
  const credit_card = { customer: CUSTOMER, payment_token: token.payment_token }
  const { data: paid } = await charges.payCharge({ path, body: { payment: { credit_card } }, throwOnError })
  await control.advanceClock({ body: { by: '1m' } })
  const { data: shown } = await charges.showCharge({ path, throwOnError })
  const { data: sent } = await control.listCallbacks({ query: { interface: 'charges' }, throwOnError })
  const notification = new URLSearchParams(String(sent.callbacks[0]?.body)).get('notification') ?? ''
  const { data: entries } = await charges.getNotification({ path: { token: notification }, throwOnError })
  return {
    installments: paid.data.payment === 'credit_card' ? paid.data.installments : null,
    status: shown.data.status,
    entries: entries.data.map(({ status }) => status.current),
  }
}

async function subscribe() {
  const { data: plan } = await charges.createPlan({ body: { name: 'Mensal', interval: 1, repeats: 2 }, throwOnError })
  const { data: plans } = await charges.listPlans({ query: { name: 'men', limit: 1, offset: 0 }, throwOnError })
  const items = [{ name: 'Aluguel', value: 10_000 }]
  const { data: created } = await charges.createSubscription({
    path: { id: plan.data.plan_id },
    body: { items },
    throwOnError,
  })
  const path = { id: created.data.subscription_id }
  const banking_billet = { customer: CUSTOMER, expire_at: '2026-03-20' }
  const { data: paid } = await charges.paySubscription({ path, body: { payment: { banking_billet } }, throwOnError })
  await control.advanceClock({ body: { by: '32d' } })
  const { data: shown } = await charges.showSubscription({ path, throwOnError })
  return {
    plans: plans.data.length,
    first: paid.data.first_execution,
    status: shown.data.status,
    occurrences: shown.data.occurrences,
  }
}

async function setOpenBanking() {
  const webhookSecurity: openBanking.PutOpenBankingSettingsData['body']['webhookSecurity'] = { type: 'mtls' }
  const body = { redirectURL: 'https://app.example.com/back', webhookURL: given.receiver, webhookSecurity }
  await openBanking.putOpenBankingSettings({ body, throwOnError })
  return (await openBanking.showOpenBankingSettings({ throwOnError })).data.webhookSecurity
}

/** Errors have the forms that the documents give them. */
async function mistakes() {
  const { error: charge } = await charges.showCharge({ path: { id: 1 } })
  const { error: list } = await payment.listPaymentWebhooks({ query: { dataInicio: 'A', dataFim: 'B' } })
  const { error: token } = await charges.token({ auth: `${id}:wrong`, body: { grant_type: 'client_credentials' } })
  const { error: unknown } = await charges.listPlans({ auth: 'unknown', fetch: fetchBy(withoutCertificate.agent) })
  return {
    charge: charge !== undefined && 'code' in charge ? charge.code : null,
    list: list !== undefined && 'erros' in list ? list.erros?.map(({ caminho }) => caminho) : null,
    token: token?.error,
    unknown: unknown !== undefined && 'code' in unknown ? unknown.code : null,
  }
}
