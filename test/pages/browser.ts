import { mkdtempSync, rmSync } from 'node:fs'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { ConfigWithSecrets } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import type { Scope } from '../../src/domain/scopes.ts'
import { type Gateway, startGateway } from '../../src/gateway/gateway.ts'
import { callApi } from '../support/calls.ts'
import {
  createSite,
  type LogLine,
  OPERATOR_TOKEN,
  recordingLog,
  type TestGateway,
  type TestSite,
} from '../support/gateway.ts'

export interface SharedGateway {
  readonly site: TestSite
  readonly config: ConfigWithSecrets
  readonly callbacks: Gateway['addresses']['callbacks']
  readonly api: Gateway['addresses']['api']
  readonly lines: LogLine[]
}

/** One gateway for all tests of a file. */
export function sharedGateway(changes: Record<string, unknown> = {}): () => SharedGateway {
  let shared: SharedGateway | undefined
  let gateway: Gateway | undefined
  const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
  beforeAll(async () => {
    const site = await createSite(changes, folder)
    const config = loadConfig(site.configFile)
    const lines: LogLine[] = []
    gateway = await startGateway(config, { log: recordingLog(lines), onLost: () => undefined })
    shared = { site, config, lines, ...gateway.addresses }
  })
  afterAll(async () => {
    await gateway?.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return () => {
    if (shared === undefined) throw new Error('it has not started')
    return shared
  }
}

export interface PageAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface BrowserRequest {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly form?: Record<string, string>
  readonly body?: string
}

/** What a browser does with cookies, origins and forms, without running anything. */
export class TestBrowser {
  readonly port: number
  readonly cookies = new Map<string, string>()

  readonly #tls: RequestOptions | null

  /** @param tls authorities, and a client certificate with its key; null: plain http */
  constructor(gateway: Pick<TestGateway, 'api'>, tls: Pick<RequestOptions, 'ca' | 'cert' | 'key'> | null = null) {
    this.port = gateway.api.port
    this.#tls = tls
  }

  get origin(): string {
    return `${this.#tls === null ? 'http' : 'https'}://localhost:${this.port}`
  }

  /** One request, as a page of the gateway makes it. */
  async send(path: string, { method = 'GET', headers = {}, form, body }: BrowserRequest = {}): Promise<PageAnswer> {
    const payload = form === undefined ? body : new URLSearchParams(form).toString()
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await request({ port: this.port, path, method, ...this.#tls }, this.#tls !== null, payload, {
      host: `localhost:${this.port}`,
      ...(cookie !== '' && { cookie }),
      ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(method !== 'GET' && { origin: this.origin, 'sec-fetch-site': 'same-origin' }),
      ...headers,
    })
    this.#keep(answer.headers['set-cookie'] ?? [])
    return answer
  }

  /** A page. */
  get(path: string, headers: Record<string, string> = {}): Promise<PageAnswer> {
    return this.send(path, { headers })
  }

  /** A form of this page, with its token. */
  async submit(page: string, path: string, fields: Record<string, string> = {}): Promise<PageAnswer> {
    const { body } = await this.get(page)
    return this.send(path, {
      method: 'POST',
      form: { token: formTokenIn(body), ...fields },
      headers: { referer: `${this.origin}${page}` },
    })
  }

  /** Left out: as the operator. */
  signIn(fields: Record<string, string> = { id: '', secret: OPERATOR_TOKEN }): Promise<PageAnswer> {
    return this.send('/ui/sign-in', { method: 'POST', form: fields })
  }

  #keep(lines: readonly string[]): void {
    for (const line of lines) {
      const [, name, value, attributes] = /^([^=]+)=([^;]*)(.*)$/.exec(line) as unknown as [
        string,
        string,
        string,
        string,
      ]
      if (/expires=Thu, 01 Jan 1970/i.test(attributes)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }
}

export function formTokenIn(body: string): string {
  const token = /name="token" value="([^"]+)"/.exec(body)?.[1]
  if (token === undefined) throw new Error(`the page has no form token: ${body.slice(0, 300)}`)
  return token
}

function request(
  to: RequestOptions,
  isTls: boolean,
  payload: string | undefined,
  headers: Record<string, string>,
): Promise<PageAnswer> {
  const options = { host: '127.0.0.1', servername: 'localhost', agent: false, ...to, headers }
  return new Promise((resolve, reject) => {
    const sent = (isTls ? httpsRequest : httpRequest)(options, async (response) => {
      const bytes = Buffer.concat(await response.toArray())
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes.toString('utf8') })
    })
    sent.on('error', reject)
    sent.end(payload)
  })
}

/** A client that a person signs in with. */
export async function newClient(
  gateway: Pick<TestGateway, 'api'>,
  scopes: readonly Scope[],
  { name = `person-${Math.random().toString(36).slice(2)}`, environment = 'any' } = {},
): Promise<{ readonly id: string; readonly secret: string; readonly name: string }> {
  const answer = await callApi(gateway.api, '/v1/clients', { method: 'POST', body: { name, environment, scopes } })
  const { clientId, clientSecret } = JSON.parse(answer.body) as { clientId: string; clientSecret: string }
  return { id: clientId, secret: clientSecret, name }
}
