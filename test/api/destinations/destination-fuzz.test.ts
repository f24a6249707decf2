import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ask, askJson, post, startApi } from '../api.ts'

const NAMES = [
  ...['url', 'name', 'kinds', 'environments', 'subjects', 'format', 'secret', 'timeoutMs', 'concurrency', 'rate'],
  'authentication',
  ...['scheduleMs', 'order', 'onExhausted', 'authorities', 'headers', 'overlap', '__proto__', 'constructor', 'a/b~c'],
]

const aValue = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom('https://hooks.example.com/', 'books', 'payment', 'subject', 'event', '24h', '0s', null, 1, 100),
  fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('payment', 'sandbox', 1000))),
  fc.record({ exact: fc.array(fc.string()), prefix: fc.array(fc.string({ unit: 'binary' })) }, { requiredKeys: [] }),
  fc.dictionary(fc.string({ unit: 'binary' }), fc.option(fc.string())),
)

const aBody = fc.oneof(
  { weight: 8, arbitrary: fc.dictionary(fc.constantFrom(...NAMES), aValue).map((body) => JSON.stringify(body)) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('{"__proto__":{"url":1}}', `${'['.repeat(30_000)}`, '{"headers":{"__proto__":"1"}}'),
  },
)

const aRequest = fc.record({
  body: aBody,
  target: fc.constantFrom(
    ...['POST /v1/destinations', 'PATCH /v1/destinations/books', 'POST /v1/destinations/books/rotate-secret'],
    ...['PATCH /v1/destinations/dst_1', 'PATCH /v1/destinations/%00', 'POST /v1/destinations/unknown/rotate-secret'],
  ),
  type: fc.constantFrom(
    'application/json',
    'application/json',
    'application/merge-patch+json',
    'text/plain',
    'json',
    '',
  ),
})

it('whatever a body holds, the answer is what was made of it or a problem that says what is wrong, never a 5xx', async () => {
  const api = await startApi()
  await post(api, '/v1/destinations', { url: 'https://hooks.example.com/', name: 'books' })
  const seen = new Set<number>()
  await fc.assert(
    fc.asyncProperty(aRequest, async ({ body, target, type }) => {
      const [method, path] = target.split(' ') as [string, string]
      const headers: Record<string, string> = type === '' ? {} : { 'content-type': type }
      const answer = await ask(api, path, { method, body, headers })
      seen.add(answer.status)
      const answered = JSON.parse(answer.body) as Record<string, unknown>
      if (answer.status < 300) {
        expect(answered.id).toMatch(/^dst_/)
        return
      }
      expect([400, 404, 409, 413, 415, 422]).toContain(answer.status)
      expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8')
      expect(answered).toMatchObject({ status: answer.status, code: expect.any(String), detail: expect.any(String) })
      expect(answer.body).not.toMatch(/\.ts:|node_modules/)
    }),
    { numRuns: 400 },
  )
  expect([...seen]).toEqual(expect.arrayContaining([200, 400, 404, 415]))
  expect(api.lines.filter(({ event }) => event === 'api.failed')).toEqual([])
  expect((await askJson<{ data: unknown[] }>(api, '/v1/destinations')).data.length).toBeGreaterThan(0)
})
