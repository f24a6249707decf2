import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { MOVEMENT_KINDS } from '../../src/account/ledger.ts'
import { type RunningSimulator, runSimulator } from '../running.ts'

let running: RunningSimulator
let account: string
beforeAll(async () => {
  running = await runSimulator()
  account = running.simulator.sites.sandbox.applications.list()[0]?.account ?? ''
})
afterAll(() => running.stop())
beforeEach(async () => {
  await running.control('POST', '/reset')
  await at('2026-03-02T15:00:00Z')
})

const at = (now: string) => running.control('PUT', '/clock', { now, frozen: true })
const ask = (method: string, path: string, body?: unknown) =>
  running.control(method, `/accounts/${account}${path}`, body)
const move = (kind: string, amount: unknown, more: object = {}) => ask('POST', '/movements', { kind, amount, ...more })
const made = async (...given: Parameters<typeof move>) => {
  const { status, json, text } = await move(...given)
  if (status !== 201) throw new Error(`no movement: ${status} ${text}`)
  return json
}
const list = async (query = '') => (await ask('GET', `/movements${query}`)).json.movements
const balance = async () => (await ask('GET', '/balance')).json
const refused = async (...given: Parameters<typeof move>) => {
  const { status, json } = await move(...given)
  return [status, json.error]
}

describe('movements of the control API', () => {
  it('can be of every kind, and add up to the balance', async () => {
    const sent = (await made('pixEnviadoChave', 1000)).id
    const byBank = (await made('pixEnviadoDadosBancarios', 2000)).id
    const received = (await made('pixRecebido', 5000)).id
    const transfer = (await made('transferenciaEnviada', 300)).id
    await made('transferenciaRecebida', 400)
    const fees: [string, string][] = [
      ['tarifaPixEnviado', 'estornoTarifaPixEnviado'],
      ['tarifaPixRecebido', 'estornoTarifaPixRecebido'],
      ['tarifaTransferenciaEnviada', 'estornoTarifaTransferenciaEnviada'],
    ]
    for (const [fee, reversal] of fees) await made(reversal, 10, { reverses: (await made(fee, 10)).id })
    await made('estornoPixEnviado', 1000, { reverses: sent })
    await made('pixDevolucaoRecebida', 500, { reverses: byBank })
    await made('pixDevolucaoEnviada', 5000, { reverses: received })
    await made('estornoTransferenciaEnviada', 300, { reverses: transfer })
    const movements = await list()
    expect(new Set(movements.map(({ kind }: { kind: string }) => kind))).toEqual(new Set(MOVEMENT_KINDS))
    expect((await balance()).balance).toBe(100_000_000 - 2000 + 400 + 500)
  })

  it('answer their record', async () => {
    const first = await made('pixRecebido', 15_010)
    expect(first).toEqual({
      id: 1,
      account,
      kind: 'pixRecebido',
      amount: 15_010,
      at: '2026-03-02T15:00:00.000Z',
      balance: 100_015_010,
      description: 'Pix recebido',
      origin: null,
      reverses: null,
    })
    const second = await made('pixDevolucaoEnviada', 10, { description: 'Troco; é pouco', reverses: 1 })
    expect(second).toMatchObject({ id: 2, balance: 100_015_000, description: 'Troco; é pouco', reverses: 1 })
    expect(await list()).toEqual([first, second])
  })

  it('have the simulated time', async () => {
    await made('pixRecebido', 1)
    await running.control('POST', '/clock/advance', { by: '36h' })
    await made('pixRecebido', 2)
    expect((await list()).map((one: { at: string }) => one.at)).toEqual([
      '2026-03-02T15:00:00.000Z',
      '2026-03-04T03:00:00.000Z',
    ])
  })

  it('are refused with the member that is wrong', async () => {
    const wrong: [object, string][] = [
      [{}, '/kind: '],
      [{ kind: 'pixRecebido' }, '/amount: '],
      [{ kind: 'saldoDia', amount: 1 }, '/kind: '],
      [{ kind: 'pixRecebido', amount: 0 }, '/amount: '],
      [{ kind: 'pixRecebido', amount: -1 }, '/amount: '],
      [{ kind: 'pixRecebido', amount: 1.5 }, '/amount: '],
      [{ kind: 'pixRecebido', amount: '1' }, '/amount: '],
      [{ kind: 'pixRecebido', amount: 1_000_000_000_000_000 }, '/amount: '],
      [{ kind: 'pixRecebido', amount: 1, description: '' }, '/description: '],
      [{ kind: 'pixRecebido', amount: 1, description: 'x'.repeat(256) }, '/description: '],
      [{ kind: 'pixRecebido', amount: 1, description: 'two\nlines' }, '/description: must have no control characters'],
      [{ kind: 'pixRecebido', amount: 1, cents: 1 }, '/cents: there is no such member'],
      [{ kind: 'estornoPixEnviado', amount: 1, reverses: 0 }, '/reverses: '],
      [
        { kind: 'pixRecebido', amount: 1, reverses: 1 },
        'reverses: pixRecebido gives no other movement back; leave it out',
      ],
      [
        { kind: 'estornoPixEnviado', amount: 1 },
        'reverses: name the pixEnviadoChave or pixEnviadoDadosBancarios that ',
      ],
      [{ kind: 'pixDevolucaoEnviada', amount: 1 }, 'reverses: name the pixRecebido that '],
    ]
    for (const [body, error] of wrong)
      expect(await ask('POST', '/movements', body)).toMatchObject({
        status: 400,
        json: { error: expect.stringContaining(error) },
      })
    expect([await list(), (await balance()).balance]).toEqual([[], 100_000_000])
  })

  it('take all that is available, and not a cent more', async () => {
    expect(await refused('pixEnviadoChave', 100_000_001)).toEqual([
      409,
      'the account has 100000000 cents available: pixEnviadoChave of 100000001 cents is more',
    ])
    await made('pixEnviadoChave', 100_000_000)
    expect(await balance()).toEqual({ balance: 0, available: 0 })
    for (const kind of ['transferenciaEnviada', 'tarifaPixEnviado', 'pixEnviadoDadosBancarios'])
      expect((await refused(kind, 1))[0]).toBe(409)
    const { id } = await made('pixRecebido', 100)
    await made('tarifaPixRecebido', 1)
    expect(await refused('pixDevolucaoEnviada', 100, { reverses: id })).toEqual([
      409,
      expect.stringContaining('99 cents'),
    ])
    expect((await balance()).balance).toBe(99)
  })

  it('take the balance no further than 999999999999999 cents', async () => {
    expect((await ask('PUT', '/balance', { balance: 999_999_999_999_990 })).status).toBe(200)
    expect(await refused('pixRecebido', 10)).toEqual([409, expect.stringContaining('use 9 at most')])
    await made('pixRecebido', 9)
    expect((await balance()).balance).toBe(999_999_999_999_999)
    expect((await ask('PUT', '/balance', { balance: 1_000_000_000_000_000 })).status).toBe(400)
    expect((await ask('PUT', '/balance', { balance: -1 })).status).toBe(400)
  })

  it('are of an account of the environment', async () => {
    for (const [method, path, body] of [
      ['GET', '/movements'],
      ['POST', '/movements', { kind: 'pixRecebido', amount: 1 }],
      ['GET', '/balance'],
      ['PUT', '/balance', { balance: 1 }],
      ['GET', '/blocks'],
      ['PUT', '/blocks', {}],
    ] as const)
      expect(await running.control(method, `/accounts/7${path}`, body)).toMatchObject({
        status: 404,
        json: { error: expect.stringMatching(/^no account 7 in sandbox: there are \d+, \d+$/) },
      })
    await made('pixRecebido', 1)
    const [other] = running.simulator.sites.production.applications.accounts()
    const path = `/accounts/${other?.number}/movements?environment=production`
    expect((await running.control('GET', path)).json).toEqual({ movements: [] })
  })
})

describe('a reversal', () => {
  it.each([
    ['estornoPixEnviado', 'pixEnviadoChave'],
    ['estornoPixEnviado', 'pixEnviadoDadosBancarios'],
    ['estornoTarifaPixEnviado', 'tarifaPixEnviado'],
    ['estornoTarifaPixRecebido', 'tarifaPixRecebido'],
    ['estornoTransferenciaEnviada', 'transferenciaEnviada'],
    ['estornoTarifaTransferenciaEnviada', 'tarifaTransferenciaEnviada'],
  ])('%s gives a movement of the kind %s back, once, whole', async (kind, given) => {
    const { id } = await made(given, 500)
    const other = await made(given === 'tarifaPixEnviado' ? 'tarifaPixRecebido' : 'tarifaPixEnviado', 500)
    const whole = `amount: ${kind} gives movement ${id} back whole: 500 cents`
    expect(await refused(kind, 499, { reverses: id })).toEqual([400, whole])
    expect(await refused(kind, 501, { reverses: id })).toEqual([400, whole])
    expect(await refused(kind, 500, { reverses: other.id })).toEqual([
      400,
      expect.stringContaining(`movement ${other.id} is ${other.kind}; ${kind} gives back `),
    ])
    expect(await refused(kind, 500, { reverses: 99 })).toEqual([404, `reverses: account ${account} has no movement 99`])
    expect(await made(kind, 500, { reverses: id })).toMatchObject({ reverses: id, balance: 99_999_500 })
    expect(await refused(kind, 500, { reverses: id })).toEqual([
      409,
      `0 of 500 cents of movement ${id} are left to give back`,
    ])
  })
})

describe('a refund', () => {
  it.each([
    ['pixDevolucaoEnviada', 'pixRecebido'],
    ['pixDevolucaoRecebida', 'pixEnviadoChave'],
    ['pixDevolucaoRecebida', 'pixEnviadoDadosBancarios'],
  ])('%s gives parts of a movement of the kind %s back, never more in sum', async (kind, given) => {
    const { id } = await made(given, 500)
    const { id: fee } = await made('tarifaPixEnviado', 500)
    expect((await refused(kind, 1, { reverses: fee }))[0]).toBe(400)
    await made(kind, 200, { reverses: id })
    expect(await refused(kind, 301, { reverses: id })).toEqual([
      409,
      `300 of 500 cents of movement ${id} are left to give back`,
    ])
    await made(kind, 300, { reverses: id })
    expect((await refused(kind, 1, { reverses: id }))[0]).toBe(409)
  })

  it('leaves nothing to reverse, nor a reversal anything to refund', async () => {
    const { id } = await made('pixEnviadoChave', 500)
    await made('pixDevolucaoRecebida', 1, { reverses: id })
    expect((await refused('estornoPixEnviado', 500, { reverses: id }))[0]).toBe(409)
    const second = await made('pixEnviadoChave', 500)
    await made('estornoPixEnviado', 500, { reverses: second.id })
    expect((await refused('pixDevolucaoRecebida', 1, { reverses: second.id }))[0]).toBe(409)
  })
})

describe('the list', () => {
  it('has the newest, oldest first, 100 unless limit says otherwise', async () => {
    for (let amount = 1; amount <= 101; amount++) await made('pixRecebido', amount)
    const amounts = async (query: string) => (await list(query)).map(({ amount }: { amount: number }) => amount)
    expect(await amounts('?limit=3')).toEqual([99, 100, 101])
    expect((await amounts('')).length).toBe(100)
    expect((await amounts('?limit=9999')).length).toBe(101)
  })

  it('has local days from and to, both included', async () => {
    await at('2026-03-02T02:59:59.999Z')
    await made('pixRecebido', 1)
    await at('2026-03-02T03:00:00Z')
    await made('pixRecebido', 2)
    await at('2026-03-03T02:59:59.999Z')
    await made('pixRecebido', 3)
    await at('2026-03-03T03:00:00Z')
    await made('pixRecebido', 4)
    const amounts = async (query: string) => (await list(query)).map(({ amount }: { amount: number }) => amount)
    expect(await amounts('?from=2026-03-02')).toEqual([2, 3, 4])
    expect(await amounts('?to=2026-03-02')).toEqual([1, 2, 3])
    expect(await amounts('?from=2026-03-02&to=2026-03-02')).toEqual([2, 3])
    expect(await amounts('?from=2026-03-02&to=2026-03-02&limit=1')).toEqual([3])
    expect(await amounts('?from=0001-01-01&to=9999-12-31')).toEqual([1, 2, 3, 4])
    expect(await amounts('?from=2026-03-04')).toEqual([])
  })

  it.each(['from=2026-02-30', 'to=02/03/2026', 'from=2026-03-02&to=2026-03-01', 'limit=0', 'limit=10000', 'kind=x'])(
    'refuses %s',
    async (query) => {
      expect((await ask('GET', `/movements?${query}`)).status).toBe(400)
    },
  )
})

describe('setting the balance', () => {
  it('writes one movement of the difference, and none without one', async () => {
    await ask('PUT', '/balance', { balance: 100_000_500 })
    await ask('PUT', '/balance', { balance: 100_000_500 })
    const { json } = await ask('PUT', '/balance', { balance: 0 })
    expect(json).toEqual({ balance: 0, available: 0 })
    expect(await list()).toMatchObject([
      { kind: 'transferenciaRecebida', amount: 500, description: 'Saldo definido pela API de controle', origin: null },
      { kind: 'transferenciaEnviada', amount: 100_000_500, balance: 0 },
    ])
  })

  it('takes no account of blocks', async () => {
    await ask('PUT', '/blocks', { judicial: 100_000_000 })
    expect((await ask('PUT', '/balance', { balance: 5 })).json).toEqual({ balance: 5, available: 0 })
  })
})

describe('blocks', () => {
  it('are replaced as a whole, and are no movements', async () => {
    expect((await ask('PUT', '/blocks', { judicial: 15_010, med: 1 })).json).toEqual({
      judicial: 15_010,
      med: 1,
      total: 15_011,
      available: 99_984_989,
    })
    expect((await ask('PUT', '/blocks', { med: 2 })).json).toMatchObject({ judicial: 0, med: 2, total: 2 })
    await ask('PUT', '/blocks', {})
    expect((await ask('GET', '/blocks')).json).toEqual({ judicial: 0, med: 0, total: 0, available: 100_000_000 })
    expect(await list()).toEqual([])
  })

  it('cannot be used by debits', async () => {
    await ask('PUT', '/blocks', { judicial: 60_000_000, med: 39_999_999 })
    expect(await refused('tarifaPixEnviado', 2)).toEqual([409, expect.stringContaining('has 1 cents available')])
    await made('tarifaPixEnviado', 1)
    await ask('PUT', '/blocks', { judicial: 999_999_999_999_999, med: 999_999_999_999_999 })
    expect(await balance()).toEqual({ balance: 99_999_999, available: 0 })
    expect((await refused('tarifaPixEnviado', 1))[0]).toBe(409)
    expect((await made('pixRecebido', 1)).balance).toBe(100_000_000)
  })

  it.each([{ judicial: -1 }, { med: 0.5 }, { judicial: '1' }, { total: 1 }, { med: 1_000_000_000_000_000 }])(
    '%j is refused',
    async (body) => {
      expect((await ask('PUT', '/blocks', body)).status).toBe(400)
      expect((await ask('GET', '/blocks')).json.total).toBe(0)
    },
  )
})

it('no GET changes a record', async () => {
  await made('pixRecebido', 1)
  const { records } = running.simulator.sites.sandbox
  const before = records.dump()
  for (const path of ['/movements?from=2026-03-02', '/balance', '/blocks']) await ask('GET', path)
  expect(records.dump()).toEqual(before)
})
