import fc from 'fast-check'
import { agreeOnAccount } from './agreement.ts'
import { DEBITS } from './model.ts'
import { expectStatus, operation, pick, which } from './operation.ts'

export const ACCOUNT = [
  operation(
    'create a key',
    fc.constant({}),
    () => true,
    async ({ model, real }) => {
      const answer = await real.running.ask('account', { method: 'POST', path: '/v2/svc/evp' }, real.environment)
      if (expectStatus(answer, model.keys.length < 20 ? 201 : 400)) model.keys.push(answer.json.chave)
    },
  ),
  operation(
    'remove a key',
    fc.record({ which }),
    ({ keys }) => keys.length > 0,
    async ({ model, real }, { which }) => {
      const key = pick(model.keys, which)
      const ask = () => real.running.ask('account', { method: 'DELETE', path: `/v2/svc/evp/${key}` }, real.environment)
      expectStatus(await ask(), 200)
      expectStatus(await ask(), 400)
      model.keys.splice(model.keys.indexOf(key), 1)
    },
  ),
  operation(
    'set the balance',
    fc.record({ balance: fc.constantFrom(0, 30_000_000, 200_000_000) }),
    () => true,
    async ({ model, real }, { balance }) => {
      expectStatus(await real.client.control('PUT', `/accounts/${real.account}/balance`, { balance }), 200)
      const difference = balance - model.balance
      if (difference !== 0)
        model.move(difference > 0 ? 'transferenciaRecebida' : 'transferenciaEnviada', Math.abs(difference))
    },
  ),
  operation(
    'write a movement',
    fc.record({
      kind: fc.constantFrom('pixRecebido', 'pixEnviadoChave', 'tarifaPixEnviado', 'transferenciaRecebida'),
      amount: fc.constantFrom(1, 10_000, 60_000_000),
    }),
    () => true,
    async ({ model, real }, { kind, amount }) => {
      const isAllowed = !DEBITS.includes(kind) || amount <= model.available
      const answer = await real.client.control('POST', `/accounts/${real.account}/movements`, { kind, amount })
      if (expectStatus(answer, isAllowed ? 201 : 409)) model.move(kind, amount)
    },
  ),
  operation(
    'give a movement back',
    fc.record({ which, part: fc.constantFrom(1, 2) }),
    ({ movements }) => movements.some(({ kind }) => kind in GIVES_BACK),
    async (step, { which, part }) => {
      const { model, real } = step
      // Ids of movements are known from the list.
      await agreeOnAccount(step)
      const given = pick(
        model.movements.filter(({ kind }) => kind in GIVES_BACK),
        which,
      )
      const kind = GIVES_BACK[given.kind] as string
      const isWhole = kind.startsWith('estorno')
      const amount = isWhole ? given.cents : Math.ceil(given.cents / part)
      const body = { kind, amount, reverses: given.id }
      const isAllowed =
        !given.isOfBill &&
        given.givenBack + amount <= given.cents &&
        (!DEBITS.includes(kind) || amount <= model.available)
      const answer = await real.client.control('POST', `/accounts/${real.account}/movements`, body)
      if (!expectStatus(answer, isAllowed ? 201 : 409)) return
      given.givenBack += amount
      model.move(kind, amount)
    },
  ),
  operation(
    'block amounts',
    fc.record({ judicial: fc.constantFrom(0, 99_000_000), med: fc.constantFrom(0, 150) }),
    () => true,
    async ({ model, real }, blocks) => {
      expectStatus(await real.client.control('PUT', `/accounts/${real.account}/blocks`, blocks), 200)
      model.blocked = blocks.judicial + blocks.med
    },
  ),
]

/** What gives a movement back, by the kind of that movement. */
const GIVES_BACK: Readonly<Record<string, string>> = {
  pixRecebido: 'pixDevolucaoEnviada',
  pixEnviadoChave: 'estornoPixEnviado',
  tarifaPixEnviado: 'estornoTarifaPixEnviado',
  transferenciaEnviada: 'estornoTransferenciaEnviada',
}
