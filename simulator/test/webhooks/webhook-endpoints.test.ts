import { expect, it, onTestFinished } from 'vitest'
import { type Receiver, receiverCaFile, startReceiver } from '../receiver.ts'
import { type RunningSimulator, simulatorForTest } from '../running.ts'

/** A simulator at noon, and a receiver that accepts its certificate. */
async function start(): Promise<{ running: RunningSimulator; receiver: Receiver }> {
  const running = await simulatorForTest({}, { receiverCaFile: receiverCaFile() })
  await running.control('PUT', '/clock', { now: '2026-03-02T15:00:00Z', frozen: true })
  const receiver = await startReceiver({ chain: running.simulator.folder.environments.sandbox.chain })
  onTestFinished(() => receiver.stop())
  return { running, receiver }
}

const page = (items: number) => ({
  paginaAtual: 0,
  itensPorPagina: 100,
  quantidadeDePaginas: 1,
  quantidadeTotalDeItens: items,
})

it('a webhook of the registration interface is registered, shown, listed and deleted', async () => {
  const { running, receiver } = await start()
  const ask = (method: string, path: string, body?: object) =>
    running.ask('registration', { method, path, ...(body !== undefined && { body }) })
  const webhookUrl = receiver.urlOf('hook')
  const { identificadorWebhook } = (await ask('POST', '/v1/webhook', { webhookUrl })).json
  const record = { webhookUrl, identificadorWebhook, criacao: '2026-03-02T15:00:00.000Z' }
  const shown = await ask('GET', `/v1/webhook/${identificadorWebhook}`)
  expect([shown.status, shown.json]).toEqual([200, record])
  const parametros = { inicio: '1970-01-01T00:00:00.000Z', fim: record.criacao, paginacao: page(1) }
  expect((await ask('GET', '/v1/webhooks')).json).toEqual({ parametros, webhooks: [record] })
  const before = await ask('GET', '/v1/webhooks?fim=2026-03-02T14:59:59Z')
  expect(before.json.webhooks).toEqual([])
  const removed = await ask('DELETE', `/v1/webhook/${identificadorWebhook}`)
  expect([removed.status, removed.text]).toEqual([204, ''])
  expect((await ask('GET', '/v1/webhooks')).json.webhooks).toEqual([])
})

it('a webhook of the payment interface is registered, listed by its period and deleted', async () => {
  const { running, receiver } = await start()
  const ask = (method: string, path: string, body?: object) =>
    running.ask('payment', { method, path, ...(body !== undefined && { body }) })
  const url = receiver.urlOf('payments')
  const created = await ask('PUT', '/v1/webhook', { url })
  expect([created.status, created.json]).toEqual([201, { url }])
  const listed = async (first: string, last: string) => {
    const query = `dataInicio=${first}T00:00:00Z&dataFim=${last}T00:00:00Z`
    return (await ask('GET', `/v1/webhook?${query}`)).json.webhooks
  }
  expect(await listed('2026-03-02', '2026-03-03')).toEqual([{ url, criacao: '2026-03-02T15:00:00.000Z' }])
  expect(await listed('2026-03-03', '2026-03-04')).toEqual([])
  const removed = await ask('DELETE', '/v1/webhook', { url })
  expect([removed.status, removed.text]).toEqual([204, ''])
  expect(await listed('2026-03-02', '2026-03-03')).toEqual([])
})
