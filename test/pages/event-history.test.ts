import { expect, it } from 'vitest'
import { speaker } from '../../src/messages/speaker.ts'
import { deliveriesSection } from '../../src/pages/event/deliveries.ts'
import type { DeliveryView, EventDetail } from '../../src/pages/event/model.ts'
import { aCallback, aFact, NOON } from '../support/builders.ts'
import { startPages, textIn } from './api-pages.ts'

const CPF = '123.456.789-09'

/** A callback about a payment. */
function of(
  subject: string,
  status: string | null,
  changes: Parameters<typeof aCallback>[0] & { payer?: object } = {},
) {
  const { payer, ...rest } = changes
  const text = JSON.stringify({ identificador: subject, status, valor: '150.10', ...(payer && { pagador: payer }) })
  return aCallback({ text, facts: [aFact({ subject, status })], ...rest })
}

async function idsOf(store: Awaited<ReturnType<typeof startPages>>['api']['store']): Promise<string[]> {
  return (await store.listEvents({}, 1000)).events.map(({ id }) => id)
}

it('the history has the events of the same payment in time order, with known statuses in words', async () => {
  const pages = await startPages()
  const { store } = pages.api
  const statuses = ['CRIADO', 'EM_PROCESSAMENTO', 'EXECUTADO', 'ESTORNADO', 'LIQUIDADO']
  for (const [index, status] of statuses.entries())
    await store.storeCallback(of('4711', status, { receivedAt: NOON + index * 1000 }))
  await store.storeCallback(of('4712', 'LIQUIDADO'))
  await store.storeCallback(of('4711', 'CANCELADO', { environment: 'sandbox' }))
  const ids = await idsOf(store)
  const { body } = await pages.browser.get(`/ui/events/${ids[2]}`)
  const history = body.slice(body.indexOf('id="history"'), body.indexOf('</ol>', body.indexOf('id="history"')))
  const order = statuses.map((status) => history.replaceAll('<wbr>', '').indexOf(status))
  expect(order).not.toContain(-1)
  expect(order).toEqual([...order].sort((one, two) => one - two))
  for (const word of ['created', 'in process', 'executed', 'settled']) expect(history).toContain(`>${word} <small>`)
  for (const [index, id] of ids.slice(0, 5).entries())
    expect(history.includes(`href="/ui/events/${id}"`)).toBe(index !== 2)
  expect(history).toMatch(/<li aria-current="true"><p><strong>executed <small>EXECUTADO/)
  for (const other of [ids[5], ids[6], 'CANCELADO']) expect(history).not.toContain(other)
})

it('the head has amount, payer, time and deliveries; an event that is alone says so', async () => {
  const pages = await startPages()
  await pages.api.store.storeCallback(of('4711', 'paid', { payer: { nome: 'Maria <b>' } }))
  const [id] = await idsOf(pages.api.store)
  const { body } = await pages.browser.get(`/ui/events/${id}`)
  const text = textIn(body)
  expect(body).toMatch(/data-copy="Copy: reference"[^>]*>4711</)
  expect(text).toMatch(
    /^Back to the search payment 4711 paid production Amount R\$\s*150\.10 Reference 4711 Payer Maria <b> Received/,
  )
  expect(text).toContain('Delivered no destination asked for it')
  expect(text).toContain('No other event about it is stored.')
})

it('a long history has its latest 100 events, and leads to the search for all', async () => {
  const pages = await startPages()
  const { store } = pages.api
  for (let at = 0; at < 102; at++) await store.storeCallback(of('4711', `s${at}`, { receivedAt: NOON + at }))
  const ids = await idsOf(store)
  const { body } = await pages.browser.get(`/ui/events/${ids[101]}`)
  expect(body.match(/href="\/ui\/events\/evt_[^"/]+"/g)).toHaveLength(99)
  expect(body).not.toContain(ids[1])
  expect(body).toContain('Only the latest 100 events are listed.')
  expect(body).toContain('href="/ui/?search=4711&amp;kind=payment&amp;environment=production"')
})

it('a masked person learns nothing of an event whose subject is hidden, nor a masked value from the head or the curl command', async () => {
  const pages = await startPages()
  const { store } = pages.api
  const target = `/callbacks/payment?cpf=${CPF}`
  const headers = JSON.stringify([
    ['host', 'gateway.example'],
    ['x-note', CPF],
    ['content-type', 'application/json'],
  ])
  await store.storeCallback(of('4711', 'EXECUTADO', { payer: { nome: 'Maria', cpf: CPF }, target, headers }))
  // Its subject repeats a masked value.
  await store.storeCallback(of('4711', 'LIQUIDADO', { payer: { nome: '4711' } }))
  const ids = await idsOf(store)
  const support = await pages.openAs(['support.read'])
  const { body } = await support.get(`/ui/events/${ids[0]}`)
  expect(body).not.toContain(ids[1])
  expect(body).not.toContain('Maria')
  expect(body).not.toContain(CPF)
  expect(textIn(body)).toContain('Payer ***')
  expect(textIn(body)).toContain(
    `curl --globoff --path-as-is 'https://gateway.example/callbacks/payment?***' \\ -H 'x-note: ***'`,
  )
  expect(textIn(body)).toContain('You may not send events again: the scope events.replay or support.replay is missing.')
  const hidden = await support.get(`/ui/events/${ids[1]}`)
  expect(hidden.body).not.toContain('id="history"')
  expect(hidden.body).not.toContain(ids[0])
  // With events.read both are seen.
  const whole = await pages.browser.get(`/ui/events/${ids[0]}`)
  expect(whole.body).toContain(ids[1])
  expect(whole.body).toContain(`-H &#39;x-note: ${CPF}&#39;`)
})

it('a client of one environment sees only its history', async () => {
  const pages = await startPages()
  const { store } = pages.api
  await store.storeCallback(of('4711', 'EXECUTADO', { environment: 'sandbox' }))
  await store.storeCallback(of('4711', 'LIQUIDADO'))
  const ids = await idsOf(store)
  const { client, secret } = await pages.api.clients.create({
    name: 'one',
    environment: 'sandbox',
    scopes: ['events.read'],
  })
  const person = await pages.open({ id: client.id, secret })
  const { status, body } = await person.get(`/ui/events/${ids[0]}`)
  expect([status, body.includes(ids[1] as string)]).toEqual([200, false])
  expect((await person.get(`/ui/events/${ids[1]}`)).status).toBe(404)
})

it('the curl command has the whole callback; a long one comes from its file', async () => {
  const pages = await startPages()
  const { store } = pages.api
  await store.storeCallback(aCallback({ text: `{"identificador":"1","x":"it's"}`, facts: [aFact({ subject: '1' })] }))
  await store.storeCallback(of('2', null, { payer: { nome: 'x'.repeat(20_000) } }))
  const [short, long] = await idsOf(store)
  const { body } = await pages.browser.get(`/ui/events/${short}`)
  expect(textIn(body)).toContain(`--data-raw '{"identificador":"1","x":"it'\\''s"}'`)
  const cut = (await pages.browser.get(`/ui/events/${long}`)).body
  const name = /download="(clb_\w+\.body)"/.exec(cut)?.[1] as string
  expect(textIn(cut)).toContain(`--data-binary '@${name}'`)
  expect(textIn(cut)).toContain(`The body is not in the command: download the callback first, as ${name}.`)
})

const DELIVERY: DeliveryView = {
  ...{ id: 'dlv_1', event: 'evt_1_0000000000', kind: 'payment', institution: null, environment: 'production' },
  ...{ subject: '1', destination: 'dst_1', destinationName: 'books', state: 'pending', attempts: 3 },
  ...{ nextAttemptAt: '2026-01-15T12:00:00Z', waitsFor: 'circuit', nextProbeAt: '2026-01-15T16:36:00Z' },
  ...{ createdAt: '2026-01-15T11:00:00Z', endedAt: null, reason: null },
  ...{ lastStatus: null, lastError: null, lastAnswer: null, latestAttempts: [] },
}

it.each([
  [speaker('en'), 'waits: books accepts nothing at the moment, next try'],
  [speaker('pt'), 'aguarda: books não aceita nada no momento, próxima tentativa'],
])('deliveries are folded but for those that are not delivered, which say what they wait for', (t, text) => {
  const delivered: DeliveryView = { ...DELIVERY, id: 'dlv_2', state: 'delivered', waitsFor: null, nextAttemptAt: null }
  const event = { id: 'evt_1_0000000000' } as EventDetail
  const rest = { isEveryDelivery: true, consumers: null, isEveryConsumer: true }
  const shown = String(deliveriesSection({ event, deliveries: [delivered, DELIVERY], ...rest }, t))
  expect(shown.match(/<details class="card"[^>]*>/g)).toEqual(['<details class="card" open>', '<details class="card">'])
  expect(shown).toContain(`<p><strong>${text} <time datetime="2026-01-15T16:36:00Z"`)
})
