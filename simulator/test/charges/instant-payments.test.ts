import { beforeEach, describe, expect, it } from 'vitest'
import type { Environment } from '../../src/interfaces.ts'
import { carnetClient } from '../carnets/carnet-client.ts'
import { type Answer, simulatorForFile } from '../running.ts'
import { subscriptionClient } from '../subscriptions/subscription-client.ts'
import { CUSTOMER, chargeClient, LINK } from './charge-client.ts'
import { checkValueOf, fieldsOf, textOfImage } from './instant-payment-witness.ts'

const running = simulatorForFile()
beforeEach(async () => {
  await running().control('POST', '/reset')
  await sandbox.setTime('2026-03-02T15:00:00Z')
  await switchOn('production')
})

const sandbox = chargeClient(running, 'sandbox')
const production = chargeClient(running, 'production')
const subscriptions = subscriptionClient(running, 'production')
const carnets = carnetClient(running, 'production')
const PATH = '/v2/svc/evp'

function switchOn(environment: Environment, on = true): Promise<Answer> {
  const number = running().simulator.sites[environment].applications.accounts()[0]?.number
  return running().control('PUT', `/accounts/${number}/instant-payment?environment=${environment}`, { on })
}
const keys = async (): Promise<string[]> => (await running().ask('account', { path: PATH }, 'production')).json.chaves
const createKey = () => running().ask('account', { method: 'POST', path: PATH }, 'production')
const removeKey = (key: string) => running().ask('account', { method: 'DELETE', path: `${PATH}/${key}` }, 'production')

/** A charge of 100.00 in production, whose billet has a code. */
async function withCode(changes: object = {}, beside: object = {}): Promise<{ id: number; code: string }> {
  const id = await production.createCharge()
  const { json } = await production.payByBillet(id, changes, beside)
  return { id, code: json.data.pix.qrcode }
}
const pay = (code: string, body: object = {}) => production.control('POST', '/instant-payments', { code, ...body })
const locationOf = (code: string): string => (fieldsOf(code)['26'] as Record<string, string>)['25'] as string
const payloadOf = (code: string) => running().askRaw(`https://${locationOf(code)}`, {})
/** A code with another text and its right check value. */
const signed = (text: string) => text + checkValueOf(text)

describe('the code of a billet', () => {
  it('has the fields of the scheme under the newest key, and an image that another reader reads', async () => {
    const { json } = await createKey()
    const { id, code } = await withCode()
    const { host } = new URL(running().baseOf('account', 'production'))
    expect(fieldsOf(code)).toEqual({
      '00': '01',
      '01': '12',
      '52': '0000',
      '53': '986',
      '54': '100.00',
      '58': 'BR',
      '26': { '00': 'br.gov.bcb.pix', '25': expect.stringMatching(`^${host}/pix/${json.chave}/[0-9a-f]{20}$`) },
      '59': expect.stringMatching(/^[ -~]{1,25}$/),
      '60': 'SAO PAULO',
      '62': { '05': '***' },
      '63': checkValueOf(code.slice(0, -4)),
    })
    const { qrcode_image } = (await production.show(id)).payment.banking_billet.pix
    expect(textOfImage(qrcode_image)).toBe(code)
  })

  it('of a subscription is one of its own, with an image that another reader reads', async () => {
    const id = await subscriptions.createSubscription({}, { repeats: 2 })
    const { json } = await subscriptions.payByBillet(id)
    await production.advance('31d')
    const [, later] = await subscriptions.chargesOf(id)
    const codes = [json.data.pix, (await production.show(later as number)).payment.banking_billet.pix]
    for (const { qrcode, qrcode_image } of codes)
      expect([qrcode.slice(-4), textOfImage(qrcode_image)]).toEqual([checkValueOf(qrcode.slice(0, -4)), qrcode])
    expect(locationOf(codes[0].qrcode)).not.toBe(locationOf(codes[1].qrcode))
    expect((await pay(codes[1].qrcode)).json.charge_id).toBe(later)
  })

  it('of a carnet belongs to one parcel, with an image that another reader reads', async () => {
    const { id, parcels } = await carnets.createCarnet()
    const { charges } = await carnets.recordOf(id)
    for (const { pix } of charges)
      expect([pix.qrcode.slice(-4), textOfImage(pix.qrcode_image)]).toEqual([
        checkValueOf(pix.qrcode.slice(0, -4)),
        pix.qrcode,
      ])
    expect((await pay(charges[1].pix.qrcode)).json).toMatchObject({ charge_id: parcels[1], status: 'paid' })
    await removeKey((await keys())[0] as string)
    const later = (await carnets.recordOf(id)).charges
    expect(later.map(({ status, pix }: { status: string; pix?: object }) => [status, pix])).toEqual([
      ['waiting', undefined],
      ['paid', undefined],
      ['waiting', undefined],
    ])
    expect((await pay(charges[2].pix.qrcode)).status).toBe(404)
  })

  it('names no amount of 0, which its record has', async () => {
    const id = await production.createCharge({ items: [{ name: 'Gift', value: 0 }] })
    const code = (await production.payByBillet(id)).json.data.pix.qrcode
    expect(fieldsOf(code)).not.toHaveProperty('54')
    expect((await payloadOf(code)).json.valor).toEqual({ original: '0.00', final: '0.00' })
  })

  it('is made only while the switch is on, which registers a key for an account without one', async () => {
    expect(await keys()).toHaveLength(1)
    await switchOn('production')
    expect(await keys()).toHaveLength(1)
    await switchOn('production', false)
    const { json } = await production.payByBillet(await production.createCharge())
    expect(json.data).not.toHaveProperty('pix')
    await removeKey((await keys())[0] as string)
    await switchOn('production')
    expect(await keys()).toHaveLength(1)
  })

  it('is not made by an account whose keys were removed', async () => {
    await removeKey((await keys())[0] as string)
    const { status, json } = await production.payByBillet(await production.createCharge())
    expect([status, json.data.pix]).toEqual([200, undefined])
  })
})

describe('the location of a code', () => {
  it('answers the payload to anybody, with the amount of today', async () => {
    const discount = { type: 'currency', value: 1_000, until_date: '2026-03-04' }
    const { id, code } = await withCode({ message: 'Obrigado' }, { conditional_discount: discount })
    const [key] = await keys()
    const { status, headers, json } = await payloadOf(code)
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      expect.stringMatching(/^application\/json/),
      'no-store',
    ])
    expect(json).toEqual({
      txid: expect.stringMatching(/^[A-Za-z0-9]{26,35}$/),
      status: 'ATIVA',
      chave: key,
      calendario: {
        criacao: '2026-03-02T15:00:00.000Z',
        apresentacao: '2026-03-02T15:00:00.000Z',
        dataDeVencimento: '2026-03-10',
      },
      valor: { original: '100.00', final: '90.00' },
      devedor: { nome: CUSTOMER.name, cpf: CUSTOMER.cpf },
      recebedor: { nome: expect.any(String) },
      solicitacaoPagador: 'Obrigado',
    })
    await production.advance('10d')
    expect((await payloadOf(code)).json.valor).toEqual({ original: '100.00', final: '100.00' })
    expect(await production.statusOf(id)).toBe('unpaid')
  })

  it('is 410 after payment and cancellation, and 404 where nothing is', async () => {
    const [paid, cancelled] = [await withCode(), await withCode()]
    await pay(paid.code)
    await production.call('PUT', `/charge/${cancelled.id}/cancel`)
    const open = await withCode()
    const base = running().baseOf('account', 'production').replace('/account', '')
    const last = locationOf(open.code).split('/').at(-1)
    const answers = [
      await payloadOf(paid.code),
      await payloadOf(cancelled.code),
      await running().askRaw(`${base}/pix/a/b`, {}),
      await running().askRaw(`${base}/pix/${(await createKey()).json.chave}/${last}`, {}),
      await running().askRaw(
        `${running().baseOf('account').replace('/account', '')}/pix/${(await keys())[0]}/${last}`,
        {},
      ),
    ]
    expect(answers.map(({ status }) => status)).toEqual([410, 410, 404, 404, 404])
    expect(answers.every(({ json }) => typeof json.nome === 'string')).toBe(true)
  })
})

describe('paying by a code', () => {
  it('pays its charge, with the discount of the day, as pixRecebido of the account', async () => {
    const discount = { type: 'percentage', value: 1_500, until_date: '2026-03-08' }
    const { id, code } = await withCode({}, { conditional_discount: discount })
    const [key] = await keys()
    const { status, json } = await pay(` ${code}\n`)
    expect([status, json]).toEqual([
      200,
      expect.objectContaining({ charge_id: id, status: 'paid', amount: 8_500, key, txid: expect.any(String) }),
    ])
    expect((await production.show(id)).payment).toMatchObject({ paid_value: 8_500, received_by_bank_at: '2026-03-02' })
    const { movements } = (await production.control('GET', `/accounts/${json.account}/movements`)).json
    expect(movements).toMatchObject([{ kind: 'pixRecebido', amount: 8_500 }])
  })

  it('pays late, on a day of the past, and never on a day to come or before the billet', async () => {
    const { id, code } = await withCode()
    await production.advance('20d')
    const answers = [await pay(code, { paid_on: '2026-03-23' }), await pay(code, { paid_on: '2026-03-01' })]
    expect(answers.map(({ status }) => status)).toEqual([409, 409])
    expect((await pay(code, { paid_on: '2026-03-12' })).status).toBe(200)
    expect((await production.show(id)).payment).toMatchObject({ received_by_bank_at: '2026-03-12' })
  })

  it('is refused when the charge is paid or cancelled', async () => {
    const [paid, cancelled] = [await withCode(), await withCode()]
    await pay(paid.code)
    await production.call('PUT', `/charge/${cancelled.id}/cancel`)
    const answers = [await pay(paid.code), await pay(cancelled.code)]
    expect(answers.map(({ status, json }) => [status, json.error])).toEqual([
      [409, expect.stringContaining('paid already')],
      [409, expect.stringContaining('cancelled')],
    ])
  })

  it('is refused in the sandbox', async () => {
    await switchOn('sandbox')
    const id = await sandbox.createCharge()
    const code = (await sandbox.payByBillet(id)).json.data.pix.qrcode
    const answer = await sandbox.control('POST', '/instant-payments', { code })
    expect([answer.status, answer.json.error]).toEqual([409, expect.stringContaining('sandbox')])
    const elsewhere = await pay(code)
    expect([elsewhere.status, elsewhere.json.error]).toEqual([404, expect.stringContaining('environment')])
    expect(await sandbox.statusOf(id)).toBe('waiting')
  })

  it('says what is wrong with a code', async () => {
    const { id, code } = await withCode()
    const [text, location] = [code.slice(0, -4), locationOf(code)]
    const moved = (to: string) =>
      signed(text.replace(location, to.padEnd(location.length, 'x').slice(0, location.length)))
    const isStatic = '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000'
    const wrong: [string, number, string][] = [
      ['hello', 400, 'no instant-payment code'],
      [code.slice(0, -1), 400, 'no instant-payment code'],
      [code.slice(0, 40), 400, 'no instant-payment code'],
      [code.replace('100.00', '000.01'), 400, 'damaged'],
      [`${text}0000`, 400, 'damaged'],
      [signed(`${isStatic}5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***6304`), 400, 'static'],
      [signed(text.replace('br.gov.bcb.pix', 'br.gov.bcb.pax')), 400, 'br.gov.bcb.pix'],
      [moved('pix.example.com/'), 404, 'pix.example.com'],
      [moved(location.slice(0, -3)), 404, 'never was there'],
      [moved(location.replace('/pix/', '/pay/')), 404, 'never was there'],
    ]
    for (const [one, status, error] of wrong) {
      const answer = await pay(one)
      expect([answer.status, answer.json.error]).toEqual([status, expect.stringContaining(error)])
    }
    expect(await production.statusOf(id)).toBe('waiting')
  })

  it('pays the amount of now by an earlier copy, after the discount of the link has changed', async () => {
    const id = await production.createCharge()
    await production.call('POST', `/charge/${id}/link`, LINK)
    const { payment_url } = (await production.show(id)).link
    const { name, cpf, email, phone_number } = CUSTOMER
    await running().askRaw(payment_url, {
      method: 'POST',
      body: new URLSearchParams({ method: 'banking_billet', name, cpf, email, phone_number }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    const codeNow = async () => (await production.show(id)).payment.banking_billet.pix.qrcode
    const before = await codeNow()
    await production.call('PUT', `/charge/${id}/link`, { ...LINK, billet_discount: 2_500 })
    expect(fieldsOf(await codeNow())).toMatchObject({ '26': fieldsOf(before)['26'], '54': '75.00' })
    expect((await pay(before)).json.amount).toBe(7_500)
  })
})

describe('after the removal of its key', () => {
  it('a code is gone from answers, page and location, and cannot be paid; the billet can', async () => {
    const { id, code } = await withCode()
    const { link } = (await production.show(id)).payment.banking_billet
    const isOnPage = async () => (await running().askRaw(link, {})).text.includes(code)
    expect(await isOnPage()).toBe(true)
    const [key] = await keys()
    const kept = (await createKey()).json.chave
    const other = await withCode()
    await removeKey(key as string)
    const refused = await pay(code)
    expect([refused.status, refused.json.error]).toEqual([404, expect.stringContaining('key was removed')])
    expect([(await payloadOf(code)).status, await isOnPage()]).toEqual([404, false])
    expect((await production.show(id)).payment.banking_billet).not.toHaveProperty('pix')
    expect((await production.control('POST', `/charges/${id}/pay`, {})).status).toBe(200)
    expect((await pay(other.code)).json).toMatchObject({ status: 'paid', key: kept })
  })
})
