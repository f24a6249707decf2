import { ADDRESS, CUSTOMER } from '../charges/charge-client.ts'
import type { Caller } from './calls.ts'

const ITEMS = [{ name: 'Livro', value: 10_000, amount: 2 }]
const LINK = { expire_at: '2026-03-10', request_delivery_address: false, payment_method: 'all' }
const DISCOUNT = { type: 'percentage', value: 1_000, until_date: '2026-03-08' }
const BILLET = { banking_billet: { customer: CUSTOMER, expire_at: '2026-03-10' } }

/** Charges and their notifications: Document 2, endpoints 1 to 4, and those of service-decisions.md. */
export async function chargeCalls(caller: Caller): Promise<void> {
  await byBillet(caller)
  await byCard(caller)
  await byLink(caller)
  await inProduction(caller)
}

/** A new charge, its id. */
async function create({ call }: Caller, about: string, members: object = {}): Promise<number> {
  const { data } = await call('createCharge', about, { items: ITEMS, ...members })
  return data.charge_id
}

async function byBillet(caller: Caller): Promise<void> {
  const { call, control, surroundings } = caller
  const { client_id: clientId } = surroundings.options
  await control('PUT', `/applications/${clientId}/notifications`, { form: 'token' })
  const id = await create(caller, 'with metadata', {
    shippings: [{ name: 'Correio', value: 1_500 }],
    metadata: { custom_id: 'A-1', notification_url: surroundings.notifications },
  })
  await call('detailCharge', 'new', { id })
  await call('updateChargeMetadata', 'new id', { id }, { custom_id: 'A-2' })
  await call('definePayMethod', 'billet', { id }, { payment: BILLET })
  await call('createChargeHistory', 'one message', { id }, { description: 'Enviado' })
  await call('detailCharge', 'billet that waits', { id })
  await control('POST', `/charges/${id}/expire`)
  await call('detailCharge', 'unpaid billet', { id })
  await call('cancelCharge', 'unpaid billet', { id })
  await call('detailCharge', 'cancelled billet', { id })

  const { callbacks } = await control('GET', '/callbacks?interface=charges')
  const token = new URLSearchParams(callbacks[0].body).get('notification')
  await call('getNotification', 'of a billet', { token })

  const { applications } = await control('GET', '/applications')
  const { account } = applications.find((application: { clientId: string }) => application.clientId === clientId)
  await control('PUT', `/accounts/${account}/instant-payment`, { on: true })
  const payable = await create(caller, 'of an account with instant payments')
  const customer = { ...CUSTOMER, birth: '1990-01-31', address: ADDRESS }
  const billet = { ...BILLET.banking_billet, customer, message: 'Obrigado', conditional_discount: DISCOUNT }
  await call('definePayMethod', 'billet with instant payment', { id: payable }, { payment: { banking_billet: billet } })
  await call('detailCharge', 'billet with instant payment', { id: payable })
}

async function byCard(caller: Caller): Promise<void> {
  const { call, control, surroundings } = caller
  async function pay(about: string, outcome: string, members: object): Promise<number> {
    const metadata = { notification_url: surroundings.notifications }
    const id = await create(caller, about, { metadata })
    const { payment_token } = await control('POST', '/cards', { brand: 'visa', outcome })
    const card = { customer: CUSTOMER, payment_token, installments: 3, ...members }
    await call('definePayMethod', about, { id }, { payment: { credit_card: card } })
    return id
  }
  const paid = await pay('card with a billing address', 'paid', { billing_address: ADDRESS })
  const unpaid = await pay('card without an address', 'unpaid', {})
  await call('detailCharge', 'card that waits', { id: paid })
  await call('detailCharge', 'card without an address', { id: unpaid })
  await control('POST', '/clock/advance', { by: '1m' })
  await call('detailCharge', 'card that is paid', { id: paid })
  await call('detailCharge', 'card that is refused', { id: unpaid })
  const { callbacks } = await control('GET', '/callbacks?interface=charges')
  for (const [index, { body }] of callbacks.entries()) {
    const token = new URLSearchParams(body).get('notification')
    await call('getNotification', `callback ${index + 1}`, { token })
  }
}

async function byLink(caller: Caller): Promise<void> {
  const { call, control } = caller
  const id = await create(caller, 'for a link')
  await call('defineLinkPayMethod', 'the required attributes', { id }, LINK)
  await call('detailCharge', 'link', { id })
  const all = { billet_discount: 500, card_discount: 100, message: 'Até logo', request_delivery_address: true }
  await call('updateChargeLink', 'all attributes', { id }, { ...LINK, ...all, conditional_discount: DISCOUNT })
  await call('detailCharge', 'link with all attributes', { id })
  await control('POST', `/charges/${id}/expire`)
  await call('detailCharge', 'expired link', { id })
  const { data } = await call('updateChargeLink', 'expired link', { id }, { ...LINK, expire_at: '2026-03-20' })
  const { cpf, name, email, phone_number } = CUSTOMER
  const form = new URLSearchParams({ cpf, name, email, phone_number, method: 'banking_billet' })
  await fetch(data.payment_url, { method: 'POST', body: form })
  await call('detailCharge', 'link, payment method chosen', { id })
  await call('updateChargeLink', 'payment method chosen', { id }, { ...LINK, expire_at: '2026-03-21' })
}

/** Only there billets can be paid. */
async function inProduction({ callAs, control, surroundings, Client }: Caller): Promise<void> {
  const client = new Client(surroundings.production)
  const { client_id: clientId } = surroundings.production
  await control('PUT', `/applications/${clientId}/notifications?environment=production`, { form: 'token' })
  const body = { items: ITEMS, metadata: { notification_url: surroundings.notifications } }
  const { data } = await callAs(client, 'createCharge', 'in production', body)
  const id = data.charge_id
  await callAs(client, 'definePayMethod', 'billet in production', { id }, { payment: BILLET })
  await control('POST', `/charges/${id}/pay?environment=production`, {})
  await callAs(client, 'detailCharge', 'paid billet', { id })
  const { callbacks } = await control('GET', '/callbacks?interface=charges&environment=production')
  const token = new URLSearchParams(callbacks[0].body).get('notification')
  await callAs(client, 'getNotification', 'of a paid billet', { token })
}
