import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INTERFACES, type Interface } from '../../src/interfaces.ts'
import { type Operation, operationsOf } from '../operations.ts'
import { type Receiver, receiverCaFile, startReceiver } from '../receiver.ts'
import { type RunningSimulator, runSimulator } from '../running.ts'
import { askPlayground, shown, textsIn } from './playground-client.ts'

let running: RunningSimulator
let receiver: Receiver
let operations: Operation[]
beforeAll(async () => {
  running = await runSimulator({}, { receiverCaFile: receiverCaFile() })
  receiver = await startReceiver({ chain: running.simulator.folder.environments.sandbox.chain })
  const [payment, registration] = ['payments', 'registration'].map((path) => receiver.urlOf(path))
  await running.control('PUT', '/gateway', { payment, registration, charges: 'http://localhost:9/charges' })
  operations = await operationsOf(running)
  // After the cut-off of payments on the same day: what the playground fills in is accepted at night, too.
  await running.control('PUT', '/clock', { now: '2026-03-03T02:30:00Z', frozen: true })
})
afterAll(async () => {
  await running.stop()
  await receiver.stop()
})

const AS = 'sandbox 200001'

/** The request that a form is filled with, as its curl command has it. */
async function filledForm({ on, id, path }: Operation) {
  const { status, text } = await askPlayground(running, 'GET', `/endpoints/${on}/${id}`)
  expect(status).toBe(200)
  const [curl = ''] = textsIn(text)
  const [, body] = /--data-raw '([\s\S]*?)' \\\n/.exec(curl) ?? []
  const address = (/(\S+)$/.exec(curl)?.[1] ?? '').replace(/^'|'$/g, '')
  const url = new URL(address)
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const pattern = new RegExp(`${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`)
  const values = pattern.exec(url.pathname)?.slice(1) ?? []
  const params = Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(values[index] ?? '')]))
  const isMissing = text.includes('data-post="/playground/prepare"')
  const query = Object.fromEntries(url.searchParams)
  return { params, query, isMissing, ...(body !== undefined && { body: JSON.parse(body.replaceAll(`'\\''`, "'")) }) }
}

/** Endpoints that remove what others need come last. */
const REMOVING = ['removeKey', 'deletePaymentWebhook', 'deleteRegistrationWebhook', 'cancelCharge', 'deletePlan']
const orderOf = ({ id }: Operation) => REMOVING.indexOf(id)

describe('every endpoint', () => {
  it('is in the list of both documents: 24 and 14, the seven beside them, and the token endpoints', async () => {
    const { text } = await askPlayground(running, 'GET', '/endpoints')
    const listed = [...text.matchAll(/href="\/playground\/endpoints\/([\w-]+)\/(\w+)"/g)].map(
      ([, on, id]) => `${on} ${id}`,
    )
    expect(listed.toSorted()).toEqual(operations.map(({ on, id }) => `${on} ${id}`).toSorted())
    const numbers = operations.map(({ number }) => number?.split(':')[0] ?? 'beside')
    const counts = ['1', '2', 'beside'].map((one) => numbers.filter((number) => number === one).length)
    expect(counts).toEqual([24, 14, 7 + INTERFACES.length])
  })

  it('has a form whose filled example gets an answer that its document expects', async () => {
    const answers: string[] = []
    for (const operation of operations.toSorted((one, other) => orderOf(one) - orderOf(other))) {
      const { on, id } = operation
      const named = { as: AS, on, operation: id }
      if ((await filledForm(operation)).isMissing) {
        const { status, text } = await askPlayground(running, 'POST', '/prepare', { body: named })
        if (status !== 200) answers.push(`${id} could not be prepared: ${text}`)
      }
      const { isMissing, ...filled } = await filledForm(operation)
      const { json } = await askPlayground(running, 'POST', '/call', { body: { ...named, ...filled } })
      const isExpected = json.status >= 200 && json.status < 300 && !isMissing
      if (!isExpected) answers.push(`${id} ${json.status} ${shown(json.html)} ${JSON.stringify(filled)}`)
    }
    expect(answers).toEqual([])
  })

  it('shows status, headers and body of the answer, and explains a refusal by the table of codes', async () => {
    const body = { as: AS, on: 'charges', operation: 'showCharge', params: { id: '1' } }
    const { json } = await askPlayground(running, 'POST', '/call', { body })
    expect(json.status).toBe(404)
    const text = shown(json.html)
    expect(text).toContain('3500010 not_found')
    expect(text).toContain('the account has no such charge')
    expect(text).toContain('content-type')
    expect(text).toContain('"error": "not_found"')
  })

  it('makes its request in the name of the account that is chosen', async () => {
    const call = (as: string) =>
      askPlayground(running, 'POST', '/call', { body: { as, on: 'account', operation: 'listKeys' } })
    await askPlayground(running, 'POST', '/call', {
      body: { as: 'production 100002', on: 'account', operation: 'createKey' },
    })
    const keys = (text: string) => JSON.parse(textsIn(text)[0] as string).chaves.length
    expect(keys((await call('production 100002')).json.html)).toBe(1)
    expect(keys((await call('production 100001')).json.html)).toBe(0)
  })

  it('fetches a new token when the kept one ended', async () => {
    const body = {
      as: AS,
      on: 'payment',
      operation: 'summarizePayments',
      query: { dataInicio: '2026-01-01', dataFim: '2026-01-02' },
    }
    expect((await askPlayground(running, 'POST', '/call', { body })).json.status).toBe(200)
    await running.control('POST', '/tokens/expire', {})
    expect((await askPlayground(running, 'POST', '/call', { body })).json.status).toBe(200)
  })
})

it('an answer that a fault broke is shown, that of the token endpoint too', async () => {
  const broken = { on: 'api', count: 1, fault: 'broken_body' }
  await running.control('POST', '/tokens/expire?environment=sandbox', {})
  await running.control('POST', '/faults?environment=sandbox', { ...broken, path: '/oauth/token' })
  const body = { as: 'sandbox 200002', on: 'account', operation: 'listKeys' }
  const { json } = await askPlayground(running, 'POST', '/call', { body })
  expect(shown(json.html)).toContain('{"code":200,"data":')

  await running.control('POST', '/faults?environment=sandbox', { ...broken, method: 'POST', path: '/v1/codBarras' })
  const payment = await askPlayground(running, 'POST', '/first-payment', { body: { as: AS } })
  expect(payment.status).toBe(422)
  expect(payment.json.error).toContain('payBill: 201 {"code":200,"data":')
})

it('a request of a form names an operation and a caller that are there', async () => {
  const call = { as: AS, on: 'payment' as Interface, operation: 'noSuch' }
  expect((await askPlayground(running, 'POST', '/call', { body: call })).status).toBe(404)
  expect((await askPlayground(running, 'POST', '/call', { body: { ...call, more: 1 } })).status).toBe(400)
  expect((await askPlayground(running, 'GET', '/endpoints/payment/noSuch')).status).toBe(404)
  const known = { on: 'account' as Interface, operation: 'listKeys' }
  for (const as of ['sandbox 999999', 'production 200001', ''])
    expect((await askPlayground(running, 'POST', '/call', { body: { ...known, as } })).status).toBe(404)
  for (const path of ['/first-payment', '/preview', '/prepare']) {
    const body = { as: 'sandbox 999999', ...(path !== '/first-payment' && known) }
    expect((await askPlayground(running, 'POST', path, { body })).status).toBe(404)
  }
})

it('a body that is nested too deeply to be sent is refused', async () => {
  const call = JSON.stringify({ as: AS, on: 'charges', operation: 'createCharge', body: 0 })
  const body = call.replace('"body":0', `"body":${'['.repeat(100_000)}${']'.repeat(100_000)}`)
  for (const path of ['/call', '/preview'])
    expect(await askPlayground(running, 'POST', path, { body })).toMatchObject({
      status: 400,
      json: { error: 'the body is nested too deeply' },
    })
})
