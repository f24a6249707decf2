import { expect, it } from 'vitest'
import { clientForFile } from './client.ts'

const client = clientForFile()
const summary = (query: string) => client.running.ask('payment', { path: `/v1/resumo${query}` })
const of = async (first: string, last = first) => (await summary(`?dataInicio=${first}&dataFim=${last}`)).json

it('counts each state in its group, and lists the failed payments by number', async () => {
  const pay = async (dataPagamento: string) =>
    (await client.pay(await client.billet(), { dataPagamento })).json.idPagamento
  const settled = await pay('2026-03-02')
  await client.move(settled, 'settle')
  await pay('2026-03-02')
  await client.advance('30s')
  await pay('2026-03-02')
  await pay('2026-03-04')
  const failed = [await pay('2026-03-02'), await pay('2026-03-04')]
  for (const id of failed) await client.move(id, 'fail')
  await client.move(await pay('2026-03-04'), 'cancel')
  expect(await of('2026-03-02')).toEqual({
    datas: { inicial: '2026-03-02', final: '2026-03-02' },
    solicitacoes: { total: 7, processando: 3, sucesso: 1, falha: 2, cancelada: 1 },
    solicitacoesFalhas: failed.map(Number),
  })
})

it('counts by the local date of the request, both ends of the period included', async () => {
  await client.at('2026-03-02 23:59:59')
  await client.pay(await client.billet(), { dataPagamento: '2026-03-09' })
  await client.at('2026-03-03 00:00:00')
  await client.pay(await client.billet(), { dataPagamento: '2026-03-09' })
  const totals = [
    await of('2026-03-01'),
    await of('2026-03-02'),
    await of('2026-03-03'),
    await of('2026-03-02', '2026-03-03'),
    await of('2026-03-04', '2026-03-09'),
  ]
  expect(totals.map(({ solicitacoes }) => solicitacoes.total)).toEqual([0, 1, 1, 2, 0])
})

it('counts the payments of the caller’s account only', async () => {
  await client.pay(await client.billet())
  const headers = { authorization: `Bearer ${await client.running.tokenOf('payment', { account: 1 })}` }
  const url = `${client.running.baseOf('payment')}/v1/resumo?dataInicio=2026-03-02&dataFim=2026-03-02`
  const { json } = await client.running.askRaw(url, { headers }, client.running.tlsOf('sandbox', 1))
  expect(json.solicitacoes.total).toBe(0)
})

it('refuses a period without beginning or end, and says which is missing', async () => {
  const asked = ['', '?dataInicio=2026-03-02', '?dataFim=2026-03-02']
  const answers = await Promise.all(asked.map(summary))
  const named = answers.map(({ status, json }) => [
    ...[status, json.nome, /dataInicio/.test(json.mensagem), /dataFim/.test(json.mensagem)],
  ])
  expect(named).toEqual([
    [400, 'erro_de_validacao', true, true],
    [400, 'erro_de_validacao', false, true],
    [400, 'erro_de_validacao', true, false],
  ])
})

it.each([
  ['a date that does not exist', '2026-02-30', '2026-03-02', 400],
  ['a timestamp', '2026-03-01T00:00:00Z', '2026-03-02', 400],
  ['an end before the beginning', '2026-03-02', '2026-03-01', 400],
  ['365 days', '2025-03-02', '2026-03-02', 200],
  ['366 days', '2025-03-01', '2026-03-02', 400],
])('a period of %s', async (_what, first, last, status) => {
  expect((await summary(`?dataInicio=${first}&dataFim=${last}`)).status).toBe(status)
})
