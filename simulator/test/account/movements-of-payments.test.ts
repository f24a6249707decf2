import { describe, expect, it } from 'vitest'
import { setBalance } from '../../src/account/ledger.ts'
import type { Environment } from '../../src/interfaces.ts'
import { clientForFile } from '../bills/client.ts'
import { carnetClient } from '../carnets/carnet-client.ts'
import { chargeClient } from '../charges/charge-client.ts'
import { subscriptionClient } from '../subscriptions/subscription-client.ts'

const bills = clientForFile()
const OPENING = 100_000_000

const movements = async (environment: Environment = 'sandbox', index = 0) => {
  const { running } = bills
  const account = running.simulator.sites[environment].applications.list()[index]?.account
  return (await running.control('GET', `/accounts/${account}/movements?environment=${environment}`)).json.movements
}
const ofAccount = (method: string, path: string, body?: unknown) =>
  bills.running.control(method, `/accounts/${bills.account}${path}`, body)
const paid = async (...given: Parameters<typeof bills.pay>): Promise<number> => {
  const { status, json, text } = await bills.pay(...given)
  if (status !== 201) throw new Error(`not paid: ${text}`)
  return Number(json.idPagamento)
}

describe('the payment of a bill', () => {
  it('is a transfer sent at its execution, whatever time the clock is moved to', async () => {
    const id = await paid(await bills.billet())
    await bills.advance('29s')
    expect(await movements()).toEqual([])
    await bills.advance('36h')
    expect(await movements()).toEqual([
      {
        id: 1,
        account: bills.account,
        kind: 'transferenciaEnviada',
        amount: 10_000,
        at: '2026-03-02T15:00:30.000Z',
        balance: OPENING - 10_000,
        description: `Pagamento de conta ${id}`,
        origin: { kind: 'bill_payment', id },
        reverses: null,
      },
    ])
  })

  it('that was scheduled is executed on its day', async () => {
    await paid(await bills.billet(), { dataPagamento: '2026-03-05' })
    await bills.advance('30d')
    expect(await movements()).toMatchObject([{ kind: 'transferenciaEnviada', at: '2026-03-05T11:00:30.000Z' }])
  })

  it('that fails after its execution is reversed; one that fails before it is no movement', async () => {
    const early = await paid(await bills.billet())
    await bills.move(String(early), 'fail')
    await bills.advance('1m')
    expect(await movements()).toEqual([])
    const id = await paid(await bills.billet({ amount: 20_000 }), { valor: 20_000 })
    await bills.advance('31s')
    await bills.move(String(id), 'fail')
    await bills.advance('5m')
    expect(await movements()).toMatchObject([
      { id: 1, kind: 'transferenciaEnviada', amount: 20_000, balance: OPENING - 20_000 },
      {
        id: 2,
        kind: 'estornoTransferenciaEnviada',
        amount: 20_000,
        balance: OPENING,
        reverses: 1,
        at: '2026-03-02T15:01:31.000Z',
        origin: { kind: 'bill_payment', id },
      },
    ])
  })

  it('is reversed by its failure only', async () => {
    const id = await paid(await bills.billet())
    await bills.advance('30s')
    const reversal = { kind: 'estornoTransferenciaEnviada', amount: 10_000, reverses: 1 }
    const { status, json } = await ofAccount('POST', '/movements', reversal)
    expect([status, json.error]).toEqual([
      409,
      `movement 1 is payment ${id} of a bill: it comes back only when that payment fails`,
    ])
    expect((await bills.move(String(id), 'fail')).json.status).toBe('NAO_REALIZADO')
    expect((await ofAccount('GET', '/balance')).json.balance).toBe(OPENING)
  })

  it('can use all that is not blocked, and not a cent of the rest', async () => {
    await ofAccount('PUT', '/blocks', { judicial: OPENING - 29_999, med: 10_000 })
    const [good, late] = [await paid(await bills.billet()), await paid(await bills.billet())]
    await bills.advance('30s')
    expect((await bills.payment(String(good))).json.status).toBe('EXECUTADO')
    expect((await bills.payment(String(late))).json).toMatchObject({
      status: 'NAO_REALIZADO',
      motivoRecusa: 'A conta não tem saldo suficiente.',
    })
    expect(await movements()).toHaveLength(1)
    const saldo = await bills.running.ask('account', { path: '/v2/svc/saldo?bloqueios=true' })
    expect(saldo.json).toEqual({
      saldo: '999900.00',
      bloqueios: { judicial: '999700.01', med: '100.00', total: '999800.01' },
    })
  })
})

describe('the payment of a charge', () => {
  const sandbox = chargeClient(() => bills.running, 'sandbox')
  const production = chargeClient(() => bills.running, 'production')

  it('by billet is a transfer received when it is confirmed', async () => {
    const id = await production.createCharge()
    await production.payByBillet(
      id,
      {},
      { conditional_discount: { type: 'percentage', value: 1000, until_date: '2026-03-10' } },
    )
    expect(await movements('production')).toEqual([])
    await production.advance('24h')
    await production.control('POST', `/charges/${id}/pay`, { paid_on: '2026-03-02' })
    expect(await movements('production')).toMatchObject([
      {
        id: 1,
        kind: 'transferenciaRecebida',
        amount: 9_000,
        at: '2026-03-03T15:00:00.000Z',
        reverses: null,
        balance: OPENING + 9_000,
        description: `Cobrança ${id}`,
        origin: { kind: 'charge', id },
      },
    ])
    expect(await movements('sandbox')).toEqual([])
  })

  it('by card is none in the sandbox, where only the status changes', async () => {
    const ids = [await sandbox.createCharge(), await sandbox.createCharge()]
    for (const id of ids) await sandbox.payByCard(id)
    await sandbox.control('POST', `/charges/${ids[1]}/confirm`)
    await sandbox.advance('36h')
    expect(await Promise.all(ids.map(sandbox.statusOf))).toEqual(['paid', 'paid'])
    expect(await movements()).toEqual([])
  })

  it('by card is one when the control API confirms it, in production', async () => {
    const [id, refused] = [await production.createCharge(), await production.createCharge()]
    for (const one of [id, refused]) await production.payByCard(one)
    await production.advance('1h')
    expect(await movements('production')).toEqual([])
    await production.control('POST', `/charges/${id}/confirm`)
    await production.control('POST', `/charges/${refused}/refuse`)
    expect(await movements('production')).toMatchObject([{ amount: 10_000, origin: { kind: 'charge', id } }])
  })

  it('by its instant-payment code is pixRecebido, which can be refunded while the charge stays paid', async () => {
    const account = bills.running.simulator.sites.production.applications.list()[0]?.account
    await production.control('PUT', `/accounts/${account}/instant-payment`, { on: true })
    const id = await production.createCharge()
    const code = (await production.payByBillet(id)).json.data.pix.qrcode
    await production.control('POST', '/instant-payments', { code })
    expect(await movements('production')).toMatchObject([
      { id: 1, kind: 'pixRecebido', amount: 10_000, origin: { kind: 'charge', id } },
    ])
    const refund = { kind: 'pixDevolucaoEnviada', amount: 4_000, reverses: 1 }
    expect(await production.control('POST', `/accounts/${account}/movements`, refund)).toMatchObject({
      status: 201,
      json: { balance: OPENING + 6_000 },
    })
    expect(await production.statusOf(id)).toBe('paid')
  })

  it('of nothing is no movement', async () => {
    const id = await sandbox.createCharge({ items: [{ name: 'Gift', value: 0 }] })
    await sandbox.payByCard(id)
    await sandbox.advance('5s')
    expect([await sandbox.statusOf(id), await movements()]).toEqual(['paid', []])
  })

  it('that the account cannot hold is refused, and changes neither charge nor ledger', async () => {
    const site = bills.running.simulator.sites.production
    const account = site.applications.list()[0]?.account ?? ''
    const id = await production.createCharge()
    await production.payByBillet(id)
    setBalance(site, account, Number.MAX_SAFE_INTEGER)
    const before = site.records.dump()
    const { status, json } = await production.control('POST', `/charges/${id}/pay`)
    expect([status, json.error]).toEqual([409, `account ${account} can have no more than 9007199254740991 cents`])
    expect(site.records.dump()).toEqual(before)
  })

  it('of a subscription is one for each cycle', async () => {
    const subscriptions = subscriptionClient(() => bills.running, 'production')
    const id = await subscriptions.createSubscription()
    await subscriptions.payByCard(id)
    await production.advance('62d')
    const charges = await subscriptions.chargesOf(id)
    for (const charge of charges) await production.control('POST', `/charges/${charge}/confirm`)
    expect((await movements('production')).map(({ origin }: { origin: object }) => origin)).toEqual(
      charges.map((charge) => ({ kind: 'charge', id: charge })),
    )
    expect(charges).toHaveLength(3)
  })

  it('of a carnet is one for each parcel', async () => {
    const carnets = carnetClient(() => bills.running, 'production')
    const { parcels } = await carnets.createCarnet()
    for (const parcel of parcels.slice(0, 2)) await carnets.pay(parcel)
    expect(await movements('production')).toMatchObject(
      parcels
        .slice(0, 2)
        .map((id) => ({ kind: 'transferenciaRecebida', amount: 10_000, origin: { kind: 'charge', id } })),
    )
  })

  it('by a payment of its billet goes from the payer’s account to that of the charge, at one time', async () => {
    const id = await production.createCharge()
    const { barcode } = (await production.payByBillet(id)).json.data
    const payer = await asSecondAccount(`/v1/codBarras/${barcode}`, { valor: 10_000, dataPagamento: '2026-03-02' })
    await bills.advance('1h')
    const at = '2026-03-02T15:00:30.000Z'
    expect(await movements('production')).toMatchObject([
      { kind: 'transferenciaRecebida', amount: 10_000, at, origin: { kind: 'charge', id } },
    ])
    expect(await movements('production', 1)).toMatchObject([
      { kind: 'transferenciaEnviada', amount: 10_000, at, origin: { kind: 'bill_payment', id: payer } },
    ])
  })
})

/** Asks for the detail of a bill and pays it, in production. @returns the id of the payment */
async function asSecondAccount(path: string, body: object): Promise<number> {
  const { running } = bills
  const url = `${running.baseOf('payment', 'production')}${path}`
  const token = await running.tokenOf('payment', { environment: 'production', account: 1 })
  const headers = { authorization: `Bearer ${token}` }
  const tls = running.tlsOf('production', 1)
  await running.askRaw(url, { headers }, tls)
  const { status, json, text } = await running.askRaw(url, { method: 'POST', headers, body }, tls)
  if (status !== 201) throw new Error(`not paid: ${text}`)
  return Number(json.idPagamento)
}
