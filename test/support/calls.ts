import { request as httpRequest } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import type { Address } from '../../src/gateway/addresses.ts'
import { contractOf } from './api-contract.ts'
import { OPERATOR_TOKEN, serviceCredentials, type TestSite } from './gateway.ts'

export interface Answer {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: string
}

export interface CallOptions {
  readonly path?: string
  readonly method?: string
  readonly body?: string | Uint8Array
  readonly headers?: Record<string, string>
  readonly environment?: 'production' | 'sandbox'
  readonly agent?: Agent
}

/** One callback as the service makes it, with its client certificate. Rejects when there is no answer. */
export function callBack(gateway: { callbacks: Address; site: TestSite }, options: CallOptions = {}): Promise<Answer> {
  const {
    path = '/callbacks/payment',
    method = 'POST',
    headers = { 'content-type': 'application/json' },
    body = '{}',
  } = options
  const tls = {
    ...serviceCredentials(gateway.site, options.environment),
    servername: 'localhost',
    agent: options.agent ?? false,
  }
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      { host: '127.0.0.1', port: gateway.callbacks.port, path, method, headers, ...tls },
      (response) => {
        collect(response, resolve)
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

export function keepAliveAgent(site: TestSite, maxSockets = 8): Agent {
  return new Agent({ keepAlive: true, maxSockets, ...serviceCredentials(site), servername: 'localhost' })
}

/** The API with the operator's token. What comes back must be as the API's own document says. */
export async function callApi(
  api: Address,
  path: string,
  options: { method?: string; body?: unknown; token?: string | null } = {},
): Promise<Answer> {
  const { method = 'GET', body, token = OPERATOR_TOKEN } = options
  const headers = {
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const requestBody = body === undefined ? undefined : JSON.stringify(body)
  const contract = await contractOf(api)
  const answer = await new Promise<Answer>((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port: api.port, path, method, headers, agent: false },
      (response) => collect(response, resolve),
    )
    request.on('error', reject)
    // Node's client says by itself how long a body is, but not that of a DELETE.
    if (requestBody !== undefined) request.setHeader('content-length', Buffer.byteLength(requestBody))
    request.end(requestBody)
  })
  contract?.judge({ ...answer, method, target: path, requestHeaders: headers, requestBody })
  return answer
}

export interface ListedEvent {
  readonly id: string
  readonly kind: string
  readonly institution: string | null
  readonly environment: string
  readonly subject: string | null
  readonly status: string | null
  readonly mark: string | null
  readonly authentication: string
  readonly source: string
  readonly part: string | null
  readonly duplicates: number
  readonly data: unknown
}

/** Every event of the kinds, through the API, page by page. */
export async function allEvents(api: Address, query = ''): Promise<ListedEvent[]> {
  const events: ListedEvent[] = []
  let after = ''
  for (;;) {
    const { body } = await callApi(api, `/v1/events?limit=1000${after === '' ? '' : `&after=${after}`}${query}`)
    const page = JSON.parse(body) as { data: ListedEvent[]; next: string; more: boolean }
    events.push(...page.data)
    if (!page.more) return events
    after = page.next
  }
}

function collect(
  response: NodeJS.ReadableStream & { statusCode?: number | undefined; headers: Answer['headers'] },
  done: (answer: Answer) => void,
): void {
  const chunks: Buffer[] = []
  response.on('data', (chunk: Buffer) => chunks.push(chunk))
  response.on('end', () =>
    done({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks).toString('utf8') }),
  )
}
