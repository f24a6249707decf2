import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Answer, simulatorForFile } from '../running.ts'
import { ADDRESS, CUSTOMER, chargeClient, LINK } from './charge-client.ts'

const running = simulatorForFile()
beforeEach(() => sandbox.setTime('2026-03-02T15:00:00Z'))

const sandbox = chargeClient(running, 'sandbox')
const production = chargeClient(running, 'production')
const open = (url: string) => running().askRaw(url, {})

function submit(url: string, fields: Record<string, string>): Promise<Answer> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return running().askRaw(url, { method: 'POST', body: new URLSearchParams(fields).toString(), headers })
}

async function createLink(changes: object = {}, client = production): Promise<{ id: number; url: string }> {
  const id = await client.createCharge()
  const { json } = await client.call('POST', `/charge/${id}/link`, { ...LINK, ...changes })
  return { id, url: json.data.payment_url }
}
const BILLET = { ...CUSTOMER, method: 'banking_billet' }
const card = async (client = production, made: object = {}) => ({
  ...CUSTOMER,
  method: 'credit_card',
  payment_token: await client.createCard(made),
})

describe('the payment page', () => {
  it('shows what is to be paid, without scripts, to anybody who has the link', async () => {
    const items = [{ name: 'Salt & "pepper"', value: 10_000 }]
    const id = await sandbox.createCharge({ items })
    const { json } = await sandbox.call('POST', `/charge/${id}/link`, { ...LINK, message: "<b>'hello'</b>" })
    const { status, text, headers } = await open(json.data.payment_url)
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain('Salt &#38; &#34;pepper&#34;: R$ 100.00')
    expect(text).toContain('&#60;b&#62;&#39;hello&#39;')
    expect(text).not.toContain('<script')
  })

  it('offers the methods of the link, each with its discount', async () => {
    const discounts = { billet_discount: 5000, card_discount: 1 }
    const offers = async (payment_method: string) => {
      const { text } = await open((await createLink({ ...discounts, payment_method })).url)
      return [text.includes('Make a billet of R$ 50.00'), text.includes('Pay R$ 99.99 by card')]
    }
    expect([await offers('all'), await offers('banking_billet'), await offers('credit_card')]).toEqual([
      [true, true],
      [true, false],
      [false, true],
    ])
  })

  it('makes the billet, due on the last day of the link: billet_discount changes what is paid', async () => {
    const { id, url } = await createLink({ billet_discount: 5000, card_discount: 1, message: 'Thank you' })
    const answer = await submit(url, BILLET)
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('The payment is awaited.')])
    expect(await production.show(id)).toMatchObject({
      status: 'waiting',
      total: 10_000,
      customer: CUSTOMER,
      payment: { method: 'banking_billet', message: 'Thank you', banking_billet: { expire_at: LINK.expire_at } },
    })
    await production.control('POST', `/charges/${id}/pay`)
    expect((await production.show(id)).payment.paid_value).toBe(5000)
  })

  it('takes a card token: card_discount changes what is paid, together with the conditional discount', async () => {
    const conditional_discount = { type: 'percentage', value: 1000, until_date: '2026-03-02' }
    const { id, url } = await createLink({ billet_discount: 1, card_discount: 2000, conditional_discount }, sandbox)
    expect((await submit(url, await card(sandbox))).status).toBe(200)
    await sandbox.advance('5s')
    expect(await sandbox.show(id)).toMatchObject({ status: 'paid', payment: { paid_value: 7000 } })
  })

  it('of a link without its conditional discount, removed by null, asks for the full amount', async () => {
    const conditional_discount = { type: 'currency', value: 500, until_date: '2026-03-09' }
    const { id, url } = await createLink({ conditional_discount })
    expect((await open(url)).text).toContain('R$ 95.00')
    await production.call('PUT', `/charge/${id}/link`, { ...LINK, conditional_discount: null })
    expect((await open(url)).text).toContain('R$ 100.00 by card')
  })

  it('asks for a delivery address where the link says so, and keeps it', async () => {
    const { id, url } = await createLink({ request_delivery_address: true })
    expect((await open(url)).text).toContain('Delivery address')
    const without = await submit(url, BILLET)
    expect([without.status, without.text]).toEqual([
      400,
      expect.stringContaining('Check these fields: street, number, neighborhood, city, state, zipcode'),
    ])
    expect((await submit(url, { ...BILLET, ...ADDRESS })).status).toBe(200)
    expect((await production.show(id)).delivery_address).toEqual({ ...ADDRESS, complement: null })
    expect((await open((await createLink()).url)).text).not.toContain('Delivery address')
  })

  it('names the fields that are wrong, keeps what was typed, and changes nothing', async () => {
    const { id, url } = await createLink()
    const wrong = {
      ...CUSTOMER,
      name: '"><Ana',
      cpf: '52998224726',
      method: 'credit_card',
      payment_token: 'a'.repeat(40),
    }
    const { status, text } = await submit(url, wrong)
    expect([status, text]).toEqual([400, expect.stringContaining('Check these fields: name, cpf, payment_token')])
    expect(text).toContain('value="&#34;&#62;&#60;Ana"')
    expect(await production.statusOf(id)).toBe('link')
  })

  it('refuses a method that the link does not have', async () => {
    const { id, url } = await createLink({ payment_method: 'credit_card' })
    expect([(await submit(url, BILLET)).status, await production.statusOf(id)]).toEqual([400, 'link'])
  })

  it('is closed after payment, cancellation and expiry', async () => {
    const [paid, canceled, expired] = [await createLink(), await createLink(), await createLink()]
    await submit(paid.url, await card())
    await production.call('PUT', `/charge/${canceled.id}/cancel`)
    await production.control('POST', `/charges/${expired.id}/expire`)
    const answers = await Promise.all([paid, canceled, expired].map(({ url }) => submit(url, BILLET)))
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409])
    expect((await open(expired.url)).text).toContain('The link has expired.')
    expect((await open(canceled.url)).text).toContain('The charge was cancelled.')
  })

  it('does not exist under another name, nor in the other environment', async () => {
    const { url } = await createLink()
    const other = url.replace(String(running().simulator.ports.production), String(running().simulator.ports.sandbox))
    const answers = [await open(`${url}0`), await open(other), await submit(other, BILLET)]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
  })
})

describe('a link behind which a billet was made', () => {
  it('can be changed until the payment, and moves the due date of the billet with its own', async () => {
    const { id, url } = await createLink()
    await submit(url, BILLET)
    const before = (await production.show(id)).payment.banking_billet
    const update = () => production.call('PUT', `/charge/${id}/link`, { ...LINK, expire_at: '2026-03-12' })
    expect((await update()).json.data).toMatchObject({ status: 'waiting', expire_at: '2026-03-12' })
    const { expire_at, barcode } = (await production.show(id)).payment.banking_billet
    expect([expire_at, barcode.slice(33, 37)]).toEqual(['2026-03-12', String(Number(before.barcode.slice(33, 37)) + 2)])
    await production.setTime('2026-03-13T02:59:59Z')
    expect(await production.statusOf(id)).toBe('waiting')
    await production.advance('1s')
    expect(await production.statusOf(id)).toBe('unpaid')
    await production.control('POST', `/charges/${id}/pay`)
    expect((await update()).status).toBe(412)
  })
})

describe('a link whose billet was made', () => {
  it('gives the billet a new discount and message before the payment', async () => {
    const { id, url } = await createLink({ billet_discount: 1000 })
    await submit(url, BILLET)
    await production.call('PUT', `/charge/${id}/link`, { ...LINK, billet_discount: 2500, message: 'Cheaper now' })
    const { payment } = await production.show(id)
    expect([payment.message, payment.banking_billet.barcode.slice(37)]).toEqual(['Cheaper now', '0000007500'])
    await production.control('POST', `/charges/${id}/pay`)
    expect((await production.show(id)).payment.paid_value).toBe(7500)
    expect((await production.control('GET', '/outbox')).json.messages.at(-1).text).toContain('Cheaper now')
  })
})

describe('the page of a billet', () => {
  async function createBillet(client = production) {
    const id = await client.createCharge({ items: [{ name: '(Ação) \\ 中', value: 10_000 }] })
    const { json } = await client.payByBillet(id, { message: 'one\ntwo' })
    return { id, data: json.data }
  }

  it('shows line, amount and due date; in the sandbox with zeros and a watermark', async () => {
    const [real, test] = [await createBillet(), await createBillet(sandbox)]
    const [good, marked] = [await open(real.data.link), await open(test.data.link)]
    for (const part of [real.data.barcode, 'R$ 100.00', '2026-03-10', CUSTOMER.name, 'one', 'two'])
      expect(good.text).toContain(part)
    expect(good.text).not.toContain('NOT VALID')
    expect(marked.text).toContain('NOT VALID')
    expect(marked.text).toContain('0'.repeat(47))
  })

  it('says who pays whom for what, until when, and what it costs late or early', async () => {
    const items = [{ name: 'Café', value: 5_000, amount: 2 }]
    const id = await production.createCharge({ items, shippings: [{ name: 'Sedex', value: 1_250 }] })
    const message = Array.from({ length: 4 }, (_, line) => `${line}ção `.padEnd(100, 'é'))
    const { json } = await production.payByBillet(
      id,
      {
        message: message.join('\n'),
        configurations: { fine: 250, interest: 33 },
        customer: { ...CUSTOMER, address: ADDRESS },
      },
      { conditional_discount: { type: 'percentage', value: 1500, until_date: '2026-03-04' } },
    )
    const account = running().simulator.sites.production.applications.accounts()[0]
    const { text } = await open(json.data.link)
    expect(text.match(/(?<=^<p>)[^<].*(?=<\/p>$)/gm)).toEqual([
      `Beneficiary: ${account?.name} (${account?.document})`,
      'Payer: Ana Souza (52998224725)',
      'Address: Rua das Flores, 10, Centro, Ouro Preto, MG, 35400000',
      '2 x Café: R$ 50.00',
      'Shipping Sedex: R$ 12.50',
      'Amount: R$ 112.50',
      'Due date: 2026-03-10',
      'Fine when paid late: 2.50%',
      'Interest for each day late: 0.033%',
      'Discount when paid until 2026-03-04: R$ 16.87',
      ...message,
      `Typeable line: ${json.data.barcode}`,
      'Status: waiting',
    ])
    const { text: pdf } = await open(json.data.pdf.charge)
    for (const line of ['Amount: R$ 112.50', 'Fine when paid late: 2.50%', `Typeable line: ${json.data.barcode}`])
      expect(pdf).toContain(`(${line}) Tj`)
  })

  it('has bars in the PDF of production only, and the QR code of its instant-payment code on page and PDF', async () => {
    const rectanglesOf = async (url: string) => (await open(url)).text.match(/^[\d. ]+ re$/gm)?.length ?? 0
    const plain = await createBillet()
    expect(await rectanglesOf(plain.data.pdf.charge)).toBe(2 + 22 * 5 + 2)
    expect(await rectanglesOf((await createBillet(sandbox)).data.pdf.charge)).toBe(0)
    const number = running().simulator.sites.production.applications.accounts()[0]?.number
    await production.control('PUT', `/accounts/${number}/instant-payment`, { on: true })
    const { data } = await createBillet()
    await production.control('PUT', `/accounts/${number}/instant-payment`, { on: false })
    const { text } = await open(data.link)
    expect(text).toContain(`Instant-payment code: ${data.pix.qrcode}`)
    expect(text).toContain(Buffer.from(data.pix.qrcode_image.split(',')[1], 'base64').toString())
    expect(await rectanglesOf(data.pdf.charge)).toBeGreaterThan(500)
  })

  it('breaks long words, by a style that its policy allows', async () => {
    const { headers, text } = await open((await createBillet()).data.link)
    const [, style = ''] = /<style>(.*)<\/style>/.exec(text) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    expect([style, headers['content-security-policy']]).toEqual([
      'body{overflow-wrap:anywhere}',
      expect.stringContaining(`style-src 'sha256-${hash}'`),
    ])
  })

  it('is found by its whole address only', async () => {
    const { data } = await createBillet()
    const guessed = data.link.replace(/[0-9a-f]{24}(?=[0-9a-f]{8}$)/, '0'.repeat(24))
    const addresses = [guessed, `${guessed}.pdf`, data.link.slice(0, -1), `${data.link}0`, guessed.slice(0, -8)]
    const answers = await Promise.all(addresses.map(open))
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(404))
  })

  it('prints it: the bank agency then takes it after the cancellation', async () => {
    const { id, data } = await createBillet()
    expect((await submit(data.link, {})).text).toContain('Printed.')
    await production.call('PUT', `/charge/${id}/cancel`)
    expect((await production.control('POST', `/charges/${id}/pay`, { place: 'bank_agency' })).json.status).toBe('paid')
  })

  it('prints nothing of a cancelled charge', async () => {
    const { id, data } = await createBillet()
    await production.call('PUT', `/charge/${id}/cancel`)
    expect((await submit(data.link, {})).status).toBe(409)
  })

  it('has a PDF, with the watermark in the sandbox', async () => {
    const [real, test] = [await createBillet(), await createBillet(sandbox)]
    const [good, marked] = [await open(real.data.pdf.charge), await open(test.data.pdf.charge)]
    expect([good.status, good.headers['content-type'], good.text.slice(0, 5)]).toEqual([
      200,
      'application/pdf',
      '%PDF-',
    ])
    expect([good.text, marked.text].map((text) => text.includes('NOT VALID'))).toEqual([false, true])
    expect((await open(real.data.link.replace(/\/[0-9a-f]+$/, '/0.pdf'))).status).toBe(404)
  })

  it('is read without changing a record', async () => {
    const { data } = await createBillet()
    const { url } = await createLink()
    const { records } = running().simulator.sites.production
    const before = records.dump()
    for (const address of [data.link, data.pdf.charge, url]) await open(address)
    expect(records.dump()).toEqual(before)
  })
})
