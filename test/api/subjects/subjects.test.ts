import { expect, it } from 'vitest'
import type { SubjectView } from '../../../src/api/subjects/view.ts'
import type { Scope } from '../../../src/domain/scopes.ts'
import { aCallback, aDestination, aFact, NOON } from '../../support/builders.ts'
import { indexAll } from '../../support/search.ts'
import { asClient, ask, startApi } from '../api.ts'

const CPF = '12345678909'
const DOTTED = '123.456.789-09'
const PERSONAL = [CPF, DOTTED, 'Maria', 'maria@', '456.789']

type Page = { data: SubjectView[]; next: string; more: boolean; hint?: string }

const payment = (id: string, status: string, more: object = {}) => ({
  text: JSON.stringify({ identificador: id, valor: 150.1, status: { atual: status }, ...more }),
  facts: [aFact({ subject: id, status })],
})
const MARIA = { pagador: { nome: 'Maria Souza', cpf: DOTTED }, nota: 'para Maria Souza' }

/** Two payments of Maria, one of which changed twice, one of João, and an account that she opens. */
async function withPayments() {
  const api = await startApi()
  const { id: destinationId } = await api.store.createDestination(
    aDestination({ name: 'erp', kinds: ['payment'] }),
    NOON,
  )
  await api.store.storeCallback(aCallback(payment('11', 'CRIADO', MARIA)))
  await api.store.storeCallback(aCallback(payment('12', 'CRIADO', { pagador: { nome: 'João', cpf: '98765432100' } })))
  await api.store.storeCallback(aCallback({ ...payment('11', 'LIQUIDADO'), receivedAt: NOON + 1000 }))
  await api.store.storeCallback(aCallback(payment('13', 'CRIADO', MARIA)))
  const opening = JSON.stringify({ identificador: '14', clienteFinal: { nome: 'Maria Souza', cpf: CPF } })
  const facts = [aFact({ kind: 'registration', subject: '14', status: 'conta_aberta' })]
  await api.store.storeCallback(aCallback({ kind: 'registration', text: opening, facts }))
  await indexAll(api.store)
  const times = { now: NOON, leaseUntil: NOON + 45_000, freshSince: 0 }
  const { deliveries } = await api.store.claimDeliveries({ destinationId, limit: 1, backlogLimit: 1, ...times })
  await api.store.recordAttempts(
    deliveries.map(({ deliveryId, attempt }) => ({
      ...{ deliveryId, attempt, startedAt: NOON, durationMs: 1, status: 500, answer: Buffer.from('no Maria') },
      error: `answered HTTP 500 for Maria Souza`,
      result: { state: 'pending', at: NOON + 5000, retriesUsed: 1 },
    })),
  )
  const reader = async (scopes: readonly Scope[]) => {
    const { authorization } = await asClient(api, scopes)
    return async (query = '') => {
      const { status, body } = await ask(api, `/v1/subjects?${query}`, { authorization })
      return { status, text: body, page: JSON.parse(body) as Page }
    }
  }
  return { api, reader }
}

const idsOf = ({ page }: { page: Page }) => page.data.map(({ subject }) => subject)

it('lists each payment once with its last status, its payer and amount, its events and where it is', async () => {
  const { reader } = await withPayments()
  const read = await reader(['events.read', 'operations.read'])
  const all = await read()
  expect(idsOf(all)).toEqual(['14', '13', '11', '12'])
  const { deliveries, ...line } = all.page.data[2] as SubjectView
  expect(line).toEqual({
    kind: 'payment',
    institution: null,
    environment: 'production',
    subject: '11',
    status: 'LIQUIDADO',
    changedAt: '2026-01-15T12:00:01.000Z',
    amount: '150.10',
    payer: 'Maria Souza',
    payerDocument: CPF,
    event: line.events[0]?.id,
    events: [
      { id: expect.any(String), status: 'LIQUIDADO', receivedAt: expect.any(String), source: 'callback', mark: null },
      { id: expect.any(String), status: 'CRIADO', receivedAt: expect.any(String), source: 'callback', mark: null },
    ],
    hasOlder: false,
  })
  expect(deliveries.map(({ destinationName, state, lastStatus }) => [destinationName, state, lastStatus])).toEqual([
    ['erp', 'pending', null],
    ['erp', 'pending', 500],
  ])
  expect(all.page.data[0]).toMatchObject({ kind: 'registration', payer: null, payerDocument: CPF, deliveries: [] })
})

it('finds a payment by a value of an earlier event, and by the status that it has now', async () => {
  const { reader } = await withPayments()
  const read = await reader(['events.read'])
  expect((await read('search=maria&kind=payment')).page.data).toMatchObject([
    { subject: '13', status: 'CRIADO' },
    { subject: '11', status: 'LIQUIDADO' },
  ])
  expect(idsOf(await read('status=CRIADO'))).toEqual(['13', '12'])
  expect(idsOf(await read('search=nobody'))).toEqual([])
  const first = await read('limit=3')
  expect([idsOf(first), first.page.more]).toEqual([['14', '13', '11'], true])
  const second = await read(`limit=3&after=${first.page.next}`)
  expect([idsOf(second), second.page.more]).toEqual([['12'], false])
})

it('lists all that is stored about a CPF, over kinds, and nothing with a longer number that begins so', async () => {
  const { api, reader } = await withPayments()
  await api.store.storeCallback(aCallback(payment('15', 'CRIADO', { nota: `${CPF}77` })))
  await indexAll(api.store)
  const read = await reader(['events.read'])
  for (const person of [CPF, DOTTED]) expect(idsOf(await read(`person=${person}`))).toEqual(['14', '13', '11'])
  for (const person of ['1234567890', 'maria', `${CPF}&search=maria`])
    expect((await read(`person=${person}`)).status).toBe(400)
})

it('a CPF that looks like a telephone number finds nothing of who has that number', async () => {
  const { api, reader } = await withPayments()
  const [cpf, telephones] = ['11987654321', ['+55 (11) 98765-4321', '987654321', '+55 (21) 98765-4321']]
  await api.store.storeCallback(aCallback(payment('21', 'CRIADO', { pagador: { nome: 'Ana', cpf } })))
  for (const [at, celular] of telephones.entries())
    await api.store.storeCallback(aCallback(payment(`3${at}`, 'CRIADO', { pagador: { nome: 'Rui', celular } })))
  await indexAll(api.store)
  for (const scope of ['events.read', 'support.read'] as const)
    expect(idsOf(await (await reader([scope]))(`person=${cpf}`))).toEqual(['21'])
})

it('shows nothing personal to a reader of masked events, who finds by whole values as in the list of events', async () => {
  const { reader } = await withPayments()
  const read = await reader(['support.read'])
  for (const query of ['', 'search=maria', `person=${CPF}`, 'search=150,10', 'destination=erp', 'search=11']) {
    const { status, text, page } = await read(query)
    expect(status).toBe(200)
    for (const personal of PERSONAL) expect(text).not.toContain(personal)
    expect(page.data.length).toBeGreaterThan(0)
    expect(page.data.every(({ masked, payer, payerDocument }) => masked && !payer && !payerDocument)).toBe(true)
  }
  expect(idsOf(await read('search=11'))).toEqual(['11'])
  expect(idsOf(await read('search=mari'))).toEqual([])
  const [line] = (await read('search=maria&kind=payment&environment=production&subject=11')).page.data
  expect(line?.deliveries.map(({ lastError, lastAnswer }) => [lastError, lastAnswer])).toEqual([
    [null, null],
    ['***', null],
  ])
})

it('a hidden subject joins no events, since the others would tell its value', async () => {
  const api = await startApi()
  for (const status of ['CRIADO', 'LIQUIDADO']) {
    const text = JSON.stringify({ cpf: DOTTED, status })
    await api.store.storeCallback(aCallback({ text, facts: [aFact({ subject: DOTTED, status })] }))
  }
  const count = async (scopes: readonly Scope[]) => {
    const { authorization } = await asClient(api, scopes)
    const { data } = JSON.parse((await ask(api, '/v1/subjects', { authorization })).body) as Page
    return data.map(({ subject, events }) => [subject, events.length])
  }
  expect(await count(['events.read'])).toEqual([[DOTTED, 2]])
  expect(await count(['support.read'])).toEqual([
    ['***', 1],
    ['***', 1],
  ])
})

it('a client sees deliveries to its own destinations only', async () => {
  const { reader } = await withPayments()
  const deliveriesOf = async (scopes: readonly Scope[]) =>
    (await (await reader(scopes))()).page.data.flatMap(({ deliveries }) => deliveries).length
  expect(await deliveriesOf(['events.read'])).toBe(0)
  expect(await deliveriesOf(['support.read'])).toBe(4)
})

const TXID = '7978c0c97ea847e78e8849634473c1f1'

/** Events of one payment, the last of which repeat its id where it is masked. */
async function withHiddenNewest(hidden: number) {
  const api = await startApi()
  const put = (nota: string, more: object = {}) =>
    api.store.storeCallback(
      aCallback({ text: JSON.stringify({ nota, ...more }), facts: [aFact({ subject: TXID, status: nota })] }),
    )
  for (const nota of ['zebra', 'other']) await put(nota, { txid: TXID })
  for (let n = 0; n < hidden; n++) await put('zebra', { n, infoPagador: TXID })
  await indexAll(api.store)
  const { authorization } = await asClient(api, ['support.read'])
  return async (query = '') => {
    const { data } = JSON.parse((await ask(api, `/v1/subjects?${query}`, { authorization })).body) as Page
    return data.map(({ subject, events, hasOlder }) => [subject, events.length, hasOlder])
  }
}

it('an event is listed although newer ones of its subject hide it', async () => {
  const few = await withHiddenNewest(1)
  expect(await few('search=zebra')).toEqual([
    ['***', 1, false],
    [TXID, 2, false],
  ])
  // More than the events of a line.
  const many = await withHiddenNewest(10)
  expect((await many()).at(-1)).toEqual([TXID, 1, false])
})

it('whether there are older events tells nothing of those that hide their subject', async () => {
  expect((await (await withHiddenNewest(9))()).at(-1)).toEqual([TXID, 1, false])
})

it('lists the deliveries of each event, to however many destinations', async () => {
  const api = await startApi()
  const { authorization, id } = await asClient(api, ['events.read'])
  for (let n = 0; n < 15; n++)
    await api.store.createDestination(
      aDestination({ name: `erp-${n}`, kinds: ['payment'] }),
      NOON,
      n === 0 ? id : undefined,
    )
  for (let n = 0; n < 10; n++) await api.store.storeCallback(aCallback(payment('11', `S${n}`)))
  const deliveriesOf = async (client: { readonly authorization: string }) =>
    (JSON.parse((await ask(api, '/v1/subjects', client)).body) as Page).data[0]?.deliveries.length
  expect(await deliveriesOf({ authorization })).toBe(10)
  expect(await deliveriesOf(await asClient(api, ['support.read']))).toBe(150)
})

it('masks a status that repeats a name, finds no hidden amount, and nothing of another environment', async () => {
  const { api, reader } = await withPayments()
  await api.store.storeCallback(aCallback(payment('41', 'Maria Souza', MARIA)))
  await api.store.storeCallback(aCallback(payment('42', 'CRIADO', { pagador: { nome: 'Ana', limite: '777.10' } })))
  await indexAll(api.store)
  const [masked, whole] = [await reader(['support.read']), await reader(['events.read'])]
  const { text, page } = await masked('subject=41')
  expect(page.data).toMatchObject([{ status: '***', events: [{ status: '***' }] }])
  expect(text).not.toContain('Maria')
  expect(idsOf(await whole('search=777,10'))).toEqual(['42'])
  expect(idsOf(await masked('search=777,10'))).toEqual([])
  for (const scope of ['support.read', 'events.read'] as const) {
    const { authorization } = await asClient(api, [scope], { name: `sandbox-${scope}`, environment: 'sandbox' })
    expect((JSON.parse((await ask(api, '/v1/subjects', { authorization })).body) as Page).data).toEqual([])
    expect((await ask(api, '/v1/subjects?environment=production', { authorization })).status).toBe(403)
  }
})
