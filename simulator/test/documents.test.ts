import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INTERFACES, type Interface } from '../src/interfaces.ts'
import { validRequests } from './any-request/valid-requests.ts'
import { codeOf } from './errors/world.ts'
import { type Answer, type RunningSimulator, runSimulator } from './running.ts'

interface Media {
  readonly schema: object
  readonly example?: unknown
}
interface Described {
  readonly operationId: string
  readonly description?: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly example?: unknown
    readonly schema: object
  }[]
  readonly requestBody?: { readonly content: Record<string, Media> }
  readonly responses: Record<string, { readonly content?: Record<string, Media> }>
}
interface Document {
  readonly paths: Record<string, Record<string, Described>>
  readonly webhooks?: Record<string, Record<string, Described>>
}

const ajv = new Ajv2020({ allErrors: true, strict: false })
// The default export of a CommonJS module, which TypeScript and Node see differently.
;(addFormats as unknown as (to: Ajv2020) => void)(ajv)

let running: RunningSimulator
const documents = new Map<Interface, Document>()
beforeAll(async () => {
  running = await runSimulator()
  for (const name of INTERFACES)
    documents.set(name, (await running.askRaw(`${running.baseOf(name)}/openapi.json`, {})).json as Document)
})
afterAll(() => running.stop())

const operationsIn = (paths: Document['paths'] = {}) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  )
const documentOf = (name: Interface) => documents.get(name) as Document

/** Each body, answer and required parameter with its example. */
function examplesIn({ paths, webhooks }: Document): { where: string; schema: object; example: unknown }[] {
  return [...operationsIn(paths), ...operationsIn(webhooks)].flatMap(({ operation }) => {
    const { operationId, parameters = [], requestBody, responses } = operation
    const bodies = Object.entries({ request: requestBody ?? {}, ...responses }) as [
      string,
      { content?: Record<string, Media> },
    ][]
    const medias = bodies.flatMap(([status, { content = {} }]) =>
      Object.entries(content).map(([type, media]) => ({ where: `${operationId} ${status} ${type}`, ...media })),
    )
    const required = parameters.filter((one) => one.required)
    return [...medias, ...required.map(({ name, ...one }) => ({ where: `${operationId} ${name}`, ...one }))]
  }) as { where: string; schema: object; example: unknown }[]
}

describe.each(INTERFACES)('the OpenAPI document of the interface %s', (name) => {
  it('has an example of each body, answer and required parameter, which its schema takes', () => {
    const wrong = examplesIn(documentOf(name)).flatMap(({ where, schema, example }) => {
      if (example === undefined) return [`${where} has no example`]
      return ajv.validate(schema, example) ? [] : [`${where}: ${ajv.errorsText()} ${JSON.stringify(example)}`]
    })
    expect(wrong).toEqual([])
  })

  it('has refusals in its examples that simulator/docs/service-errors.md has too', () => {
    const wrong = operationsIn(documentOf(name).paths).flatMap(({ operation }) => {
      const refusals = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400)
      const who = [
        numberOf(operation),
        operation.operationId === 'token' ? 'token' : '',
        name === 'charges' ? name : 'Document 1',
      ]
      return refusals.flatMap(([status, { content = {} }]) => {
        const code = codeOf({ json: content['application/json']?.example } as Answer)
        const rows = who.map((one) => `${one} ${status} ${code}`)
        return rows.some((row) => ROWS.includes(row)) ? [] : [`${operation.operationId} ${status} ${code}`]
      })
    })
    expect(wrong).toEqual([])
  })
})

const PAGE = readFileSync(resolve(import.meta.dirname, '../docs/service-errors.md'), 'utf8')

/** `1:9 400 Error`, of both settings of `errors`. */
const ROWS = [...PAGE.matchAll(/^\| ([^|]+) \| (\d{3}) \| `([^|]+)` \| .+? \|(?: `?([^|`]*)`? \|)?$/gm)].flatMap(
  ([, who = '', status, code, strict = '']) => {
    const name = who.replaceAll('`', '')
    return [`${name} ${status} ${code}`, `${name} ${strict}`]
  },
)

/** `1:22`, or method and path of an endpoint without a number. */
function numberOf({ description = '', operationId }: Described): string {
  const [, document, number] = /^Document ([12]), endpoint (\d+)\.$/.exec(description) ?? []
  return document === undefined ? (UNNUMBERED[operationId] ?? '') : `${document}:${number}`
}
const UNNUMBERED: Record<string, string> = {
  createCharge: 'POST /v1/charge',
  showCharge: 'GET /v1/charge/:id',
  createChargeLink: 'POST /v1/charge/:id/link',
  payCharge: 'POST /v1/charge/:id/pay',
  createCarnet: 'POST /v1/carnet',
  showCarnet: 'GET /v1/carnet/:id',
  getNotification: 'GET /v1/notification/:token',
}

/** A bill of the amount that the example pays. */
async function billOf(example: unknown): Promise<{ codBarras: string }> {
  const { valor } = example as { valor: number }
  return (await running.control('POST', '/bills', { kind: 'billet', amount: valor, dueDate: '2026-03-09' })).json
}

/** Their addresses have no receiver, or their objects are not there. */
const REFUSED = ['putPaymentWebhook', 'deletePaymentWebhook', 'createRegistrationWebhook', 'putOpenBankingSettings']

it('the simulator takes the example of each request', async () => {
  await running.control('PUT', '/clock', { now: '2026-03-02T15:00:00Z', frozen: true })
  const [{ account = '' } = {}] = running.simulator.sites.sandbox.applications.list()
  running.simulator.sites.sandbox.webhooks.register({ interface: 'registration', account, url: 'https://localhost:1/' })
  const valid = await validRequests(running)
  for (const name of INTERFACES)
    for (const { path, method, operation } of operationsIn(documentOf(name).paths)) {
      const { operationId: id, requestBody } = operation
      const example = requestBody?.content['application/json']?.example
      if (example === undefined || id === 'token') continue
      const { params = {} } = valid[id]?.[0] ?? {}
      const made: Readonly<Record<string, string>> =
        id === 'payBill' ? await billOf(example) : typeof params === 'function' ? await params() : params
      const named = path.replaceAll(/\{(\w+)\}/g, (_, segment) => made[segment] ?? '')
      if (id === 'payBill') await running.ask(name, { path: named })
      const { status, text } = await running.ask(name, { method: method.toUpperCase(), path: named, body: example })
      const isTaken = REFUSED.includes(id) ? !text.includes('erro_de_validacao') : status < 300
      expect(`${id} ${isTaken} ${text}`).toBe(`${id} true ${text}`)
    }
})
