import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PAGES } from '../../src/playground/sections.ts'
import { validRequests } from '../any-request/valid-requests.ts'
import { type Receiver, receiverCaFile, startReceiver } from '../receiver.ts'
import { type RunningSimulator, runSimulator } from '../running.ts'
import { askPlayground, shown } from './playground-client.ts'

let running: RunningSimulator
let receiver: Receiver
beforeAll(async () => {
  running = await runSimulator({}, { receiverCaFile: receiverCaFile() })
  receiver = await startReceiver({ chain: running.simulator.folder.environments.sandbox.chain })
  await running.control('PUT', '/clock', { now: '2026-03-02T15:00:00Z', frozen: true })
  const [payment, registration] = ['payments', 'registration'].map((path) => receiver.urlOf(path))
  await running.control('PUT', '/gateway', { payment, registration })
  await validRequests(running)
})
afterAll(async () => {
  await running.stop()
  await receiver.stop()
})

const page = async (path: string) => {
  const { status, text } = await askPlayground(running, 'GET', path)
  expect(`${path} ${status}`).toBe(`${path} 200`)
  return text
}
/** Sends a button as the page's script does. */
async function press(text: string, control: string, body: unknown = undefined) {
  const [, method = '', path = '', fixed] =
    new RegExp(
      `data-control="${control}" data-method="(\\w+)" data-post="([^"]+)" data-then="reload"(?: data-fixed="([^"]*)")?`,
    ).exec(text) ?? []
  const sent = fixed === undefined ? body : JSON.parse(shown(fixed))
  return running.askRaw(`http://localhost:${running.simulator.controlPort}${path}`, {
    method,
    ...(sent !== undefined && { body: sent }),
  })
}

describe('every page of records', () => {
  it.each(PAGES.map((name) => (name === 'start' ? '/' : `/${name}`)))('%s shows what is there', async (path) => {
    expect(await page(path)).toContain('<h1>')
  })

  it('leads from an account, a charge, a subscription, a carnet and a bill to the page of each', async () => {
    for (const section of ['accounts', 'charges', 'subscriptions', 'carnets', 'bills']) {
      const list = await page(`/${section}`)
      const [, address] = new RegExp(`href="/playground(/${section}/[^"]+)"`).exec(list) ?? []
      expect(shown(await page(address as string))).toContain('What comes next')
    }
  })

  it('says so of a record that is not there', async () => {
    for (const path of ['/charges/1', '/accounts/1', '/callbacks/999', '/bills/1', '/first-payment/1'])
      expect((await askPlayground(running, 'GET', path)).status).toBe(404)
  })
})

it('a billet of production is paid by the button of the customer', async () => {
  const ask = (path: string, body: object) => running.ask('charges', { method: 'POST', path, body }, 'production')
  const items = [{ name: 'Book', value: 15_010, amount: 1 }]
  const { charge_id: id } = (await ask('/v1/charge', { items })).json.data
  const customer = { name: 'Ana Souza', cpf: '52998224725', email: 'ana@example.com', phone_number: '11987654321' }
  await ask(`/v1/charge/${id}/pay`, { payment: { banking_billet: { customer, expire_at: '2026-03-10' } } })
  const before = await page(`/charges/${id}?as=production+100001`)
  expect(before).toContain('The customer pays at the bank')
  expect((await press(before, 'payBillet')).json.status).toBe('paid')
  expect(shown(await page(`/charges/${id}?as=production+100001`))).toContain('statuspaid')
})

it('a list shows the newest 200 of many records', async () => {
  await running.control('POST', '/charges?environment=production', { count: 230 })
  const text = await page('/charges?as=production+100001')
  expect([...text.matchAll(/<th scope="row">/g)]).toHaveLength(200)
  expect(shown(text)).toMatch(/\d+ more are not shown/)
})

it('the clock is moved a month by a button', async () => {
  expect((await press(await page('/subscriptions'), 'advanceClock')).json.now).toBe('2026-04-02T15:00:00.000Z')
  await running.control('PUT', '/clock', { now: '2026-03-02T15:00:00Z', frozen: true })
})

it('an opening is accepted by the button of the end client, and links to the page of the end client', async () => {
  const call = (operation: string, body: object) =>
    askPlayground(running, 'POST', '/call', { body: { as: 'sandbox 200001', on: 'registration', operation, body } })
  await call('createRegistrationWebhook', { webhookUrl: receiver.urlOf('registration') })
  const before = await askPlayground(running, 'GET', '/openings')
  expect(before.text).not.toContain('data-control="acceptOpening"')
  const clienteFinal = {
    cpf: '52998224725',
    nomeCompleto: 'Maria da Silva',
    dataNascimento: '31/01/1990',
    celular: '31987654321',
    email: 'maria@example.com',
    endereco: {
      cep: '35400000',
      estado: 'MG',
      cidade: 'Ouro Preto',
      bairro: 'Centro',
      logradouro: 'Rua das Flores',
      numero: '12',
    },
  }
  const opening = { clienteFinal, meioDeNotificacao: ['sms'], escoposIntegrados: ['cob.read'] }
  expect((await call('createSimplifiedAccount', opening)).json.status).toBe(200)
  const list = await page('/openings')
  const [, link = ''] = /<a href="(https:\/\/localhost:\d+\/openings\/[\w-]+)"/.exec(list) ?? []
  expect((await running.askRaw(link, {})).status).toBe(200)
  expect((await press(list, 'acceptOpening')).json.state).toBe('processing')
})

it('a callback shows each try with its answer', async () => {
  const url = receiver.urlOf('payments')
  await running.ask('payment', { method: 'PUT', path: '/v1/webhook', body: { url } })
  const arrived = receiver.received.length + 1
  await running.control('POST', '/callbacks', { interface: 'payment', text: '{"a":"<b>"}' })
  await receiver.arrived(arrived)
  const list = await page('/callbacks?interface=payment')
  const [, address = ''] = /href="\/playground(\/callbacks\/\d+)"/.exec(list) ?? []
  const text = await page(address)
  expect(shown(text)).toContain('Try 1: HTTP 200')
  expect(shown(text)).toContain('{"a":"<b>"}')
  expect(text).not.toContain('<b>"')
})

it('a list of callbacks has the status that each says', async () => {
  await running.control('POST', '/callbacks', {
    interface: 'payment',
    text: '{"identificador":"p-1","status":{"anterior":"EXECUTADO","atual":"NAO_REALIZADO"}}',
  })
  expect(await page('/callbacks?interface=payment')).toContain('<td data-title="status">NAO_REALIZADO</td>')
})

it('names of members have words beside them, in the language of the page', async () => {
  expect(await page('/bills')).toContain('<th scope="col">codBarras · barcode</th>')
  const { text } = await askPlayground(running, 'GET', '/bills', { headers: { 'accept-language': 'pt-BR' } })
  expect(text).toContain('<th scope="col">codBarras · código de barras</th>')
})

it('a fault is ordered and removed by buttons', async () => {
  const before = await page('/faults')
  expect((await press(before, 'orderFault')).status).toBe(201)
  const ordered = await page('/faults')
  expect(shown(ordered)).toContain('duplicate')
  expect((await press(ordered, 'deleteFault')).status).toBe(204)
  expect(shown(await page('/faults'))).toContain('Nothing yet.')
})

it('every operation of the control API that the pages offer has a button that the control API knows', async () => {
  const { json } = await running.control('GET', '/openapi.json')
  const known = Object.values(json.paths as Record<string, Record<string, { operationId: string }>>).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  )
  const texts = await Promise.all(PAGES.map((name) => page(name === 'start' ? '/' : `/${name}`)))
  const offered = texts.flatMap((text) => [...text.matchAll(/data-control="(\w+)"/g)].map(([, id]) => id))
  expect(offered.length).toBeGreaterThan(15)
  expect(offered.filter((id) => !known.includes(id as string))).toEqual([])
})
