import { readFileSync } from 'node:fs'
import { Agent, type Dispatcher, request } from 'undici'
import type { SimulatorSummary } from './simulator-process.ts'
import { DemoFailure } from './waiting.ts'

type Json = Record<string, unknown>
type InterfaceName = 'payment' | 'registration' | 'charges'

/** A callback that the simulated service has sent. */
export interface SentCallback {
  readonly interface: InterfaceName
  readonly body: string
  readonly state: 'pending' | 'delivered' | 'given_up'
}

/** An app of the integrator at the sandbox of the simulated service, and the control API of that service. */
export interface ServiceClient {
  /** @returns the answer's JSON; null: it has none. @throws DemoFailure unless it is 2xx */
  ask<T = Json>(on: InterfaceName, method: string, path: string, body?: object): Promise<T>
  control<T = Json>(method: string, path: string, body?: object): Promise<T>
  callbacks(): Promise<readonly SentCallback[]>
  close(): Promise<void>
}

const TIMEOUT_MS = 10_000

interface Call {
  readonly method: string
  readonly url: string
  readonly body?: object | undefined
  readonly headers?: Record<string, string>
}

export function createServiceClient(summary: SimulatorSummary, signal: AbortSignal): ServiceClient {
  const { baseAddresses, tokenEndpoints, applications } = summary.environments.sandbox
  const [application] = applications
  if (application === undefined) throw new DemoFailure('the simulated service has no application')
  const { clientId, clientSecret, files } = application
  const read = (file: string) => readFileSync(file, 'utf8')
  const agent = new Agent({ connect: { ca: read(summary.serverCa), cert: read(files.cert), key: read(files.key) } })
  const tokens = new Map<InterfaceName, Promise<string>>()

  async function call<T>({ method, url, body, headers = {} }: Call): Promise<T> {
    const response = await request(url, {
      ...{ method: method as Dispatcher.HttpMethod, dispatcher: agent },
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    const text = await response.body.text()
    const isSuccess = response.statusCode >= 200 && response.statusCode < 300
    if (!isSuccess) throw new DemoFailure(`the service answered ${method} ${url} with ${response.statusCode}: ${text}`)
    return (text === '' ? null : JSON.parse(text)) as T
  }

  async function fetchToken(on: InterfaceName): Promise<string> {
    const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
    const body = { grant_type: 'client_credentials' }
    const answer = await call<{ access_token: string }>({
      ...{ method: 'POST', url: tokenEndpoints[on], body, headers: { authorization } },
    })
    return answer.access_token
  }

  function tokenOf(on: InterfaceName): Promise<string> {
    const token = tokens.get(on) ?? fetchToken(on)
    tokens.set(on, token)
    return token
  }

  const control = <T>(method: string, path: string, body?: object) =>
    call<T>({ method, url: `${summary.control}${path}`, body })
  return {
    control,
    async ask(on, method, path, body) {
      const authorization = `Bearer ${await tokenOf(on)}`
      return call({ method, url: `${baseAddresses[on]}${path}`, body, headers: { authorization } })
    },
    callbacks: async () => (await control<{ callbacks: SentCallback[] }>('GET', '/callbacks')).callbacks,
    close: () => agent.destroy(),
  }
}
