import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { plainReceiver } from '../notifications/plain-receiver.ts'
import { simulatorForFile } from '../running.ts'
import { carnetClient } from './carnet-client.ts'

const running = simulatorForFile({ webhooks: { retryMinutes: 'short' } })
// Due dates of other tests' parcels would pass.
beforeEach(async () => {
  await running().control('POST', '/reset')
  await sandbox.setTime('2026-03-02T15:00:00Z')
})

const sandbox = carnetClient(running, 'sandbox')
const production = carnetClient(running, 'production')
const settled = () => running().simulator.sites.production.tasks.settled()

interface Told {
  readonly message: string
  readonly created_at: string
}

describe('a parcel', () => {
  it('is a charge with a billet, the customer and the metadata of the carnet', async () => {
    const metadata = { custom_id: 'order 1', notification_url: 'http://localhost:9/x' }
    const { parcels } = await sandbox.createCarnet({ metadata, message: 'Thanks\nBye', configurations: { fine: 2 } })
    expect(await sandbox.show(parcels[1] as number)).toMatchObject({
      status: 'waiting',
      total: 10_000,
      ...metadata,
      customer: { name: 'Ana Souza' },
      payment: {
        method: 'banking_billet',
        message: 'Thanks\nBye',
        banking_billet: { expire_at: '2026-04-10', configurations: { fine: 2, interest: 0 } },
      },
      history: [{ message: 'Cobrança criada' }, { message: 'Boleto gerado' }],
    })
  })

  it('takes no other payment method and no link', async () => {
    const { parcels } = await sandbox.createCarnet()
    const [id = 0] = parcels
    const link = { expire_at: '2026-03-10', request_delivery_address: false, payment_method: 'all' }
    const answers = [
      ...[await sandbox.payByBillet(id), await sandbox.payByCard(id)],
      ...[
        await sandbox.call('POST', `/charge/${id}/link`, link),
        await sandbox.call('PUT', `/charge/${id}/link`, link),
      ],
    ]
    expect(answers.map(({ status, json }) => [status, json.error_description.property])).toEqual(
      Array(4).fill([412, '/status']),
    )
    expect(answers[0]?.json.error_description.message).toBe(
      'A forma de pagamento de uma parcela de carnê é o boleto dela.',
    )
  })

  it('has metadata and a history of its own', async () => {
    const { id, parcels } = await sandbox.createCarnet({ metadata: { custom_id: 'a' } })
    const [first = 0, second = 0] = parcels
    await sandbox.call('PUT', `/charge/${first}/metadata`, { custom_id: 'b' })
    await sandbox.call('POST', `/charge/${first}/history`, { description: 'Called' })
    expect((await sandbox.show(first)).history.at(-1).message).toBe('Called')
    const ids = [await sandbox.show(first), await sandbox.show(second), await sandbox.recordOf(id)]
    expect(ids.map(({ custom_id }) => custom_id)).toEqual(['b', 'a', 'a'])
    expect((await sandbox.recordOf(id)).history).toHaveLength(1)
  })

  it('of the sandbox cannot be paid; in production its payment is credited to the account', async () => {
    const [inSandbox = 0] = (await sandbox.createCarnet()).parcels
    expect((await sandbox.pay(inSandbox)).status).toBe(409)
    const { id, parcels } = await production.createCarnet()
    const balance = async () =>
      Number((await running().ask('account', { path: '/v2/svc/saldo' }, 'production')).json.saldo)
    const before = await balance()
    await production.pay(parcels[1] as number)
    expect(await balance()).toBeCloseTo(before + 100, 2)
    expect((await production.recordOf(id)).charges.map(({ status }: { status: string }) => status)).toEqual([
      ...['waiting', 'paid', 'waiting'],
    ])
  })

  it('has an instant-payment code when the account has that switched on', async () => {
    const [{ number } = { number: '' }] = running().simulator.sites.production.applications.accounts()
    await production.control('PUT', `/accounts/${number}/instant-payment`, { on: true })
    onTestFinished(async () => {
      await production.control('PUT', `/accounts/${number}/instant-payment`, { on: false })
    })
    const { json } = await production.create()
    const codes: string[] = json.data.charges.map(({ pix }: { pix: { qrcode: string } }) => pix.qrcode)
    expect(new Set(codes).size).toBe(3)
    for (const code of codes) expect(code).toMatch(/^000201.*5406100\.00.*6304[0-9A-F]{4}$/)
    const record = await production.recordOf(json.data.carnet_id)
    expect(record.charges.map(({ pix }: { pix: { qrcode: string } }) => pix.qrcode)).toEqual(codes)
    expect(record.charges[0].pix.qrcode_image).toMatch(/^data:image\/svg\+xml;base64,/)
  })
})

describe('the status of a carnet', () => {
  it('is unpaid when the due date of a parcel has passed, not a second before, and up to date when it was paid', async () => {
    const { id, parcels } = await production.createCarnet()
    await production.setTime('2026-03-11T02:59:59Z')
    expect(await production.carnetStatusOf(id)).toBe('up_to_date')
    await production.advance('1s')
    expect(await production.carnetStatusOf(id)).toBe('unpaid')
    await production.pay(parcels[0] as number)
    expect(await production.carnetStatusOf(id)).toBe('up_to_date')
    expect(
      (await production.recordOf(id)).history.map(({ message, created_at }: Told) => [message, created_at]),
    ).toEqual([
      ['Carnê criado', '2026-03-02 12:00:00'],
      ['Carnê com parcela vencida', '2026-03-11 00:00:00'],
      ['Carnê em dia', '2026-03-11 00:00:00'],
    ])
  })

  it('stays unpaid while another parcel is', async () => {
    const { id, parcels } = await production.createCarnet()
    await production.setTime('2026-04-11T15:00:00Z')
    await production.pay(parcels[0] as number)
    expect(await production.carnetStatusOf(id)).toBe('unpaid')
    await production.cancel(parcels[1] as number)
    expect(await production.carnetStatusOf(id)).toBe('up_to_date')
  })

  it('is finished when every parcel is paid or cancelled, for good', async () => {
    const { id, parcels } = await production.createCarnet()
    const [first = 0, second = 0, third = 0] = parcels
    await production.control('POST', `/charges/${second}/print`)
    await production.pay(first)
    await production.cancel(second)
    expect(await production.carnetStatusOf(id)).toBe('up_to_date')
    await production.pay(third)
    expect(await production.carnetStatusOf(id)).toBe('finished')
    await production.pay(second, { place: 'bank_agency' })
    expect([await production.statusOf(second), await production.carnetStatusOf(id)]).toEqual(['paid', 'finished'])
    await production.setTime('2026-09-01T15:00:00Z')
    const { status, history } = await production.recordOf(id)
    expect([status, history.map(({ message }: Told) => message)]).toEqual([
      ...['finished', ['Carnê criado', 'Carnê finalizado']],
    ])
  })

  it('is unpaid when the control API lets a due date pass, and finished when all are cancelled', async () => {
    const { id, parcels } = await sandbox.createCarnet()
    await sandbox.control('POST', `/charges/${parcels[2]}/expire`)
    expect(await sandbox.carnetStatusOf(id)).toBe('unpaid')
    for (const parcel of parcels) await sandbox.cancel(parcel)
    expect(await sandbox.carnetStatusOf(id)).toBe('finished')
  })

  it('of one carnet says nothing of another', async () => {
    const one = await sandbox.createCarnet()
    const other = await sandbox.createCarnet()
    await sandbox.control('POST', `/charges/${one.parcels[0]}/expire`)
    expect([await sandbox.carnetStatusOf(one.id), await sandbox.carnetStatusOf(other.id)]).toEqual([
      ...['unpaid', 'up_to_date'],
    ])
  })
})

describe('notifications of a carnet', () => {
  const withUrl = (notification_url: string) =>
    production.createCarnet({ repeats: 2, metadata: { notification_url, custom_id: 'a' } })

  it('as JSON name the carnet and its parcels, with one token', async () => {
    const { urlOf, received } = await plainReceiver()
    const { id, parcels } = await withUrl(urlOf('n'))
    const [first = 0, second = 0] = parcels
    await production.pay(first)
    await production.cancel(second)
    await settled()
    const told = received.map(({ body }) => JSON.parse(body).notification)
    expect(new Set(told.map(({ token }) => token)).size).toBe(1)
    const own = { carnet_id: id, custom_id: 'a', created_at: '2026-03-02 12:00:00' }
    const entries = [
      { ...own, status: 'up_to_date' },
      ...parcels.flatMap((charge_id) => ['new', 'waiting'].map((status) => ({ ...own, charge_id, status }))),
      { ...own, charge_id: first, status: 'paid', received_by_bank_at: '2026-03-02' },
      { ...own, charge_id: second, status: 'canceled' },
      { ...own, status: 'finished' },
    ]
    const sent = told.map((notification) => notification.entries)
    expect(sent).toHaveLength(entries.length)
    expect(sent).toEqual(expect.arrayContaining(entries.map((entry) => [entry])))
  })

  it('as a token are resolved to entries of the carnet and of its parcels, in their order', async () => {
    const [{ clientId } = { clientId: '' }] = running().simulator.sites.production.applications.list()
    await production.control('PUT', `/applications/${clientId}/notifications`, { form: 'token' })
    const { urlOf, received } = await plainReceiver()
    const { id, parcels } = await withUrl(urlOf('n'))
    const [first, second = 0] = parcels
    await production.setTime('2026-03-11T15:00:00Z')
    await production.pay(first as number)
    await production.cancel(second)
    await settled()
    expect(new Set(received.map(({ body }) => body)).size).toBe(1)
    const token = new URLSearchParams(received[0]?.body).get('notification')
    const entries = (await production.call('GET', `/notification/${token}`)).json.data
    const told = entries.map(
      (entry: { id: number; type: string; identifiers: object; status: { current: string; previous: string } }) => [
        ...[entry.id, entry.type, entry.identifiers, entry.status.previous, entry.status.current],
      ],
    )
    const [own, parcel] = ['carnet', 'carnet_charge']
    const of = (charge_id?: number) => ({ charge_id, carnet_id: id })
    expect(told).toEqual([
      [1, own, { carnet_id: id }, null, 'up_to_date'],
      [2, parcel, of(first), null, 'new'],
      [3, parcel, of(second), null, 'new'],
      [4, parcel, of(first), 'new', 'waiting'],
      [5, parcel, of(second), 'new', 'waiting'],
      [6, parcel, of(first), 'waiting', 'unpaid'],
      [7, own, { carnet_id: id }, 'up_to_date', 'unpaid'],
      [8, parcel, of(first), 'unpaid', 'paid'],
      [9, own, { carnet_id: id }, 'unpaid', 'up_to_date'],
      [10, parcel, of(second), 'waiting', 'canceled'],
      [11, own, { carnet_id: id }, 'up_to_date', 'finished'],
    ])
    expect(entries[7]).toMatchObject({ value: 10_000, received_by_bank_at: '2026-03-11', custom_id: 'a' })
  })

  it('of one parcel go to the address of that parcel, where it has its own', async () => {
    const { urlOf, received } = await plainReceiver()
    const { parcels } = await withUrl(urlOf('all'))
    await settled()
    await production.call('PUT', `/charge/${parcels[0]}/metadata`, { notification_url: urlOf('one') })
    await production.pay(parcels[0] as number)
    await production.pay(parcels[1] as number)
    await settled()
    const paths = received.slice(5).map(({ path, body }) => {
      const [{ charge_id, status }] = JSON.parse(body).notification.entries
      return [path, charge_id, status]
    })
    expect(paths).toHaveLength(3)
    expect(paths).toEqual(
      expect.arrayContaining([
        ['/one', parcels[0], 'paid'],
        ['/all', parcels[1], 'paid'],
        ['/all', undefined, 'finished'],
      ]),
    )
  })
})

describe('the control API', () => {
  const shown = async (id: number) => (await production.control('GET', `/carnets/${id}`)).json

  it('shows a carnet with its parcels, its history and what comes next', async () => {
    const { id, parcels } = await production.createCarnet({ repeats: 2, metadata: { custom_id: 'a' } })
    const [first, second] = parcels
    const state = { carnet_id: id, account: '100001', status: 'up_to_date', value: 20_000, custom_id: 'a' }
    expect((await production.control('GET', '/carnets')).json).toEqual({ carnets: [{ ...state, charges: parcels }] })
    const { history, next, ...record } = await shown(id)
    expect(record).toMatchObject({
      ...state,
      split_items: false,
      created_at: '2026-03-02T15:00:00.000Z',
      charges: [
        { charge_id: first, parcel: 1, status: 'waiting', total: 10_000, expire_at: '2026-03-10' },
        { charge_id: second, parcel: 2, status: 'waiting', total: 10_000, expire_at: '2026-04-10' },
      ],
      notifications: { url: null, form: 'json', entries: 5 },
    })
    const what = (lines: { what: string }[]) => lines.map((line) => line.what)
    expect(what(history)).toEqual([
      ...['"Carnê criado"', `carnet ${id} is up_to_date`, `charge ${first} is new`, `charge ${second} is new`],
      ...[`charge ${first} is waiting, was new`, `charge ${second} is waiting, was new`],
    ])
    const over = (at: string, date: string, charge: number | undefined) => ({
      at,
      what: `the due date ${date} is over: charge ${charge} becomes unpaid`,
    })
    expect(next.filter(({ at }: { at: string | null }) => at !== null)).toEqual([
      over('2026-03-11T03:00:00.000Z', '2026-03-10', first),
      over('2026-04-11T03:00:00.000Z', '2026-04-10', second),
    ])
    // What somebody has to do: each parcel can be paid, and no address gets the notifications.
    expect(what(next)).toEqual(
      expect.arrayContaining([
        `ctl pay-billet ${first} --environment production pays charge ${first}`,
        `ctl pay-billet ${second} --environment production pays charge ${second}`,
        'no address: entries are kept and nothing is sent; metadata of POST /v1/carnet sets notification_url',
      ]),
    )
  })

  it('an unknown carnet is 404, and so is that of the other environment', async () => {
    const { id } = await production.createCarnet()
    const answers = [
      await production.control('GET', '/carnets/1'),
      await running().control('GET', `/carnets/${id}?environment=sandbox`),
    ]
    expect(answers.map(({ status, json }) => [status, json.error])).toEqual([
      [404, expect.stringContaining('no carnet of production has this id: see GET /control/carnets')],
      [404, expect.stringContaining('no carnet of sandbox has this id: see GET /control/carnets')],
    ])
  })
})

it('no GET changes a record', async () => {
  const { records } = running().simulator.sites.sandbox
  const { json } = await sandbox.create()
  const before = records.dump()
  const { carnet_id, link, cover, pdf } = json.data
  await sandbox.recordOf(carnet_id)
  for (const url of [link, cover, pdf.carnet, pdf.cover]) await running().askRaw(url, {})
  await sandbox.control('GET', `/carnets/${carnet_id}`)
  expect(records.dump()).toEqual(before)
})
