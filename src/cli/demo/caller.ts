import { readFileSync } from 'node:fs'
import { Agent, request as httpsRequest } from 'node:https'
import type { Environment } from '../../domain/event.ts'
import type { Address } from '../../gateway/addresses.ts'
import type { ServiceCallback } from './callbacks.ts'
import { serviceClientFiles } from './simulator-process.ts'
import type { DemoSite } from './site.ts'

/** Calls faster than the simulated service does, with its client certificates over real TLS connections. Records the callbacks that it sent. */
export interface Caller {
  /** Callbacks sent, including those without a response. */
  readonly sent: number
  /** Subjects of the callbacks that got 200. */
  readonly acknowledged: ReadonlySet<string>
  /** Sends one callback. @returns the status of the response; null: none came. @throws when aborted */
  call(to: Address, callback: ServiceCallback, environment?: Environment): Promise<number | null>
  close(): void
}

const CONNECTIONS = 12
const TIMEOUT_MS = 10_000

export function createCaller(site: DemoSite, signal: AbortSignal): Caller {
  const agents = { production: agentFor(site, 'production'), sandbox: agentFor(site, 'sandbox') }
  const acknowledged = new Set<string>()
  let sent = 0
  return {
    get sent() {
      return sent
    },
    acknowledged,
    async call(to, callback, environment = 'production') {
      sent++
      const status = await post(to, callback, { agent: agents[environment], signal })
      signal.throwIfAborted()
      if (status === 200) acknowledged.add(callback.subject)
      return status
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

export function clientPair(site: DemoSite, environment: Environment): { cert: string; key: string } {
  const { cert, key } = serviceClientFiles(site.service, environment)
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
}

export function serverAuthority(site: DemoSite): string {
  return readFileSync(site.serverCaFile, 'utf8')
}

function agentFor(site: DemoSite, environment: Environment): Agent {
  return new Agent({
    keepAlive: true,
    maxSockets: CONNECTIONS,
    servername: 'localhost',
    ca: serverAuthority(site),
    ...clientPair(site, environment),
  })
}

function post(
  { host, port }: Address,
  { path, body }: ServiceCallback,
  { agent, signal }: { agent: Agent; signal: AbortSignal },
): Promise<number | null> {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve) => {
    const request = httpsRequest({ host, port, path, method: 'POST', headers, agent, signal, timeout: TIMEOUT_MS })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(null))
    request.on('response', (response) => {
      response.on('end', () => resolve(response.statusCode ?? null))
      response.on('close', () => resolve(null))
      response.resume()
    })
    request.end(body)
  })
}
