import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { withClock } from '../faketime.ts'
import {
  BASE_CALLBACKS,
  createSite,
  OPERATOR_TOKEN,
  type SpawnedGateway,
  spawnGateway,
  type TestSite,
} from '../gateway.ts'
import { reservePorts } from '../ports.ts'
import { startTcpProxy, type TcpProxy } from '../tcp-proxy.ts'
import { BALANCER_ADDRESS, type NodePorts } from './balancer.ts'

/** One gateway of several, with a configuration, certificates and a way to PostgreSQL of its own. */
export interface ClusterNode {
  readonly name: string
  readonly site: TestSite
  readonly ports: NodePorts
  /** Between it and PostgreSQL. */
  readonly link: TcpProxy
  /** Of its last process. */
  readonly gateway: SpawnedGateway
  readonly isRunning: boolean
  start(): Promise<void>
  /** Resolves when the process has ended: with its exit code, or the signal's name. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | string>
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
}

export interface NodeOptions {
  readonly name: string
  readonly postgresPort: number
  /** How far its clock is ahead, such as `+30s`. */
  readonly clock: string | null
}

export async function prepareNode({ name, postgresPort, clock }: NodeOptions): Promise<ClusterNode> {
  const [callbacks = 0, api = 0] = await reservePorts(2)
  const link = await startTcpProxy(postgresPort)
  const proxyProtocol = [BALANCER_ADDRESS]
  const tls = { certificate: 'certs/server.crt', privateKey: 'certs/server.key' }
  const site = await createSite({
    callbacks: { ...BASE_CALLBACKS, port: callbacks, proxyProtocol },
    api: { host: '127.0.0.1', port: api, operatorTokenFile: 'operator-token', proxyProtocol, ...tls },
    storage: { url: `postgres://portaria@127.0.0.1:${link.port}/portaria` },
    node: { name, folder: 'data' },
    forwarding: {
      allowedNetworks: ['127.0.0.0/8'],
      catchUpRate: 'unlimited',
      timeout: '2s',
      circuit: { failures: 5, probeInterval: '100ms' },
    },
  })
  let gateway: SpawnedGateway | null = null
  let isRunning = false
  const running = () => {
    if (gateway === null) throw new Error(`${name} was never started`)
    return gateway
  }
  return {
    name,
    site,
    ports: { callbacks, api },
    link,
    get gateway() {
      return running()
    },
    get isRunning() {
      return isRunning
    },
    async start() {
      gateway = await spawnGateway(site, clock === null ? [] : withClock(clock))
      isRunning = true
    },
    end(signal) {
      isRunning = false
      running().process.kill(signal)
      return running().exited
    },
    signal(signal) {
      isRunning = signal === 'SIGCONT'
      running().process.kill(signal)
    },
  }
}

export interface NodeAnswer {
  readonly status: number
  readonly body: string
}

/** The API of a node, or of the balancer, with the operator's token. Rejects when there is no answer within `limitMs`. */
export function askApi(
  { port, site }: { readonly port: number; readonly site: TestSite },
  target: string,
  { body, limitMs = 10_000 }: { readonly body?: unknown; readonly limitMs?: number } = {},
): Promise<NodeAnswer> {
  return new Promise((resolve, reject) => {
    request({
      ...{ host: '127.0.0.1', port, servername: 'localhost', path: target, agent: false },
      method: body === undefined ? 'GET' : 'POST',
      ca: readFileSync(join(site.certs, 'server-ca.crt')),
      headers: {
        authorization: `Bearer ${OPERATOR_TOKEN}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(limitMs),
    })
      .on('response', (response) => {
        text(response).then((content) => resolve({ status: response.statusCode ?? 0, body: content }), reject)
      })
      .on('error', reject)
      .end(body === undefined ? undefined : JSON.stringify(body))
  })
}
