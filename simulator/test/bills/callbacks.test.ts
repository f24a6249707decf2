import { expect, it, onTestFinished } from 'vitest'
import { type Receiver, receiverCaFile, startReceiver } from '../receiver.ts'
import { simulatorForTest } from '../running.ts'
import { clientForFile } from './client.ts'

const client = clientForFile({}, { receiverCaFile: receiverCaFile() })

async function receiver(): Promise<Receiver> {
  const started = await startReceiver({ chain: client.running.simulator.folder.environments.sandbox.chain })
  onTestFinished(() => started.stop())
  return started
}
const register = (url: string, account = client.account) =>
  client.site.webhooks.register({ interface: 'payment', account, url })
const bodies = ({ received }: Receiver) => received.map(({ body }) => JSON.parse(body))
const transitions = (one: Receiver) => bodies(one).map(({ status }) => `${status.anterior} ${status.atual}`)

it('every state change is one callback to every registered URL of the account, and to no other', async () => {
  const [one, two, foreign] = [await receiver(), await receiver(), await receiver()]
  const other = client.site.applications.accounts()[1]?.number ?? ''
  register(one.urlOf('a'))
  register(two.urlOf('b'))
  register(foreign.urlOf('c'), other)
  const { json } = await client.pay(await client.billet({ amount: 15_010 }), { valor: 15_010 })
  await client.site.tasks.settled()
  await client.advance('5m')
  const expected = ['CRIADO EM_PROCESSAMENTO', 'EM_PROCESSAMENTO EXECUTADO', 'EXECUTADO LIQUIDADO']
  expect([transitions(one), transitions(two), transitions(foreign)]).toEqual([expected, expected, []])
  expect(bodies(one).map(({ identificador }) => identificador)).toEqual(Array(3).fill(json.idPagamento))
})

it('the body has the members of the field, and the amount two decimals', async () => {
  const one = await receiver()
  register(one.urlOf('a'))
  const code = await client.billet({ amount: 15_010 })
  const { linhaDigitavel } = (await client.show(code)).json
  const { json } = await client.pay(code, { valor: 15_010 })
  await client.advance('5m')
  const extras = { codigoBarras: code, linhaDigitavel, dataExecucao: '2026-03-02' }
  const common = { identificador: json.idPagamento, valor: '150.10' }
  const solicitacao = '2026-03-02T15:00:00.000Z'
  const protocolo = expect.stringMatching(/^[0-9A-F]{32}$/)
  expect(bodies(one)).toEqual([
    { ...common, status: { anterior: 'CRIADO', atual: 'EM_PROCESSAMENTO' }, horario: { solicitacao }, extras },
    {
      ...common,
      status: { anterior: 'EM_PROCESSAMENTO', atual: 'EXECUTADO' },
      horario: { solicitacao },
      extras: { protocolo, ...extras },
    },
    {
      ...common,
      status: { anterior: 'EXECUTADO', atual: 'LIQUIDADO' },
      horario: { solicitacao, liquidacao: '2026-03-02T15:01:30.000Z' },
      extras: { protocolo, ...extras },
    },
  ])
})

it('a payment that was not made, or canceled, has its reason and no protocol', async () => {
  const one = await receiver()
  register(one.urlOf('a'))
  const paid = await client.pay(await client.billet())
  await client.advance('30s')
  await client.move(paid.json.idPagamento, 'fail', { reason: 'Conta encerrada.' })
  // Callbacks of the same moment may overtake each other.
  await client.site.tasks.settled()
  const scheduled = await client.pay(await client.billet(), { dataPagamento: '2026-03-04' })
  await client.site.tasks.settled()
  await client.move(scheduled.json.idPagamento, 'cancel', { reason: 'Mudei de ideia.' })
  await client.site.tasks.settled()
  expect(transitions(one).slice(2)).toEqual(['EXECUTADO NAO_REALIZADO', ...['CRIADO AGENDADO', 'AGENDADO CANCELADO']])
  const [, , failed, , canceled] = bodies(one)
  expect([failed.extras.motivoRecusa, canceled.extras.motivoRecusa]).toEqual(['Conta encerrada.', 'Mudei de ideia.'])
  expect([failed.extras.protocolo, failed.horario.liquidacao, canceled.extras.dataExecucao]).toEqual([
    ...[undefined, undefined, '2026-03-04'],
  ])
})

it('settling at once tells every state on the way, in order', async () => {
  const { json } = await client.pay(await client.billet(), { dataPagamento: '2026-03-04' })
  const one = await receiver()
  register(one.urlOf('a'))
  await client.move(json.idPagamento, 'settle')
  const ids = client.site.webhooks.callbacks.list().map(({ body }) => JSON.parse(body).status.atual)
  expect(ids).toEqual(['EM_PROCESSAMENTO', 'EXECUTADO', 'LIQUIDADO'])
  await one.arrived(3)
})

it('the name of the last member, the delays and the hour of scheduled payments are settings', async () => {
  const bills = { scheduledTime: '06:30', processingSeconds: 0, settlementSeconds: 3600 }
  const running = await simulatorForTest({ webhooks: { paymentExtras: 'efiExtras' }, bills })
  const now = '2026-03-02T15:00:00Z'
  await running.control('PUT', '/clock', { now, frozen: true })
  const site = running.simulator.sites.sandbox
  const account = site.applications.list()[0]?.account ?? ''
  site.webhooks.register({ interface: 'payment', account, url: 'https://localhost:1/' })
  const { codBarras } = (await running.control('POST', '/bills', { kind: 'tax', amount: 100 })).json
  const path = `/v1/codBarras/${codBarras}`
  await running.ask('payment', { path })
  const body = { valor: 100, dataPagamento: '2026-03-03' }
  const { idPagamento } = (await running.ask('payment', { method: 'POST', path, body })).json
  await running.control('PUT', '/clock', { now: '2026-03-03T10:29:59Z' })
  expect((await running.ask('payment', { path: `/v1/${idPagamento}` })).json.status).toBe('EXECUTADO')
  await running.control('PUT', '/clock', { now: '2026-03-03T10:30:00Z' })
  expect((await running.ask('payment', { path: `/v1/${idPagamento}` })).json.status).toBe('LIQUIDADO')
  expect(JSON.parse(site.webhooks.callbacks.list()[0]?.body ?? '')).toHaveProperty('efiExtras.codigoBarras', codBarras)
})
