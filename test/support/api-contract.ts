import { hash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { get, type RequestOptions } from 'node:http'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { keptFolder } from './kept-folder.ts'

/** A request to the API and what came of it. */
export interface Exchange {
  readonly method: string
  readonly target: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody?: string | Uint8Array | undefined
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: string
}

interface Media {
  readonly schema?: object
  readonly example?: unknown
}
export interface Operation {
  readonly operationId: string
  readonly parameters?: readonly ParameterObject[]
  readonly requestBody?: { readonly content: Record<string, Media> }
  readonly responses: Record<
    string,
    { readonly content?: Record<string, Media>; readonly headers?: Record<string, HeaderObject> }
  >
  readonly security: readonly Record<string, readonly string[]>[]
}
interface HeaderObject {
  readonly required?: boolean
  readonly schema?: object
}
interface ParameterObject {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly schema: { readonly type?: string; readonly default?: unknown }
}
export interface OpenApi {
  readonly openapi: string
  readonly info: { readonly version: string }
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly schemas: Record<string, object> }
}

/** An API's own document as a judge of its answers. */
export interface ApiContract {
  readonly api: OpenApi
  /** @throws Error that says where the answer is not what the document promises */
  judge(exchange: Exchange): void
}

const contracts = new WeakMap<object, Promise<ApiContract | null>>()
const byText = new Map<string, ApiContract>()
const keys = new WeakMap<object, string>()

/** APIs with one key serve one document: the first of them in a run is asked for it, because making it takes a gateway longer than most tests' requests. */
export function sharesContract(api: { readonly port: number }, key: string): void {
  keys.set(api, key)
}

/** Of a running API, asked once; null: no one answers, so that the next caller learns it. */
export function contractOf(api: { readonly port: number }): Promise<ApiContract | null> {
  const known = contracts.get(api) ?? readContract(api)
  contracts.set(api, known)
  return known
}

async function readContract(api: { readonly port: number }): Promise<ApiContract | null> {
  const key = keys.get(api)
  const file = key === undefined ? null : join(keptFolder(), `contract-${hash('sha256', key)}`)
  if (file !== null && existsSync(file)) return contractFrom(readFileSync(file, 'utf8'))
  const text = await fetchDocument({ host: '127.0.0.1', port: api.port })
  if (file !== null && text !== null) {
    // Complete as soon as another worker sees it.
    writeFileSync(`${file}.${process.pid}`, text)
    renameSync(`${file}.${process.pid}`, file)
  }
  return text === null ? null : contractFrom(text)
}

export async function fetchContract(at: RequestOptions): Promise<ApiContract | null> {
  const text = await fetchDocument(at)
  return text === null ? null : contractFrom(text)
}

function fetchDocument(at: RequestOptions): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const asked = get({ ...at, path: '/openapi.json', agent: false }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString('utf8')
      if (response.statusCode === 200) resolve(text)
      else reject(new Error(`/openapi.json answered ${response.statusCode}: ${text}`))
    })
    asked.on('error', () => resolve(null))
  })
}

export function contractFrom(text: string): ApiContract {
  const contract = byText.get(text) ?? createContract(JSON.parse(text) as OpenApi)
  byText.set(text, contract)
  return contract
}

const ID = 'https://portaria.example/openapi.json'
const ERRORS = {
  problem: { 'application/problem+json': errorSchema('Problem') },
  charges: { 'application/json': errorSchema('ChargesError') },
  service: { 'application/json': errorSchema('ServiceApiError') },
  missingScope: { 'application/json': errorSchema('MissingScope') },
}
function errorSchema(name: string): Media {
  return { schema: { $ref: `#/components/schemas/${name}` } }
}
/** What a path that is not there answers, before and behind the authentication. */
const ELSEWHERE = [400, 401, 403, 404, 421]

function createContract(api: OpenApi): ApiContract {
  const ajv = new Ajv2020({ allErrors: true })
  // The default export of a CommonJS module, which TypeScript and Node see differently.
  ;(addFormats as unknown as (to: Ajv2020) => void)(ajv)
  ajv.addVocabulary(['components', 'example'])
  ajv.addSchema({ $id: ID, components: api.components })
  const items = itemsOf(api)
  const compiled = new Map<object | string, ValidateFunction>()

  /** Once for equal schemas: compiling one takes longer than what it checks. */
  function compile(schema: object): ValidateFunction {
    // Compiled in the document's place, so that its references are found.
    const text = JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${ID}#/`)
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text) as object)
    compiled.set(text, validate)
    compiled.set(schema, validate)
    return validate
  }

  function checkValue(what: () => string, schema: object, value: unknown): void {
    const validate = compiled.get(schema) ?? compile(schema)
    if (!validate(value)) throw new Error(`${what()} is not as documented: ${ajv.errorsText(validate.errors)}`)
  }

  function judgeError(exchange: Exchange, path: string): void {
    const isService = /^\/(registration|payment)(\/|$)/i.test(path)
    if (/^\/charges(\/|$)/i.test(path)) judgeContent(exchange, ERRORS.charges)
    else if (isService) judgeContent(exchange, exchange.status === 403 ? ERRORS.missingScope : ERRORS.service)
    else judgeContent(exchange, ERRORS.problem)
  }

  function judgeContent({ method, headers, body }: Exchange, content: Record<string, Media> | undefined): void {
    if (content === undefined) {
      expectThat(body === '', `there is a body, and none is documented: ${body.slice(0, 200)}`)
      return
    }
    const type = String(headers['content-type']).split(';')[0] as string
    const media = content[type] ?? content['*/*']
    if (type !== '' && !/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(type)) throw new Error(`${type} is no media type`)
    if (media === undefined) throw new Error(`the content type is ${type}, documented is ${Object.keys(content)}`)
    if (method === 'HEAD') expectThat(body === '', 'HEAD was answered with a body')
    else if (media.schema !== undefined)
      checkValue(() => `the body ${body.slice(0, 300)}`, media.schema, type.endsWith('json') ? JSON.parse(body) : body)
  }

  function judgeRequest({ target, requestHeaders, requestBody }: Exchange, operation: Operation): void {
    const query = new URLSearchParams(target.split('?')[1] ?? '')
    const known = (operation.parameters ?? []).filter((one) => one.in === 'query')
    // Where no parameter is read none is refused either.
    for (const [name, value] of known.length === 0 ? [] : query) {
      const parameter = known.find((one) => one.name === name)
      if (parameter === undefined) throw new Error(`the parameter ${name} was taken, and is not documented`)
      checkValue(() => `the parameter ${name}`, parameter.schema, valueFrom(parameter.schema.type, value))
    }
    const missing = known.find((one) => one.required && !query.has(one.name))
    expectThat(missing === undefined, `the parameter ${missing?.name} is documented as required, and was not`)
    const type = requestHeaders['content-type']?.split(';')[0] ?? ''
    if (requestBody === undefined || requestBody.length === 0 || !type.endsWith('json')) return
    // What is not read is not refused either.
    if (operation.requestBody === undefined) return
    const schema = operation.requestBody.content[type]?.schema
    if (schema === undefined) throw new Error(`a body of ${type} was taken, and none is documented`)
    checkValue(() => 'the body that was taken', schema, JSON.parse(Buffer.from(requestBody).toString('utf8')))
  }

  function judge(exchange: Exchange): void {
    judgeHeaders(exchange)
    const { method, status, headers } = exchange
    const path = pathOf(exchange.target)
    const item = items.find(({ pattern }) => pattern.test(path))?.item
    if (item === undefined) {
      expectThat(ELSEWHERE.includes(status), 'nothing is documented at this path')
      return judgeError(exchange, path)
    }
    const operation = item[method === 'HEAD' ? 'get' : method.toLowerCase()]
    if (operation === undefined) {
      expectThat([401, 405].includes(status), 'this method is not documented')
      if (status === 405)
        expectThat(isSameList(headers.allow, allowOf(item)), `Allow is ${headers.allow}, not ${allowOf(item)}`)
      return judgeError(exchange, path)
    }
    const documented = operation.responses[status]
    if (documented === undefined) throw new Error(`documented are ${Object.keys(operation.responses)}`)
    judgeContent(exchange, documented.content)
    for (const [name, { required = false, schema }] of Object.entries(documented.headers ?? {})) {
      if (headers[name] === undefined) expectThat(!required, `the header ${name} is missing`)
      else if (schema !== undefined) checkValue(() => `the header ${name}`, schema, headers[name])
    }
    if (status < 300) judgeRequest(exchange, operation)
  }

  return {
    api,
    judge(exchange) {
      try {
        judge(exchange)
      } catch (error) {
        const { method, target, status } = exchange
        throw new Error(`${method} ${target} answered ${status}: ${(error as Error).message}`, { cause: error })
      }
    },
  }
}

function expectThat(isSo: boolean, words: string): void {
  if (!isSo) throw new Error(words)
}

/** What every answer has, whatever comes of it. */
function judgeHeaders({ headers }: Exchange): void {
  expectThat(/^[A-Za-z0-9._-]{1,64}$/.test(String(headers['x-request-id'])), 'it has no request id')
  expectThat(headers['cache-control'] === 'no-store', `cache-control is ${headers['cache-control']}`)
  expectThat(headers['x-content-type-options'] === 'nosniff', 'helmet was not asked')
  expectThat(headers['x-powered-by'] === undefined && headers.etag === undefined, 'it tells what made it')
}

/** Without its query; a whole URL may be asked for, too (RFC 9112 section 3.2.2). */
function pathOf(target: string): string {
  const path = target.split('?')[0] as string
  return path.startsWith('/') || !URL.canParse(path) ? path : new URL(path).pathname
}

/** In the order in which Express finds them: in any case of letters, with or without a slash at its end; a path without segments first. */
function itemsOf({ paths }: OpenApi) {
  const entries = Object.entries(paths).sort(([one], [two]) => one.split('{').length - two.split('{').length)
  return entries.map(([template, item]) => {
    const pattern = template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')
    return { pattern: new RegExp(`^${pattern}/?$`, 'i'), item }
  })
}

function allowOf(item: Record<string, unknown>): string {
  return Object.keys(item)
    .flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
    .join(', ')
}

function isSameList(one: unknown, other: string): boolean {
  const sorted = (text: string) => text.split(', ').sort().join()
  return sorted(String(one)) === sorted(other)
}

function valueFrom(type: string | undefined, text: string): unknown {
  if (type === 'integer') return Number(text)
  if (type === 'boolean') return text === 'true'
  return type === 'array' ? text.split(',') : text
}
