import { beforeEach, describe, expect, it } from 'vitest'
import { operationsOf } from '../../src/cli/operations.ts'
import { chargeClient, LINK } from '../charges/charge-client.ts'
import { plainReceiver } from '../notifications/plain-receiver.ts'
import { simulatorForFile } from '../running.ts'
import { subscriptionClient } from '../subscriptions/subscription-client.ts'

const running = simulatorForFile()
beforeEach(async () => {
  await running().control('POST', '/reset')
  await sandbox.setTime('2026-03-02T15:00:00Z')
})

const sandbox = chargeClient(running, 'sandbox')
const production = chargeClient(running, 'production')
const subscriptions = subscriptionClient(running, 'sandbox')
const site = () => running().simulator.sites.sandbox
const account = () => site().applications.list()[0]?.account ?? ''

interface Shown {
  readonly history: { at: string; what: string }[]
  readonly next: { at: string | null; what: string }[]
}
const texts = (lines: readonly { at: string | null; what: string }[]) => lines.map(({ at, what }) => `${at} ${what}`)
const NO_ADDRESS = (path: string) =>
  `null no address: entries are kept and nothing is sent; PUT /v1/${path}/metadata sets notification_url`

describe('a charge', () => {
  const shown = async (id: number, client = sandbox) => (await client.control('GET', `/charges/${id}`)).json
  const next = async (id: number, client = sandbox) => {
    const { next: steps }: Shown = await shown(id, client)
    return texts(steps).filter((text) => text !== NO_ADDRESS(`charge/${id}`))
  }

  it('has its states, messages and attempts in the order of their times', async () => {
    const { urlOf } = await plainReceiver(() => 503)
    const id = await sandbox.createCharge({ metadata: { notification_url: urlOf('n') } })
    await site().tasks.settled()
    await sandbox.advance('1s')
    await sandbox.call('POST', `/charge/${id}/history`, { description: 'Called' })
    await sandbox.advance('1s')
    await sandbox.payByBillet(id)
    await site().tasks.settled()
    const record = await shown(id)
    const call = (number: number, status: string) =>
      `callback ${number} (${status}) to ${urlOf('n')}: answered 503, another try follows`
    expect(texts(record.history)).toEqual([
      '2026-03-02T15:00:00.000Z "Cobrança criada"',
      `2026-03-02T15:00:00.000Z charge ${id} is new`,
      `2026-03-02T15:00:00.000Z ${call(1, 'new')}`,
      '2026-03-02T15:00:01.000Z "Called"',
      '2026-03-02T15:00:02.000Z "Boleto gerado"',
      `2026-03-02T15:00:02.000Z charge ${id} is waiting, was new`,
      `2026-03-02T15:00:02.000Z ${call(2, 'waiting')}`,
    ])
    expect(texts(record.next)).toEqual([
      `2026-03-02T15:05:00.000Z callback 1 (new) is sent to ${urlOf('n')}, try 2`,
      `2026-03-02T15:05:02.000Z callback 2 (waiting) is sent to ${urlOf('n')}, try 2`,
      `2026-03-11T03:00:00.000Z the due date 2026-03-10 is over: charge ${id} becomes unpaid`,
      `null a billet of the sandbox cannot be paid: only production pays charge ${id}`,
    ])
    expect(record).toMatchObject({
      charge_id: id,
      account: '200001',
      status: 'waiting',
      total: 10_000,
      to_pay: 10_000,
      clock: { now: '2026-03-02T15:00:02.000Z', frozen: true, timeZone: 'America/Sao_Paulo' },
      payment: { method: 'banking_billet', expire_at: '2026-03-10', printed: false },
      notifications: { url: urlOf('n'), form: 'json', entries: 2, delivered: 0, waiting: 2, given_up: 0 },
    })
  })

  it('that is new waits for a payment method or a link, and a link for its payer and its last day', async () => {
    const id = await sandbox.createCharge()
    const ways = `POST /v1/charge/${id}/pay sets a payment method, POST /v1/charge/${id}/link makes a payment link`
    expect(await next(id)).toEqual([`null charge ${id} stays new until then: ${ways}`])
    const { payment_url: page } = (await sandbox.call('POST', `/charge/${id}/link`, LINK)).json.data
    const over = `the link's last day 2026-03-10 is over: charge ${id} expires`
    const payer = `null the payer chooses a payment method of charge ${id} at ${page}`
    expect(await next(id)).toEqual([`2026-03-11T03:00:00.000Z ${over}`, payer])
    await sandbox.setTime('2026-03-11T03:00:00Z')
    expect(await next(id)).toEqual([
      `null PUT /v1/charge/${id}/link with a later expire_at renews the link of charge ${id}`,
    ])
  })

  it('with a card waits for the card’s bank, in production for the control API', async () => {
    const [id, other] = [await sandbox.createCharge(), await production.createCharge()]
    await sandbox.payByCard(id)
    await production.payByCard(other)
    const confirmed = `the card's bank confirms: charge ${id} becomes paid`
    expect(await next(id)).toEqual([`2026-03-02T15:00:05.000Z ${confirmed}`])
    const call = (name: string) => `ctl ${name} ${other} --environment production`
    const both = `${call('confirm-card-payment')} pays charge ${other}, ${call('refuse-card-payment')} refuses it`
    const manual = `null in production no card payment is confirmed by itself: ${both}`
    expect(await next(other, production)).toEqual([manual])
    await sandbox.advance('5s')
    expect([await next(id), await next(other, production)]).toEqual([[], [manual]])
    expect(await shown(id)).toMatchObject({ to_pay: null, received: { cents: 10_000, paid_on: '2026-03-02' } })
  })

  it('of production can be paid by its billet, after the cancellation when it was printed', async () => {
    const id = await production.createCharge()
    await production.payByBillet(id)
    const pays = (place = '') => `null ctl pay-billet ${id}${place} --environment production pays charge ${id}`
    const { typeable_line: line } = (await shown(id, production)).payment
    const asBill = `ctl show bill ${line} --environment production`
    expect((await next(id, production)).slice(1)).toEqual([
      pays(),
      `null GET, then POST /v1/codBarras/${line} pays charge ${id} from an account (${asBill})`,
    ])
    await production.control('POST', `/charges/${id}/print`)
    await production.call('PUT', `/charge/${id}/cancel`)
    expect(await next(id, production)).toEqual([
      `${pays(' --place bank_agency')}, because its billet was printed before`,
    ])
    await production.control('POST', `/charges/${id}/pay`, { place: 'bank_agency' })
    expect(await next(id, production)).toEqual([])
  })

  it('with an instant-payment code can be paid by it, until its key is removed', async () => {
    const own = running().simulator.sites.production.applications.list()[0]?.account
    await running().control('PUT', `/accounts/${own}/instant-payment?environment=production`, { on: true })
    const id = await production.createCharge()
    await production.payByBillet(id)
    const call = 'ctl pay-instant-payment-code --environment production --code'
    expect((await next(id, production)).at(-1)).toBe(`null ${call} with the code of its billet pays charge ${id}`)
    const [key] = (await running().control('GET', `/accounts/${own}?environment=production`)).json.keys
    await running().ask('account', { method: 'DELETE', path: `/v2/svc/evp/${key}` }, 'production')
    const gone = `null the instant-payment code of charge ${id} cannot be paid: its key was removed`
    expect((await next(id, production)).at(-1)).toBe(gone)
  })

  it('shows what a late billet costs today', async () => {
    const id = await production.createCharge()
    await production.payByBillet(id, { configurations: { fine: 200, interest: 0 } })
    await production.setTime('2026-03-12T15:00:00Z')
    const { json } = await production.control('GET', `/charges/${id}`)
    expect([json.status, json.to_pay]).toEqual(['unpaid', 10_200])
  })

  it('says that a token comes again until its entries are fetched, and when a callback is given up', async () => {
    const { urlOf } = await plainReceiver()
    const clientId = site().applications.list()[0]?.clientId
    await sandbox.control('PUT', `/applications/${clientId}/notifications`, { form: 'token' })
    const id = await sandbox.createCharge({ metadata: { notification_url: urlOf('t') } })
    await site().tasks.settled()
    const first = await shown(id)
    expect(first.history).toContainEqual({
      at: '2026-03-02T15:00:00.000Z',
      what: `callback 1 (token) to ${urlOf('t')}: answered 200, comes again until its entries are fetched`,
    })
    expect(first.notifications).toMatchObject({ form: 'token', waiting: 1 })
    await sandbox.advance('60d')
    const last = await shown(id)
    expect(last.history.at(-1).what).toBe(`callback 1 (token) to ${urlOf('t')}: answered 200, given up: no try follows`)
    expect(last.notifications).toMatchObject({ waiting: 0, given_up: 1 })
    expect(last.next.every(({ at }: { at: string | null }) => at === null)).toBe(true)
  })
})

describe('a subscription', () => {
  const shown = async (id: number) => (await subscriptions.control('GET', `/subscriptions/${id}`)).json
  const next = async (id: number) => texts((await shown(id)).next)

  it('has its charges, and the next cycle with its due date', async () => {
    const id = await subscriptions.createSubscription({}, { repeats: 3 })
    expect(await next(id)).toEqual([
      `null POST /v1/subscription/${id}/pay sets the payment method`,
      NO_ADDRESS(`subscription/${id}`),
    ])
    await subscriptions.payByBillet(id)
    const [first] = await subscriptions.chargesOf(id)
    expect(await next(id)).toEqual([
      `2026-03-11T03:00:00.000Z the due date 2026-03-10 is over: charge ${first} becomes unpaid`,
      '2026-04-02T03:00:00.000Z charge number 2 of 3 is generated, with the due date 2026-04-10',
      `null a billet of the sandbox cannot be paid: only production pays charge ${first}`,
      NO_ADDRESS(`subscription/${id}`),
    ])
    expect(await shown(id)).toMatchObject({
      subscription_id: id,
      status: 'active',
      value: 10_000,
      payment_method: 'banking_billet',
      charges: [{ charge_id: first, status: 'waiting', total: 10_000 }],
      next_expire_at: '2026-04-10',
      plan: { name: 'Monthly', interval: 1, repeats: 3, deleted: false },
    })
    expect(texts((await shown(id)).history)).toEqual([
      `2026-03-02T15:00:00.000Z subscription ${id} is new`,
      `2026-03-02T15:00:00.000Z charge ${first} is new`,
      `2026-03-02T15:00:00.000Z subscription ${id} is active, was new`,
      `2026-03-02T15:00:00.000Z charge ${first} is waiting, was new`,
    ])
  })

  it('says when its trial ends, and that nothing comes of a deleted plan or a cancelled subscription', async () => {
    const id = await subscriptions.createSubscription()
    await subscriptions.payByCard(id, { trial_days: 10 })
    expect((await next(id))[0]).toBe('2026-03-12T03:00:00.000Z charge number 1 is issued, because the trial ends')
    const { plan_id: plan } = await shown(id)
    await subscriptions.call('DELETE', `/plan/${plan}`)
    const gone = `null no charge comes any more: plan ${plan} was deleted`
    expect(await next(id)).toEqual([gone, NO_ADDRESS(`subscription/${id}`)])
    await subscriptions.call('PUT', `/subscription/${id}/cancel`)
    expect(await next(id)).toEqual([NO_ADDRESS(`subscription/${id}`)])
  })
})

describe('a bill', () => {
  const bill = { kind: 'billet', amount: 10_000, dueDate: '2026-03-09' }
  const made = async (): Promise<string> => (await running().control('POST', '/bills', bill)).json.codBarras
  const shown = async (code: string) => (await running().control('GET', `/bills/${encodeURIComponent(code)}`)).json
  const pay = (code: string, dataPagamento: string) =>
    running().ask('payment', { method: 'POST', path: `/v1/codBarras/${code}`, body: { valor: 10_000, dataPagamento } })

  it('has its terms, its readers, and each state of its payments with its time', async () => {
    const code = await made()
    const path = `/v1/codBarras/${code}`
    expect(await shown(code)).toMatchObject({
      detailed: [],
      history: [],
      offer: { due: 10_000, min: 10_000, max: 10_000, obstacle: null },
      next: [{ at: null, what: `GET ${path}, then POST ${path} asks for a payment, today with the valor 10000` }],
    })
    await running().ask('payment', { path })
    const { idPagamento: id } = (await pay(code, '2026-03-04')).json
    const record = await shown(code)
    const at = '2026-03-02T15:00:00.000Z'
    expect(record).toMatchObject({
      detailed: [{ account: account(), at }],
      offer: { obstacle: 'A cobrança tem um pagamento em andamento.' },
      payments: [
        {
          idPagamento: id,
          states: [
            { status: 'CRIADO', at },
            { status: 'AGENDADO', at },
          ],
        },
      ],
    })
    expect(texts(record.next)).toEqual([
      `2026-03-04T11:00:00.000Z payment ${id} becomes EM_PROCESSAMENTO`,
      `2026-03-04T11:00:30.000Z payment ${id} becomes EXECUTADO`,
      `2026-03-04T11:01:30.000Z payment ${id} becomes LIQUIDADO`,
      `null no callback tells of payment ${id}: account ${account()} registered no URL at the payment interface`,
    ])
    await sandbox.setTime('2026-03-04T11:00:40Z')
    const later = await shown(record.linhaDigitavel.replace(/(.{5})/g, '$1.'))
    expect(later.offer.obstacle).toBe('A cobrança já foi paga.')
    expect(texts(later.next)[0]).toBe(`2026-03-04T11:01:30.000Z payment ${id} becomes LIQUIDADO`)
    await sandbox.advance('1h')
    const over = await shown(code)
    expect([over.next, over.history.at(-1)]).toEqual([
      [],
      { at: '2026-03-04T11:01:30.000Z', what: `payment ${id} is LIQUIDADO` },
    ])
  })

  it('says that a payment will not be made as things are, and why it was not', async () => {
    const code = await made()
    await running().ask('payment', { path: `/v1/codBarras/${code}` })
    const { idPagamento: id } = (await pay(code, '2026-03-02')).json
    await running().control('PATCH', `/bills/${code}`, { payable: false })
    const failed = `payment ${id} becomes NAO_REALIZADO, as things are now: O emissor retirou a cobrança.`
    expect(texts((await shown(code)).next)[0]).toBe(`2026-03-02T15:00:30.000Z ${failed}`)
    await sandbox.advance('30s')
    expect(texts((await shown(code)).history).slice(-2)).toEqual([
      `2026-03-02T15:00:30.000Z payment ${id} is NAO_REALIZADO`,
      `2026-03-02T15:00:30.000Z payment ${id}: O emissor retirou a cobrança.`,
    ])
  })

  it('has its callbacks with their next try', async () => {
    const url = 'https://localhost:1/pay'
    site().webhooks.register({ interface: 'payment', account: account(), url })
    const code = await made()
    await running().ask('payment', { path: `/v1/codBarras/${code}` })
    const { idPagamento: id } = (await pay(code, '2026-03-02')).json
    await site().tasks.settled()
    const { next, payments } = await shown(code)
    expect(payments).toMatchObject([{ idPagamento: id, callbacks: { delivered: 0, waiting: 1, given_up: 0 } }])
    expect(texts(next)).toContainEqual(
      `2026-03-02T15:05:00.000Z callback 1 (EM_PROCESSAMENTO) is sent to ${url}, try 2`,
    )
  })

  it('that the service does not know, and digits that are none', async () => {
    const code = await made()
    await running().control('PATCH', `/bills/${code}`, { unknown: true })
    expect(texts((await shown(code)).next)).toEqual(['null the service answers that it does not know this barcode'])
    const wrong = await running().control('GET', '/bills/123')
    expect([wrong.status, wrong.json.error]).toEqual([400, expect.stringContaining('it has 3 digits')])
  })
})

describe('an account', () => {
  const shown = async (number: string) => running().control('GET', `/accounts/${number}`)

  it('has its owner, its money, its certificates, applications and webhooks', async () => {
    const [own] = site().applications.accounts()
    const { json } = await shown(`${own?.number}-${own?.digit}`)
    expect(json).toMatchObject({
      account: own?.number,
      owner: { name: own?.name, document: own?.document },
      payee_code: own?.payeeCode,
      balance: 100_000_000,
      available: 100_000_000,
      blocks: { judicial: 0, med: 0 },
      webhooks: [],
      certificates: [{ sha256: own?.fingerprints[0], refused: false }],
      applications: [{ client_id: site().applications.list()[0]?.clientId }],
      history: [],
      keys: [],
      settings: {},
      statements: [],
      instant_payment: false,
    })
    expect(json.next).toEqual([{ at: null, what: expect.stringContaining('the account registered no URL') }])
    const absent = await shown('7')
    expect([absent.status, absent.json.error]).toEqual([404, expect.stringContaining(account())])
  })

  it('has its latest movements, and what waits for it', async () => {
    const url = 'https://localhost:1/pay'
    site().webhooks.register({ interface: 'payment', account: account(), url })
    await running().control('PUT', `/accounts/${account()}/balance`, { balance: 99_999_990 })
    await running().control('PUT', `/accounts/${account()}/certificates`, { refused: true })
    await running().control('POST', '/callbacks', { body: {}, account: account() })
    await site().tasks.settled()
    const { json } = await shown(account())
    expect(texts(json.history)).toEqual([
      '2026-03-02T15:00:00.000Z movement 1: transferenciaEnviada -0.10, balance 999999.90: Saldo definido pela API de controle',
    ])
    expect(texts(json.next)).toEqual([`2026-03-02T15:05:00.000Z callback 1 (payment) is sent to ${url}, try 2`])
    expect(json).toMatchObject({
      certificates: [{ refused: true }],
      webhooks: [{ interface: 'payment', url, delivered: 0, waiting: 1, given_up: 0 }],
    })
  })
})

it('an account has its keys, its settings, and the statement that is being made', async () => {
  const call = (method: string, path: string, body?: object) =>
    running().ask('account', { method, path: `/v2/svc/${path}`, ...(body !== undefined && { body }) })
  const { chave } = (await call('POST', 'evp')).json
  const settings = { pix: { chaves: { [chave]: { envio: { webhook: { notificacao: { tarifa: true } } } } } } }
  await call('PUT', 'config', settings)
  const wanted = { dataMovimento: '2026-03-01', tipoRegistros: { pixRecebido: true } }
  const { id } = (await call('POST', 'relatorios/extrato-conciliacao', wanted)).json
  const { json } = await running().control('GET', `/accounts/${account()}`)
  const statement = { id, date: '2026-03-01' }
  expect(json).toMatchObject({
    keys: [chave],
    settings,
    statements: [{ ...statement, status: 'AGUARDANDO_PROCESSAMENTO' }],
  })
  expect(texts(json.next)[0]).toBe(`2026-03-02T15:00:30.000Z statement ${id} is ready`)
  await sandbox.advance('30s')
  const later = (await running().control('GET', `/accounts/${account()}`)).json
  expect(later.statements).toEqual([{ ...statement, status: 'CONCLUIDO' }])
  expect(later.next.every(({ at }: { at: string | null }) => at === null)).toBe(true)
})

it('no record is changed by showing it, and each names only operations that there are', async () => {
  const [charge, waiting] = [await production.createCharge(), await production.createCharge()]
  await production.payByBillet(charge)
  await production.payByCard(waiting)
  const before = site().records.dump()
  const [own] = running().simulator.sites.production.applications.accounts()
  const paths = [`/accounts/${own?.number}`, `/charges/${charge}`, `/charges/${waiting}`]
  const answers = await Promise.all(paths.map((path) => running().control('GET', `${path}?environment=production`)))
  expect([answers.map(({ status }) => status), site().records.dump()]).toEqual([[200, 200, 200], before])
  const names = operationsOf((await running().control('GET', '/openapi.json')).json).map(({ name }) => name)
  const called = answers.flatMap(({ text }) =>
    [...text.matchAll(/ctl (?:(show) )?([a-z-]+)/g)].map(([, show, name]) => [show, name].filter(Boolean).join('-')),
  )
  expect(called.length).toBeGreaterThan(2)
  expect(names).toEqual(expect.arrayContaining(called))
})
