import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createApiApp } from '../../src/api/api-app.ts'
import { startApiListener } from '../../src/api/api-listener.ts'
import { requireOperatorToken } from '../../src/api/authentication.ts'
import type { Watched } from '../../src/domain/expiry.ts'
import type { Store } from '../../src/domain/store.ts'
import { newSecret } from '../../src/domain/webhook-secret.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Answer } from '../support/calls.ts'
import { type LogLine, OPERATOR_TOKEN, recordingLog } from '../support/gateway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

export interface RunningApi {
  readonly store: Store
  readonly port: number
  readonly lines: readonly LogLine[]
}

/** The API alone, over a real store and a real socket; nothing is forwarded. */
export async function startApi(
  changes: {
    store?: Partial<Store>
    operatorToken?: string | null
    reasons?: readonly string[]
    certificates?: readonly Watched[]
  } = {},
) {
  const store = await openStore({
    file: join(temporaryFolder(), 'portaria.db'),
    deduplicationWindowMs: 86_400_000,
    queue: { events: 5000, bytes: 1 << 26 },
  })
  const lines: LogLine[] = []
  const app = createApiApp({
    store: { ...store, ...changes.store },
    kinds: ['registration', 'payment', 'charge'],
    defaults: { timeoutMs: 15_000, concurrency: 8 },
    newSecret,
    checkUrl: async () => undefined,
    testDestination: () => Promise.reject(new Error('not here')),
    listCertificates: async () => changes.certificates ?? [],
    onChanged: async () => undefined,
    statsOf: () => null,
    wake: () => undefined,
    now: () => Date.UTC(2026, 0, 15, 12),
    authenticate: requireOperatorToken(changes.operatorToken === undefined ? OPERATOR_TOKEN : changes.operatorToken),
    whyNotReady: () => changes.reasons ?? [],
    version: '0.1.0',
    about: null,
    reload: null,
    log: recordingLog(lines),
  })
  const listener = await startApiListener(app, { host: '127.0.0.1', port: 0, tls: null })
  onTestFinished(async () => {
    await listener.stop()
    await store.close()
  })
  return { store, port: listener.port, lines }
}

export interface AskOptions {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array
  /** Replaces the operator's token; null sends none. */
  readonly authorization?: string | null
}

/** A request as it is written here, with the operator's token. */
export function ask(
  { port }: { port: number },
  path: string,
  options: AskOptions = {},
): Promise<Answer & { bytes: Buffer }> {
  const { method = 'GET', authorization = `Bearer ${OPERATOR_TOKEN}`, body } = options
  const headers = { ...(authorization !== null && { authorization }), ...options.headers }
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false }, async (response) => {
      const bytes = Buffer.concat(await response.toArray())
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes.toString('utf8'), bytes })
    })
    request.on('error', reject)
    request.end(body)
  })
}

export async function askJson<T = Record<string, unknown>>(api: { port: number }, path: string, options?: AskOptions) {
  const answer = await ask(api, path, options)
  return JSON.parse(answer.body) as T
}

export function post(api: { port: number }, path: string, body?: unknown) {
  return ask(api, path, {
    method: 'POST',
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
}
