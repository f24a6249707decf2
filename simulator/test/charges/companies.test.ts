import { beforeEach, describe, expect, it } from 'vitest'
import { carnetClient } from '../carnets/carnet-client.ts'
import { simulatorForFile } from '../running.ts'
import { subscriptionClient } from '../subscriptions/subscription-client.ts'
import { CUSTOMER, chargeClient } from './charge-client.ts'

const running = simulatorForFile()
beforeEach(() => production.setTime('2026-03-02T15:00:00Z'))

const production = chargeClient(running, 'production')
const { name, cpf, ...CONTACT } = CUSTOMER
const COMPANY = { corporate_name: 'Livraria Horizonte Ltda', cnpj: '11222333000181' }

describe('a company as customer', () => {
  it.each([
    ['in place of name and cpf', { ...CONTACT, juridical_person: COMPANY }],
    ['beside name and cpf', { ...CUSTOMER, juridical_person: COMPANY }],
    ['beside the name', { ...CONTACT, name, juridical_person: COMPANY }],
  ])('is the payer of a billet: %s', async (_where, customer) => {
    const id = await production.createCharge()
    const { status, json } = await production.payByBillet(id, { customer })
    expect(status).toBe(200)
    expect((await production.show(id)).customer).toEqual(customer)
    const { text } = await running().askRaw(json.data.link, {})
    expect(text).toContain('Payer: Livraria Horizonte Ltda (11222333000181)')
    const asked = { path: `/v1/codBarras/${json.data.barcode}` }
    expect((await running().ask('payment', asked, 'production')).json.pagador).toEqual({
      nome: COMPANY.corporate_name,
      documento: COMPANY.cnpj,
    })
  })

  it('pays by card', async () => {
    const id = await production.createCharge()
    expect((await production.payByCard(id, { customer: { ...CONTACT, juridical_person: COMPANY } })).status).toBe(200)
  })

  it('subscribes, and is the payer of each billet', async () => {
    const subscriptions = subscriptionClient(running, 'production')
    const customer = { ...CONTACT, juridical_person: COMPANY }
    const id = await subscriptions.createSubscription()
    const { status, json } = await subscriptions.payByBillet(id, { customer })
    expect(status).toBe(200)
    const [charge] = await subscriptions.chargesOf(id)
    expect((await production.show(charge as number)).customer).toEqual(customer)
    expect((await running().askRaw(json.data.link, {})).text).toContain(
      'Payer: Livraria Horizonte Ltda (11222333000181)',
    )
    const byCard = await subscriptions.payByCard(await subscriptions.createSubscription(), { customer })
    expect(byCard.status).toBe(200)
  })

  it('has a carnet, with its name on the cover and on each parcel', async () => {
    const customer = { ...CONTACT, juridical_person: COMPANY }
    const { status, json } = await carnetClient(running, 'production').create({ customer })
    expect(status).toBe(200)
    for (const url of [json.data.cover, json.data.charges[2].url])
      expect((await running().askRaw(url, {})).text).toContain('Livraria Horizonte Ltda (11222333000181)')
    const wrong = { ...CONTACT, juridical_person: { ...COMPANY, cnpj: '11222333000182' } }
    const refused = await carnetClient(running, 'production').create({ customer: wrong })
    expect([refused.status, refused.json.error_description.property]).toEqual([400, '/customer/juridical_person/cnpj'])
  })

  it.each([
    ['name', { ...CONTACT, cpf }],
    ['cpf', { ...CONTACT, name }],
    ['juridical_person/cnpj', { ...CONTACT, juridical_person: { ...COMPANY, cnpj: '11222333000182' } }],
    ['juridical_person/cnpj', { ...CUSTOMER, juridical_person: { corporate_name: 'Livraria' } }],
    ['juridical_person/corporate_name', { ...CONTACT, juridical_person: { ...COMPANY, corporate_name: '' } }],
    ['juridical_person/other', { ...CONTACT, juridical_person: { ...COMPANY, other: 1 } }],
  ])('without a good %s is refused: %j', async (property, customer) => {
    const { status, json } = await production.payByBillet(await production.createCharge(), { customer })
    expect([status, json.error_description.property]).toEqual([400, `/payment/banking_billet/customer/${property}`])
  })
})
