import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { clientForFile, MONDAY } from '../../simulator/test/bills/client.ts'
import { carnetClient } from '../../simulator/test/carnets/carnet-client.ts'
import { changed } from '../../simulator/test/registration/opening-request.ts'
import { subscriptionClient } from '../../simulator/test/subscriptions/subscription-client.ts'
import type { ServiceClient } from '../../src/service/client.ts'
import { isAboutSubject } from '../../src/service/failure.ts'
import { askChargeRecord, askOpening, askPayment, askPaymentSummary } from '../../src/service/questions.ts'
import { askStatement } from '../../src/service/statement.ts'
import { clientOf, failureOf } from './service.ts'

/** The first account of the sandbox of a simulator; each test begins on Monday noon with empty records. */
const bills = clientForFile({}, {})
const requests: string[] = []
let client: ServiceClient
beforeAll(() => {
  client = clientOf(bills.running, { onRequest: ({ on, outcome }) => requests.push(`${on} ${outcome}`) })
})
afterAll(() => client.close())

const order = (fault: object) => bills.running.control('POST', '/faults', { on: 'api', ...fault })
const pay = async (body: object = {}): Promise<string> => (await bills.pay(await bills.billet(), body)).json.idPagamento

describe('payments', () => {
  it('have their status, amount and the local day of their request', async () => {
    const id = await pay({ dataPagamento: '2026-03-04' })
    expect(await askPayment(client, id)).toEqual({ sort: 'told', status: 'AGENDADO', cents: 10_000, day: MONDAY })
    await bills.move(id, 'cancel')
    expect(await askPayment(client, id)).toMatchObject({ status: 'CANCELADO' })
    const failed = await pay()
    await bills.move(failed, 'fail')
    expect(await askPayment(client, failed)).toMatchObject({ sort: 'told', status: 'NAO_REALIZADO', day: MONDAY })
  })

  it('that the account does not have are unknown, by one call; ids that no payment can have by none', async () => {
    requests.length = 0
    expect(await askPayment(client, '999')).toEqual({ sort: 'unknown' })
    expect(requests).toEqual(['payment refused'])
    for (const id of ['resumo', '..', '1/../webhook', '1?a=b', ''])
      expect((await askPayment(client, id)).sort).toBe('unknown')
    expect(requests).toHaveLength(1)
  })

  it('are counted by the local day of their request, and the failed ones are named', async () => {
    const failed = await pay()
    await bills.move(failed, 'fail')
    const settled = await pay()
    await bills.move(settled, 'settle')
    await pay()
    await bills.move(await pay({ dataPagamento: '2026-03-04' }), 'cancel')
    expect(await askPaymentSummary(client, MONDAY, MONDAY)).toEqual({
      total: 4,
      failed: [failed],
    })
    expect(await askPaymentSummary(client, '2026-03-03', '2026-03-04')).toMatchObject({ total: 0, failed: [] })
  })

  it('are counted for at most 365 days, both ends included, without a call for anything else', async () => {
    expect((await askPaymentSummary(client, '2025-03-03', MONDAY)).total).toBe(0)
    requests.length = 0
    for (const [first, last] of [
      ['2025-03-02', MONDAY],
      [MONDAY, '2026-03-01'],
      ['', ''],
    ] as const)
      await expect(askPaymentSummary(client, first, last)).rejects.toThrow(RangeError)
    expect(requests).toEqual([])
  })
})

describe('openings', () => {
  /** The request of an opening by the account, which has a registration webhook. */
  async function request(): Promise<string> {
    const { webhooks } = bills.site
    webhooks.register({ interface: 'registration', account: bills.account, url: 'https://localhost:1/' })
    const body = { ...changed({ clienteFinal: { cpf: '11144477735' } }), escoposIntegrados: ['svc.balance.read'] }
    const asked = { method: 'POST', path: '/v1/conta-simplificada', body }
    return (await bills.running.ask('registration', asked)).json.contaSimplificada.identificador
  }
  const answer = (id: string, verb: 'accept' | 'refuse') => bills.running.control('POST', `/openings/${id}/${verb}`)

  it('are undecided, processing and opened in turn', async () => {
    const id = await request()
    expect(await askOpening(client, id)).toEqual({ sort: 'undecided' })
    await answer(id, 'accept')
    expect(await askOpening(client, id)).toEqual({ sort: 'processing' })
    await bills.advance('2m')
    expect(await askOpening(client, id)).toEqual({ sort: 'opened' })
  })

  it('that were refused are as those that wait', async () => {
    const id = await request()
    await answer(id, 'refuse')
    expect(await askOpening(client, id)).toEqual({ sort: 'undecided' })
  })

  it('that the account does not have are unknown, and so are ids that no opening can have', async () => {
    expect(await askOpening(client, '0f1e2d3c-0000-4000-8000-000000000000')).toEqual({ sort: 'unknown' })
    requests.length = 0
    for (const id of ['..', 'a/b', '']) expect(await askOpening(client, id)).toEqual({ sort: 'unknown' })
    expect(requests).toEqual([])
  })

  it('need a scope, which the failure names', async () => {
    const id = await request()
    const { clientId, scopes } = bills.site.applications.list()[0] as { clientId: string; scopes: readonly string[] }
    onTestFinished(() => bills.site.applications.setScopes(clientId, scopes))
    bills.site.applications.setScopes(
      clientId,
      scopes.filter((scope) => scope !== 'svc.registration.read'),
    )
    const other = clientOf(bills.running)
    onTestFinished(() => other.close())
    const failure = await failureOf(askOpening(other, id))
    expect([failure.code, failure.message]).toEqual([
      'insufficient_scope',
      expect.stringContaining('misses the scope svc.registration.read (HTTP 403 insufficient_scope)'),
    ])
    expect(isAboutSubject(failure)).toBe(false)
  })
})

describe('charges', () => {
  const subscriptions = subscriptionClient(() => bills.running, 'sandbox')
  const carnets = carnetClient(() => bills.running, 'sandbox')

  it('have their status and the own id of the app, and so are subscriptions and carnets', async () => {
    const metadata = { custom_id: 'book-7' }
    const charge = await subscriptions.createCharge({ metadata })
    const told = { sort: 'told', customId: 'book-7', status: 'new' }
    expect(await askChargeRecord(client, 'charge', String(charge))).toEqual(told)
    await subscriptions.payByBillet(await subscriptions.createSubscription())
    const subscription = await subscriptions.createSubscription({ metadata })
    expect(await askChargeRecord(client, 'subscription', String(subscription))).toEqual(told)
    const carnet = await carnets.createCarnet({ metadata })
    expect(await askChargeRecord(client, 'carnet', String(carnet.id))).toEqual({
      ...told,
      status: 'up_to_date',
    })
  })

  it('that the account does not have are unknown, by one call', async () => {
    for (const type of ['charge', 'subscription', 'carnet'] as const) {
      requests.length = 0
      expect(await askChargeRecord(client, type, '999')).toEqual({ sort: 'unknown' })
      expect(await askChargeRecord(client, type, '..')).toEqual({ sort: 'unknown' })
      expect(requests).toEqual(['charges refused'])
    }
  })
})

describe('the statement of an account', () => {
  const wanted = { segment: 'svc', day: MONDAY, records: ['pixRecebido', 'pixDevolucaoRecebida', 'saldoDia'] }
  const receive = (amount: number) =>
    bills.running.control('POST', `/accounts/${bills.account}/movements`, { kind: 'pixRecebido', amount })

  it('counts and sums the records of a day as soon as the service has made it', async () => {
    for (const amount of [2500, 15_010, 1]) await receive(amount)
    await bills.at('2026-03-03 09:00:00')
    await receive(7)
    expect(await askStatement(client, wanted)).toEqual({ sort: 'waiting' })
    await bills.advance('31s')
    expect(await askStatement(client, wanted)).toEqual({
      sort: 'told',
      kinds: new Map([
        ['pixRecebido', { count: 3, cents: 17_511n }],
        ['saldoDia', { count: 1, cents: 100_017_511n }],
      ]),
      credits: { count: 3, cents: 17_511n },
      debits: { count: 0, cents: 0n },
    })
  })

  it('of today is refused, which says nothing about other days', async () => {
    const failure = await failureOf(askStatement(client, wanted))
    expect([failure.code, failure.status, isAboutSubject(failure)]).toEqual(['refused', 400, true])
  })
})

describe('a failure of the service', () => {
  const questions = {
    payment: () => askPayment(client, '1'),
    summary: () => askPaymentSummary(client, MONDAY, MONDAY),
    opening: () => askOpening(client, 'a'),
    charge: () => askChargeRecord(client, 'charge', '1'),
    statement: () => askStatement(client, { segment: 'svc', day: '2026-03-01', records: ['pixRecebido'] }),
  }

  it.each(Object.entries(questions))('fails the question about a %s after one request', async (_what, ask) => {
    await ask().catch(() => undefined)
    await order({ fault: 'server_error', count: 1 })
    requests.length = 0
    const failure = await failureOf(ask())
    expect([failure.code, isAboutSubject(failure), requests.length]).toEqual(['unavailable', false, 1])
  })

  it('that asks to wait fails at once with its time, and nothing is sent before', async () => {
    await client.signIn('charges')
    await order({ fault: 'rate_limited', retryAfter: 1, interface: 'charges' })
    requests.length = 0
    for (const call of [1, 2]) {
      const failure = await failureOf(questions.charge())
      expect([call, failure.code, isAboutSubject(failure)]).toEqual([call, 'rate_limited', false])
      expect(failure.retryAfterMs).toBeGreaterThan(0)
    }
    expect(requests).toEqual(['charges rate_limited'])
  })

  it('a question that its caller gives up rejects with the reason', async () => {
    const stop = new AbortController()
    await order({ fault: 'timeout', count: 1, interface: 'payment' })
    const asked = askPayment(client, '1', stop.signal)
    stop.abort(new Error('the gateway stops'))
    await expect(asked).rejects.toThrow('the gateway stops')
  })
})
