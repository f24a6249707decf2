import { hash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../src/api/http/json-schema.ts'
import type { ApiDocument } from '../../src/pages/reference/document.ts'
import { referenceOf } from '../../src/pages/reference/reference.ts'
import { ask, askJson, sharedApi } from '../api/api.ts'
import { MARKUP, startPages, textIn } from './api-pages.ts'

const shared = sharedApi({ needsCertificate: true })
const everybody = { authorization: null }
let document: ApiDocument
let answer: Awaited<ReturnType<typeof ask>>
let body: string
beforeAll(async () => {
  const api = await shared()
  document = await askJson<ApiDocument>(api, '/openapi.json', everybody)
  answer = await ask(api, '/reference', everybody)
  body = String(answer.body)
})

/** Of one section, by the id of its heading. */
function sectionOf(id: string, page = body): string {
  const from = page.indexOf(`<h3 id="${id}">`)
  expect(from, id).toBeGreaterThan(0)
  return textIn(`<main>${page.slice(from, page.indexOf('</section>', from))}</main>`)
}

const operationsOf = ({ paths }: ApiDocument) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, ...operation })),
  )

describe('the reference', () => {
  it('is a page for everybody, beside /openapi.json', () => {
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  })

  it('has every operation with what the document says of it', () => {
    const operations = operationsOf(document)
    expect(operations.length).toBeGreaterThan(60)
    for (const { operationId, method, path, summary, parameters = [], responses, security } of operations) {
      const text = sectionOf(operationId)
      expect(text).toContain(`${method.toUpperCase()} ${path} ${summary} Operation ${operationId}`)
      for (const { name, in: place } of parameters) expect(text).toContain(` ${name} ${place} `)
      for (const scope of security.flatMap((one) => Object.values(one).flat())) expect(text).toContain(scope)
      for (const [status, { description }] of Object.entries(responses))
        expect(text).toContain(`${status} ${description.replaceAll('`', ' ').replaceAll(/\s+/g, ' ').trim()}`.trim())
    }
  })

  it('has the requests that destinations get, and every schema with its members', () => {
    for (const [id, { post }] of Object.entries(document.webhooks)) expect(sectionOf(id)).toContain(post?.summary)
    for (const [name, { properties = {} }] of Object.entries(document.components.schemas)) {
      const text = sectionOf(`schema-${name}`)
      for (const member of Object.keys(properties as object)) expect(text).toContain(` ${member} `)
    }
  })

  it('shows bodies with examples, errors, and who may call', () => {
    const text = sectionOf('createDestination')
    expect(text).toContain('Access: operator , or client with destinations.write')
    expect(text).toContain(
      'Request body application/json : NewDestination required Example { "url": "https://books.example/hooks/payments", "name": "books" }',
    )
    expect(text).toMatch(/Answers 201 .* : DestinationWithSecret Header location : URL .*Example \{ "id": "dst_1"/)
    expect(text).toMatch(
      /Errors 400, 401, .* 401 The token is missing.*Header www-authenticate : Why.*{"type":"about:blank","title":"Unauthorized"/,
    )
    expect(sectionOf('isAlive')).toContain('Access: everybody, without a token')
  })

  it('runs nothing, loads nothing, and lets only its own style apply', () => {
    const [style = ''] = /(?<=<style>).*?(?=<\/style>)/s.exec(body) ?? []
    expect(style).toContain('prefers-color-scheme')
    expect(answer.headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
    )
    expect(body).not.toMatch(/<(script|link|img|iframe|object|form)|\s(src|style|on\w+)=/)
  })

  it('has links that lead to its own sections and to the document', () => {
    const ids = [...body.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id as string)
    expect(new Set(ids).size).toBe(ids.length)
    const links = new Set([...body.matchAll(/ href="([^"]*)"/g)].map(([, href]) => href as string))
    expect([...links].filter((link) => !ids.includes(link.slice(1)))).toEqual(['/openapi.json'])
  })

  it('is linked from every page, and is there without the pages too', async () => {
    const { browser } = await startPages()
    for (const path of ['/ui/overview', '/ui/nowhere'])
      expect((await browser.get(path)).body).toContain('<a href="/reference"')
    expect((await browser.get('/reference')).status).toBe(200)
  })
})

it('markup in any text of the document is shown as text', () => {
  const schema = {
    type: 'object',
    description: MARKUP,
    properties: { [MARKUP]: { enum: [MARKUP], description: MARKUP, pattern: MARKUP } },
  }
  const content = {
    [MARKUP]: { schema: { $ref: `#/components/schemas/${MARKUP.replaceAll('/', '')}` }, example: MARKUP },
  }
  const operation = {
    operationId: MARKUP,
    tags: [MARKUP],
    summary: MARKUP,
    description: `${MARKUP} \`${MARKUP}\``,
    security: [{ [MARKUP]: [MARKUP] }],
    parameters: [{ name: MARKUP, in: MARKUP, description: MARKUP, schema }],
    requestBody: { required: true, content },
    responses: {
      200: { description: MARKUP, headers: { [MARKUP]: { description: MARKUP } }, content },
      400: { description: MARKUP, content: { [MARKUP]: { schema, example: { [MARKUP]: MARKUP } } } },
    },
  }
  const { page } = referenceOf({
    info: { version: MARKUP, description: MARKUP },
    tags: [{ name: MARKUP, description: MARKUP }],
    paths: { [MARKUP]: { [MARKUP]: operation } },
    webhooks: { [MARKUP]: { [MARKUP]: operation } },
    components: {
      schemas: { [MARKUP]: schema },
      securitySchemes: {
        [MARKUP]: { description: MARKUP, flows: { clientCredentials: { scopes: { [MARKUP]: MARKUP } } } },
      },
    },
  })
  const text = String(page)
  expect(text.split('&lt;script&gt;').length).toBeGreaterThan(40)
  expect(text).not.toMatch(/<(script|img)/i)
  expect(text).not.toContain(`"'>`)
})

it.each<[JsonSchema, string]>([
  [{ type: ['string', 'null'], format: 'date-time' }, 'string or null (format date-time )'],
  [{ type: 'integer', minimum: 1, default: 100 }, 'integer (minimum 1 , default 100 )'],
  [{ const: 'resolved' }, '"resolved"'],
  [{ type: 'array', items: { enum: ['a', 'b'] }, maxItems: 2 }, 'array of ( "a" or "b" ) (maxItems 2 )'],
  [{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] }, 'array of string, then integer'],
  [{ anyOf: [{ type: 'string', description: 'an id' }, { type: 'null' }] }, 'string (an id) or null'],
  [
    { type: 'object', properties: { a: { anyOf: [{ type: 'object', properties: { b: {} } }, { type: 'null' }] } } },
    'a object or null optional a.b any value optional',
  ],
  [{ type: 'object', additionalProperties: { $ref: '#/components/schemas/Peer' } }, 'object with values: Peer'],
  [{ type: 'string', examples: ['latest'] }, 'string (example latest )'],
  [{}, 'any value'],
  [
    {
      type: 'object',
      properties: { a: { type: 'array', items: { type: 'object', properties: { b: {} }, required: ['b'] } } },
    },
    'a array of object optional a[].b any value',
  ],
])('the schema %j is described as %s', (schema, text) => {
  const { page } = referenceOf({ ...document, components: { ...document.components, schemas: { Tried: schema } } })
  expect(sectionOf('schema-Tried', String(page))).toBe(`Tried ${text}`)
})
