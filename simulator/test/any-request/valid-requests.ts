import { ADDRESS, CUSTOMER, LINK } from '../charges/charge-client.ts'
import { openingRequest } from '../registration/opening-request.ts'
import type { RunningSimulator } from '../running.ts'
import { subscriptionClient } from '../subscriptions/subscription-client.ts'

type Params = Readonly<Record<string, string>>

/** What a valid request of an operation has. */
export interface ValidRequest {
  /** Segments of the path; a function makes what they name, for each request. */
  readonly params?: Params | (() => Promise<Params>)
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const NOWHERE = 'https://localhost:9/hook'
const items = [{ name: 'Book', value: 1000, amount: 2 }]
const shippings = [{ name: 'Post', value: 100, payee_code: 'a'.repeat(32) }]
const metadata = { custom_id: 'order 1', notification_url: 'http://localhost:9/charges' }
const conditional_discount = { type: 'percentage', value: 1500, until_date: '2026-03-05' }
const period = { dataInicio: '2026-01-01', dataFim: '2026-12-31' }
const instants = { dataInicio: '2026-01-01T00:00:00Z', dataFim: '2026-12-31T00:00:00Z' }
const page = { 'paginacao.paginaAtual': '0', 'paginacao.itensPorPagina': '10' }
const bankingBillet = {
  customer: { ...CUSTOMER, address: { ...ADDRESS, complement: 'House' }, birth: '1990-01-31' },
  expire_at: '2026-03-10',
  configurations: { fine: 200, interest: 33 },
  message: 'One\nTwo',
}

function payments(token: string) {
  const billing_address = { ...ADDRESS, complement: 'House' }
  const credit_card = { customer: { ...CUSTOMER, birth: '1990-01-31' }, payment_token: token, billing_address }
  return { billet: { banking_billet: bankingBillet }, card: { credit_card: { ...credit_card, installments: 1 } } }
}

const STATEMENT_FLAGS = { pixRecebido: true, saldoDia: true, tarifaPixEnviado: false }

/** Valid requests by operation id, of things that are there. An operation without an entry has neither parameters nor body. */
export async function validRequests(running: RunningSimulator): Promise<Record<string, readonly ValidRequest[]>> {
  const client = subscriptionClient(() => running, 'sandbox')
  const newCharge = async () => ({ id: String(await client.createCharge()) })
  const newPlan = async () => ({ id: String(await client.createPlan({ repeats: null })) })
  const newSubscription = async () => ({ id: String(await client.createSubscription()) })
  const [charge, plan, subscription] = [await newCharge(), await newPlan(), await newSubscription()]
  const newLink = async () => {
    const linked = await newCharge()
    await client.call('POST', `/charge/${linked.id}/link`, LINK)
    return linked
  }
  const { billet, card } = payments(await client.createCard())
  const bill = await running.control('POST', '/bills', { kind: 'billet', amount: 10_000, dueDate: '2026-03-09' })
  const { codBarras } = bill.json
  const { json: key } = await running.ask('account', { method: 'POST', path: '/v2/svc/evp' })

  const carnet = { items, metadata, repeats: 3, expire_at: '2026-03-10', customer: CUSTOMER, conditional_discount }
  const created = await client.call('POST', '/carnet', carnet)

  const chargeBody = { items, shippings, metadata }
  const paidBy = (payment: object) => ({ payment, conditional_discount })
  const link = { ...LINK, billet_discount: 500, card_discount: 100, conditional_discount, message: 'Thank you' }
  return {
    removeKey: [{ params: { chave: key.chave } }],
    showBalance: [{ query: { bloqueios: 'true' } }],
    putAccountSettings: [
      { body: { pix: { receberSemChave: true, chaves: { [key.chave]: { recebimento: { txidObrigatorio: true } } } } } },
    ],
    requestStatement: [{ body: { dataMovimento: '2026-03-01', tipoRegistros: STATEMENT_FLAGS } }],
    downloadStatement: [{ params: { id: UNKNOWN } }],
    showBill: [{ params: { codBarras } }],
    payBill: [{ params: { codBarras }, body: { valor: 10_000, dataPagamento: '2026-03-02', descricao: 'Rent' } }],
    showPayment: [{ params: { idPagamento: '1' } }],
    summarizePayments: [{ query: period }],
    putPaymentWebhook: [{ body: { url: NOWHERE } }],
    listPaymentWebhooks: [{ query: { ...instants, ...page } }],
    deletePaymentWebhook: [{ body: { url: NOWHERE } }],
    createRegistrationWebhook: [{ body: { webhookUrl: NOWHERE } }],
    showRegistrationWebhook: [{ params: { identificadorWebhook: UNKNOWN } }],
    deleteRegistrationWebhook: [{ params: { identificadorWebhook: UNKNOWN } }],
    listRegistrationWebhooks: [{ query: { inicio: instants.dataInicio, fim: instants.dataFim, ...page } }],
    createSimplifiedAccount: [{ body: openingRequest({ escoposIntegrados: ['svc.balance.read', 'cob.read'] }) }],
    showCredentials: [{ params: { idContaSimplificada: UNKNOWN } }],
    createCertificate: [{ params: { idContaSimplificada: UNKNOWN } }],
    putOpenBankingSettings: [
      {
        body: {
          redirectURL: 'https://example.com/back',
          webhookURL: NOWHERE,
          processPayment: 'sync',
          webhookSecurity: { type: 'hmac', hash: 'secret' },
        },
      },
    ],
    createCharge: [{ body: chargeBody }],
    showCharge: [{ params: charge }],
    createChargeLink: [{ params: newCharge, body: link }],
    updateChargeLink: [{ params: newLink, body: link }],
    payCharge: [
      { params: newCharge, body: paidBy(billet) },
      { params: newCharge, body: paidBy(card) },
    ],
    cancelCharge: [{ params: newCharge }],
    updateChargeMetadata: [{ params: charge, body: metadata }],
    createChargeHistory: [{ params: charge, body: { description: 'Seen' } }],
    createPlan: [{ body: { name: 'Monthly', interval: 1, repeats: 12 } }],
    listPlans: [{ query: { name: 'Month', limit: '2', offset: '0' } }],
    updatePlan: [{ params: plan, body: { name: 'Renamed' } }],
    deletePlan: [{ params: newPlan }],
    createSubscription: [{ params: plan, body: chargeBody }],
    showSubscription: [{ params: subscription }],
    cancelSubscription: [{ params: newSubscription }],
    updateSubscriptionMetadata: [{ params: subscription, body: metadata }],
    paySubscription: [
      { params: newSubscription, body: paidBy({ banking_billet: { ...billet.banking_billet, trial_days: 3 } }) },
      { params: newSubscription, body: paidBy({ credit_card: { ...card.credit_card, trial_days: 30 } }) },
    ],
    createSubscriptionHistory: [{ params: subscription, body: { description: 'Seen' } }],
    createCarnet: [{ body: carnet }],
    showCarnet: [{ params: { id: String(created.json.data.carnet_id) } }],
    getNotification: [{ params: { token: UNKNOWN } }],
    token: [{ body: { grant_type: 'client_credentials', scope: 'cob.read' } }],
  }
}
