import fc from 'fast-check'
import { expect, it } from 'vitest'
import { simulatorForFile } from '../running.ts'
import { oddQuery, oddSegment, oddValue } from './odd-values.ts'

interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly operationId: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

const INSTANTS = [
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+23:59',
  '1969-12-31T23:59:59.999Z',
  '2016-12-31T23:59:59Z',
]
const LATER = ['2026-03-02T15:00:00.123456789Z', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59-23:59']
const DATES = ['0000-01-01', '0001-01-01', '1600-02-29', '1970-01-01', '2000-02-29', '2026-03-02', '9999-12-31']
/** Texts that some member takes, so that a request gets beyond the check of its form. */
const TEXTS = [
  'visa',
  'x',
  'A'.repeat(300),
  '200001',
  '200003',
  '12345678909',
  'https://localhost:1/',
  '150.10',
  '0000',
]

/** Values that the schema allows, above all those at its ends. */
function allowed(schema: Schema): fc.Arbitrary<unknown> {
  const parts = schema.anyOf ?? schema.oneOf
  if (parts !== undefined) return fc.oneof(...parts.map(allowed))
  if (schema.allOf !== undefined) return allowed(Object.assign({}, ...schema.allOf))
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'object':
      return allowedObject(schema)
    case 'array':
      return fc.array(allowed(schema.items ?? {}), { maxLength: 3 })
    case 'integer':
    case 'number':
      return allowedNumber(schema)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'string':
      return allowedText(schema)
    default:
      return oddValue
  }
}

function allowedObject({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
  const members = Object.entries(properties).map(([name, schema]) => {
    const value = fc.oneof({ weight: 12, arbitrary: allowed(schema) }, { weight: 1, arbitrary: oddValue })
    return [name, value] as const
  })
  return fc.record(Object.fromEntries(members), { requiredKeys: required.filter((name) => name in properties) })
}

function allowedNumber({ type, minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: Schema) {
  const ends = fc.constantFrom(minimum, maximum)
  const between = fc.maxSafeInteger().filter((value) => value >= minimum && value <= maximum)
  const small = fc.integer({ min: Math.max(minimum, 0), max: Math.max(Math.min(maximum, 50), minimum, 0) })
  const some = fc.oneof(ends, small, small, minimum < -1e9 && maximum > 1e9 ? between : ends)
  return type === 'integer' ? some : fc.oneof(some, fc.double({ min: minimum, max: maximum, noNaN: true }))
}

function allowedText({ format, pattern }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.constantFrom(...INSTANTS, ...LATER)
  if (format === 'date') return fc.constantFrom(...DATES)
  if (format === 'uuid') return fc.uuid()
  // Classes of Unicode take seconds to prepare, in which the server's timers do not run.
  if (pattern !== undefined && !/\(\?|\\[pP]/.test(pattern)) return fc.stringMatching(new RegExp(pattern, 'u'))
  return fc.oneof(
    fc.constantFrom(...TEXTS, ...DATES, ...INSTANTS),
    fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
  )
}

const running = simulatorForFile()

async function operations(): Promise<Operation[]> {
  const { paths } = (await running().control('GET', '/openapi.json')).json
  return Object.entries<Record<string, Omit<Operation, 'method' | 'path'>>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ method: method.toUpperCase(), path, ...described })),
  )
}

/** Ids of things that are there, by the first segment of the path. */
async function ids(): Promise<Readonly<Record<string, readonly string[]>>> {
  const [clientId = ''] = running()
    .simulator.sites.sandbox.applications.list()
    .map((one) => one.clientId)
  const { codBarras: bill } = (await running().control('POST', '/bills', { kind: 'billet', amount: 10_000 })).json
  const { charges } = (await running().control('POST', '/charges', { count: 3, payment: 'credit_card' })).json
  return {
    accounts: ['200001', '200002'],
    applications: [clientId],
    bills: [bill],
    charges: charges.map(String),
    faults: ['1', '2'],
    callbacks: ['1', '2'],
    registry: ['12345678909'],
    payments: ['1000001'],
  }
}

function requestFor({ path, parameters, requestBody }: Operation, known: Readonly<Record<string, readonly string[]>>) {
  const [noun = ''] = path.replace('/control/', '').split('/')
  const real = known[noun] ?? []
  const segment =
    real.length === 0
      ? oddSegment
      : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...real) }, { weight: 1, arbitrary: oddSegment })
  const query = Object.fromEntries(
    parameters.filter((one) => one.in === 'query').map(({ name, schema }) => [name, allowed(schema).map(String)]),
  )
  const schema = requestBody?.content['application/json']?.schema
  return fc.record({
    segment,
    query: fc.record(query, { requiredKeys: [] }),
    odd: fc.oneof({ weight: 9, arbitrary: fc.constant('') }, { weight: 1, arbitrary: oddQuery }),
    body:
      schema === undefined
        ? fc.constant(undefined)
        : fc.oneof({ weight: 9, arbitrary: allowed(schema) }, { weight: 1, arbitrary: oddValue }),
  })
}

it('any request to the control API is answered, never with 5xx, and the simulator goes on afterwards', {
  timeout: 180_000,
}, async () => {
  const known = await ids()
  for (const operation of await operations()) {
    const property = fc.asyncProperty(requestFor(operation, known), async ({ segment, query, odd, body }) => {
      const path = operation.path.replace('/control', '').replace(/\{\w+\}/g, segment)
      const search = [String(new URLSearchParams(query as Record<string, string>)), odd].filter((part) => part !== '')
      const { status, text } = await running().control(operation.method, `${path}?${search.join('&')}`, body)
      expect(status, `${operation.method} ${path} ${JSON.stringify(body)}: ${text}`).toBeLessThan(500)
    })
    await fc.assert(property, { numRuns: 8 })
  }
  const moved = await running().control('POST', '/clock/advance', { by: '70d' })
  expect(moved.status, moved.text).toBe(200)
})
