import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Operation, operationsOf } from '../operations.ts'
import { type RunningSimulator, runSimulator } from '../running.ts'
import {
  changed,
  changes,
  contentType,
  oddHeaders,
  oddQuery,
  oddSegment,
  oddValue,
  otherBody,
  textChange,
} from './odd-values.ts'
import { type ValidRequest, validRequests } from './valid-requests.ts'

/** Short enough for a request line: Node answers 431 to longer ones. */
const textOf = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed().slice(0, 500)

/** Choices that make one request of an operation. */
const choices = fc.record({
  variant: fc.nat(3),
  method: fc.oneof(
    { weight: 12, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND') },
  ),
  segment: fc.option(oddSegment, { freq: 5 }),
  suffix: fc.oneof(
    { weight: 12, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.constantFrom('/', '//', '/x', ';a=1', '.json') },
  ),
  query: fc.option(oddQuery, { freq: 5 }),
  queryValue: fc.option(oddValue, { freq: 3 }),
  body: fc.oneof({ weight: 5, arbitrary: changes }, { weight: 1, arbitrary: otherBody }),
  textChange,
  contentType,
  oddHeaders,
})
type Choices = typeof choices extends fc.Arbitrary<infer T> ? T : never

async function requestOf(operation: Operation, valid: ValidRequest, chosen: Choices) {
  const params = typeof valid.params === 'function' ? await valid.params() : valid.params
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => chosen.segment ?? params?.[name] ?? 'x')
  const query = queryOf(valid.query ?? {}, chosen)
  const body = bodyOf(operation, valid.body ?? {}, chosen)
  return {
    method: chosen.method ?? operation.method,
    path: `${path}${chosen.suffix}${query === '' ? '' : `?${query}`}`,
    ...(body !== undefined && { body }),
    headers: { ...(body !== undefined && { 'content-type': chosen.contentType }), ...chosen.oddHeaders },
  }
}

function queryOf(valid: Readonly<Record<string, string>>, { queryValue, query }: Choices): string {
  const known = new URLSearchParams(valid)
  if (queryValue !== null) for (const name of Object.keys(valid)) known.set(name, textOf(queryValue))
  return [String(known), query ?? ''].filter((part) => part !== '').join('&')
}

/** Also at an operation that takes none, where it was changed twice. */
function bodyOf({ hasBody }: Operation, valid: unknown, { body, textChange }: Choices): string | undefined {
  if (!hasBody && body.length < 2) return undefined
  return textChange(JSON.stringify(changed(valid, body)) ?? '')
}

const NOON = '2026-03-02T15:00:00Z'

const UNCHANGED: Choices = {
  variant: 0,
  method: null,
  segment: null,
  suffix: '',
  query: null,
  queryValue: null,
  body: [],
  textChange: (text: string) => text,
  contentType: 'application/json',
  oddHeaders: {},
}

/** Operations whose valid request is about a thing that is not there. */
const OF_UNKNOWN_THINGS = [
  ...['downloadStatement', 'showPayment', 'showRegistrationWebhook', 'deleteRegistrationWebhook'],
  ...['showCredentials', 'createCertificate', 'getNotification', 'deletePaymentWebhook', 'createRegistrationWebhook'],
  ...['createSimplifiedAccount', 'token', 'putPaymentWebhook'],
]

describe.each([
  { errors: 'field', numRuns: 6 },
  { errors: 'strict', numRuns: 3 },
])('with errors: $errors', ({ errors, numRuns }) => {
  let running: RunningSimulator
  beforeAll(async () => {
    running = await runSimulator({ errors })
    await running.control('PUT', '/clock', { now: NOON, frozen: true })
  })
  afterAll(() => running.stop())

  it('any request at any endpoint is answered by its document, never with 5xx, and the clock goes on afterwards', {
    timeout: 240_000,
  }, async () => {
    const valid = await validRequests(running)
    const operations = await operationsOf(running)
    for (const operation of operations) {
      const variants = valid[operation.id] ?? [{}]
      const property = fc.asyncProperty(choices, async (chosen) => {
        const asked = await requestOf(operation, variants[chosen.variant % variants.length] as ValidRequest, chosen)
        const { status } = await running.ask(operation.on, asked)
        expect(status, `${asked.method} ${operation.on}${asked.path}`).toBeLessThan(500)
      })
      await fc.assert(property, { numRuns })
    }
    await running.control('POST', '/clock/advance', { by: '70d' })
  })

  it('the requests that are changed for it are valid', async () => {
    await running.control('PUT', '/clock', { now: NOON, frozen: true })
    const valid = await validRequests(running)
    const refused: string[] = []
    for (const operation of await operationsOf(running)) {
      const [first = {}] = valid[operation.id] ?? []
      const { status, text } = await running.ask(operation.on, await requestOf(operation, first, UNCHANGED))
      if (status >= 400 && !OF_UNKNOWN_THINGS.includes(operation.id)) refused.push(`${operation.id}: ${status} ${text}`)
    }
    expect(refused).toEqual([])
  })
})
