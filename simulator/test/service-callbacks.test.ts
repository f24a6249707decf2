import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Interface } from '../src/interfaces.ts'
import { chargeClient } from './charges/charge-client.ts'
import { plainReceiver } from './notifications/plain-receiver.ts'
import { type Receiver, receiverCaFile, startReceiver } from './receiver.ts'
import { openingRequest } from './registration/opening-request.ts'
import { type RunningSimulator, runSimulator } from './running.ts'

const PAGE = readFileSync(resolve(import.meta.dirname, '../docs/service-callbacks.md'), 'utf8')
const ajv = new Ajv2020({ allErrors: true, strict: false })
// The default export of a CommonJS module, which TypeScript and Node see differently.
;(addFormats as unknown as (to: Ajv2020) => void)(ajv)

type Content = Record<string, { schema: object; example: unknown }>
interface Document {
  readonly webhooks: Record<string, { post: { requestBody: { content: Content } } }>
}

let running: RunningSimulator
let receiver: Receiver
beforeAll(async () => {
  running = await runSimulator({}, { receiverCaFile: receiverCaFile() })
  receiver = await startReceiver({ chain: running.simulator.folder.environments.sandbox.chain })
  await running.control('PUT', '/clock', { now: '2026-03-02T15:00:00Z', frozen: true })
})
afterAll(async () => {
  await receiver.stop()
  await running.stop()
})

/** The examples in the chapter of the page. */
function examplesOf(chapter: string): unknown[] {
  const [, text = ''] = PAGE.split(new RegExp(`^## ${chapter}$`, 'm'))
  const blocks = [...(text.split(/^## /m)[0] ?? '').matchAll(/^```json\n([\s\S]*?)^```$/gm)]
  return blocks.map(([, json = '']) => JSON.parse(json))
}

/** What the OpenAPI document of the interface says of the callback. */
async function contentOf(on: Interface, name: string): Promise<Content> {
  const { webhooks } = (await running.askRaw(`${running.baseOf(on)}/openapi.json`, {})).json as Document
  return webhooks[name]?.post.requestBody.content ?? {}
}

/** Each of the bodies is one that the document has; an unknown member is an error. */
async function expectDocumented(on: Interface, name: string, bodies: readonly unknown[], type = 'application/json') {
  const { schema } = (await contentOf(on, name))[type] as Content[string]
  const strict = JSON.parse(JSON.stringify(schema), (_, value) =>
    value?.type === 'object' ? { ...value, additionalProperties: false } : value,
  ) as object
  expect(bodies.length).toBeGreaterThan(0)
  for (const body of bodies)
    expect([ajv.validate(strict, body), ajv.errorsText(), body]).toEqual([true, 'No errors', body])
}

const sentTo = (path: string) =>
  receiver.received.filter((one) => one.path === path).map(({ body }) => JSON.parse(body) as unknown)
const settled = () => running.simulator.sites.sandbox.tasks.settled()
const isTest = (body: unknown) => JSON.stringify(body) === '{"evento":"teste_webhook"}'

it('the test call and the callbacks of a payment are sent as the page and the document have them', async () => {
  await running.ask('payment', { method: 'PUT', path: '/v1/webhook', body: { url: receiver.urlOf('payments') } })
  for (const reason of [undefined, 'Conta encerrada.']) {
    const bill = await running.control('POST', '/bills', { kind: 'billet', amount: 15_010, dueDate: '2026-03-09' })
    const path = `/v1/codBarras/${bill.json.codBarras}`
    await running.ask('payment', { path })
    const body = { valor: 15_010, dataPagamento: '2026-03-02' }
    const { idPagamento } = (await running.ask('payment', { method: 'POST', path, body })).json
    if (reason !== undefined) await running.control('POST', `/payments/${idPagamento}/fail`, { reason })
    await running.control('POST', '/clock/advance', { by: '5m' })
    await settled()
  }
  const sent = sentTo('/payments')
  await expectDocumented('payment', 'testCall', [...sent.filter(isTest), ...examplesOf('Test call')])
  await expectDocumented('payment', 'payment', [...sent.filter((one) => !isTest(one)), ...examplesOf('Payment')])
  expect(keysOf(sent.filter((one) => !isTest(one)))).toEqual(keysOf(examplesOf('Payment')))
})

it('the callbacks of an opening are sent as the page and the document have them', async () => {
  const webhookUrl = receiver.urlOf('openings')
  await running.ask('registration', { method: 'POST', path: '/v1/webhook', body: { webhookUrl } })
  for (const [cpf, answer] of [
    ['11144477735', 'accept'],
    ['52998224725', 'refuse'],
  ] as const) {
    const { clienteFinal } = openingRequest()
    const contact = { celular: `3198765432${cpf[0]}`, email: `${cpf}@example.com` }
    const body = openingRequest({ clienteFinal: { ...clienteFinal, cpf, ...contact }, escoposIntegrados: ['cob.read'] })
    const { json } = await running.ask('registration', { method: 'POST', path: '/v1/conta-simplificada', body })
    await running.control('POST', `/openings/${json.contaSimplificada.identificador}/${answer}`, {})
    await running.control('POST', '/clock/advance', { by: '5m' })
    await settled()
  }
  const sent = sentTo('/openings').filter((one) => !isTest(one))
  expect(sent.map((one) => (one as { evento: string }).evento).sort()).toEqual(
    examplesOf('Account opening')
      .map((one) => (one as { evento: string }).evento)
      .sort(),
  )
  await expectDocumented('registration', 'accountOpening', [...sent, ...examplesOf('Account opening')])
})

it('the callbacks of open banking are sent as the page and the document have them', async () => {
  const body = { redirectURL: 'https://shop.example/back', webhookURL: receiver.urlOf('open-banking') }
  await running.ask('open-banking', { method: 'PUT', path: '/v1/config', body })
  for (const one of [{}, { status: 'rejeitado', tipo: 'devolucao' }])
    await running.control('POST', '/open-banking/callbacks', one)
  await settled()
  const sent = sentTo('/open-banking').filter((one) => !isTest(one))
  expect(keysOf(sent)).toEqual(keysOf(examplesOf('Open banking')))
  await expectDocumented('open-banking', 'openBankingPayment', [...sent, ...examplesOf('Open banking')])
})

it('charge notifications are sent as the page and the document have them, as JSON and as a token', async () => {
  const client = chargeClient(() => running, 'sandbox')
  const { received, urlOf } = await plainReceiver()
  const [{ clientId = '' } = {}] = running.simulator.sites.sandbox.applications.list()
  for (const form of ['json', 'token']) {
    await running.control('PUT', `/applications/${clientId}/notifications`, { form })
    const metadata = { notification_url: urlOf(form), custom_id: 'order 1' }
    await client.payByCard(await client.createCharge({ metadata }))
    await client.advance('5m')
    await settled()
  }
  const bodiesOf = (form: string) => received.filter(({ path }) => path === `/${form}`).map(({ body }) => body)
  const entries = bodiesOf('json').map((body) => JSON.parse(body) as unknown)
  await expectDocumented('charges', 'chargeStatus', [...entries, ...examplesOf('Charge, as JSON')])
  const forms = bodiesOf('token')
  const type = 'application/x-www-form-urlencoded'
  await expectDocumented(
    'charges',
    'chargeStatus',
    forms.map((form) => Object.fromEntries(new URLSearchParams(form))),
    type,
  )
  const form = /^notification=[0-9a-f-]{36}$/m
  expect(forms).toEqual(forms.map(() => expect.stringMatching(form)))
  expect(PAGE).toMatch(form)

  const fetched = await client.call('GET', `/notification/${forms[0]?.split('=')[1]}`)
  const [first, ...later] = (examplesOf('Charge, as a token')[0] as { data: object[] }).data
  expect(keysOf(fetched.json.data)).toEqual(keysOf([first, ...later]))
})

/** All members, with those within members, in any of the bodies. */
function keysOf(bodies: readonly unknown[], path = ''): string[] {
  const keys = bodies.flatMap((body) =>
    typeof body !== 'object' || body === null
      ? []
      : Object.entries(body).flatMap(([name, value]) => [`${path}/${name}`, ...keysOf([value], `${path}/${name}`)]),
  )
  return [...new Set(keys)].sort()
}
