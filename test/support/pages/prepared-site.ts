import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthority } from '../authority.ts'
import { type CallOptions, callBack, keepAliveAgent } from '../calls.ts'
import { type AtEnd, createSite, OPERATOR_TOKEN, type SpawnedGateway, spawnGateway, type TestSite } from '../gateway.ts'
import { OWN_KEY, type PreparedCallback } from './callbacks.ts'

export interface Credentials {
  readonly id: string
  readonly secret: string
}

/** A gateway of several tests, with data that its pages show. */
export interface PreparedSite {
  /** Origin of the API listener. */
  readonly baseURL: string
  readonly site: TestSite
  readonly gateway: SpawnedGateway
  /** For the page of the sign-in: the operator's id is left empty. */
  readonly operator: Credentials
  /** As the operator, through the control socket: works with and without TLS. @throws for another status than 2xx */
  // biome-ignore lint/suspicious/noExplicitAny: bodies are asserted, not typed
  ask(method: string, path: string, body?: object): Promise<any>
  createClient(name: string, environment: string, scopes: readonly string[]): Promise<Credentials>
  /** Sends the callbacks at the same time; returns when they are stored. */
  send(callbacks: readonly PreparedCallback[]): Promise<void>
  /** A system that answers every delivery with this status and body, and a destination for it. */
  createDestination(name: string, answer: { status: number; body?: string }, settings?: object): Promise<void>
  /** Ends the gateway as a service manager does. */
  stop(): Promise<void>
  /** Starts it again, its API at the same address. */
  start(): Promise<void>
  close(): Promise<void>
}

const TLS = { certificate: 'certs/server.crt', privateKey: 'certs/server.key' }
const CHARGE_TOKEN = 'cafe'.repeat(16)

/**
 * @param changes are merged over the section `api`; with `OVER_TLS` the listener speaks TLS
 * @param kinds in place of those of the prepared callbacks, and without what makes the overview warn
 */
export async function prepareSite(
  changes: Record<string, unknown> = {},
  wrapper: readonly string[] = [],
  kinds: object | null = null,
): Promise<PreparedSite> {
  const closers: (() => void | Promise<void>)[] = []
  const atEnd: AtEnd = (close) => void closers.unshift(close)
  const folder = mkdtempSync(join(tmpdir(), 'portaria-pages-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  const isTls = 'certificate' in changes
  const site = await createSite(configuration(changes, kinds), folder)
  issueForwardingCertificate(folder)
  writeFileSync(join(folder, 'charge-token'), CHARGE_TOKEN, { mode: 0o600 })
  let gateway = await spawnGateway(site, wrapper, atEnd)
  const agent = keepAliveAgent(site)
  atEnd(() => agent.destroy())
  const ask: PreparedSite['ask'] = (method, path, body) =>
    askControl(join(folder, 'data/control.sock'), method, path, body)

  return {
    baseURL: `${isTls ? 'https' : 'http'}://127.0.0.1:${gateway.api.port}`,
    site,
    ask,
    get gateway() {
      return gateway
    },
    operator: { id: '', secret: OPERATOR_TOKEN },
    async createClient(name, environment, scopes) {
      const { clientId, clientSecret } = await ask('POST', '/v1/clients', { name, environment, scopes })
      return { id: clientId, secret: clientSecret }
    },
    async send(callbacks) {
      await Promise.all(callbacks.map((callback) => sendOne({ callbacks: gateway.callbacks, site }, agent, callback)))
    },
    async createDestination(name, answer, settings = {}) {
      const url = await startSystem(answer, atEnd)
      await ask('POST', '/v1/destinations', { name, url, ...settings })
    },
    async stop() {
      gateway.process.kill('SIGTERM')
      await gateway.exited
    },
    async start() {
      const port = { port: gateway.api.port }
      await createSite(configuration({ ...changes, ...port }, kinds), folder)
      gateway = await spawnGateway(site, wrapper, atEnd)
    },
    async close() {
      for (const close of closers) await close()
    },
  }
}

const FORWARDING_PAIR = { certificate: 'forwarding/client.chain.pem', privateKey: 'forwarding/client.key' }

const KINDS = {
  registration: { path: '/callbacks/registration' },
  payment: { path: '/callbacks/payment' },
  charge: { path: '/callbacks/charge' },
  'open-banking': { path: '/callbacks/open-banking' },
  'instant-payment': {
    path: '/callbacks/instant-payment',
    split: ['/pix'],
    accounts: { allow: [{ pointers: ['/chave'], values: [OWN_KEY] }] },
  },
  // Never called.
  settlement: { path: '/callbacks/settlement', alertAfter: '1s' },
}

/** For the section `api`. */
export const OVER_TLS = TLS

function configuration(api: Record<string, unknown>, kinds: object | null): Record<string, unknown> {
  const trust = ['production', 'sandbox'].map((environment) => ({
    environment,
    chain: `certs/trust/${environment}.pem`,
  }))
  return {
    callbacks: {
      host: '127.0.0.1',
      port: 0,
      ...TLS,
      trust,
      kinds: kinds ?? KINDS,
    },
    chargeNotifications: {
      host: '127.0.0.1',
      port: 0,
      ...TLS,
      tokens: [{ environment: 'production', tokenFile: 'charge-token' }],
    },
    api: { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token', ...api },
    // The schedule ends soon, so that deliveries are exhausted before the circuit opens.
    forwarding: {
      allowedNetworks: ['127.0.0.0/8'],
      schedule: ['0s', '50ms'],
      timeout: '2s',
      catchUpRate: 'unlimited',
      ...(kinds === null && { clientCertificate: FORWARDING_PAIR }),
      circuit: { failures: 5, probeInterval: '15s' },
    },
    alarms: { channels: [{ name: 'team', command: '/usr/bin/true' }] },
  }
}

/** The client certificate for destinations, which the pages list. */
function issueForwardingCertificate(folder: string): void {
  const { issue } = createAuthority(join(folder, 'forwarding'))
  issue({ name: 'client', issuer: issue({ name: 'root', ca: true }) })
}

async function sendOne(
  gateway: Parameters<typeof callBack>[0],
  agent: NonNullable<CallOptions['agent']>,
  { path, body, environment, headers }: PreparedCallback,
): Promise<void> {
  const isText = typeof body === 'string' || body instanceof Uint8Array
  const { status } = await callBack(gateway, {
    path,
    body: isText ? body : JSON.stringify(body),
    ...(headers && { headers }),
    // An agent has the credentials of one environment.
    ...(environment === undefined ? { agent } : { environment }),
  })
  if (status !== 200) throw new Error(`a callback to ${path} got ${status}`)
}

function askControl(socketPath: string, method: string, path: string, body?: object): Promise<unknown> {
  return new Promise((done, fail) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    request({ socketPath, method, path, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString()
        if ((response.statusCode ?? 0) >= 300) fail(new Error(`${method} ${path}: ${response.statusCode} ${text}`))
        else done(text === '' ? undefined : JSON.parse(text))
      })
    })
      .on('error', fail)
      .end(body === undefined ? undefined : JSON.stringify(body))
  })
}

async function startSystem({ status, body = '' }: { status: number; body?: string }, atEnd: AtEnd): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(status, { 'content-type': 'text/html' }).end(body))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  atEnd(() => server.closeAllConnections())
  atEnd(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}
