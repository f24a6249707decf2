import { Agent, request } from 'node:http'
import { OPERATOR_TOKEN } from './site.ts'

export interface Page {
  readonly data: readonly { readonly receivedAt: string }[]
  readonly next: string
  readonly more: boolean
}

export interface ApiClient {
  get<T>(path: string): Promise<T>
  post<T>(path: string, body: unknown): Promise<T>
  /** Gives up what is under way. */
  close(): void
}

/** The operator, on connections that are kept. Whatever is not 2xx is an error. */
export function createApiClient(port: number): ApiClient {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

  function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    return new Promise((done, fail) => {
      const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' }
      request({ host: '127.0.0.1', port, method, path, headers, agent }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.once('error', fail)
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString()
          if (Math.floor((response.statusCode ?? 0) / 100) === 2) done(JSON.parse(text) as T)
          else fail(new Error(`${method} ${path}: ${response.statusCode} ${text.slice(0, 200)}`))
        })
      })
        .on('error', fail)
        .end(body === undefined ? undefined : JSON.stringify(body))
    })
  }

  return {
    get: (path) => ask('GET', path),
    post: (path, body) => ask('POST', path, body),
    close: () => agent.destroy(),
  }
}
