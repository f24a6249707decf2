import { copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { dirname, join } from 'node:path'
import { connect, type SecureVersion, type TLSSocket } from 'node:tls'
import { onTestFinished } from 'vitest'
import { fetchContract } from './api-contract.ts'
import { type Authority, createAuthority, type IssuedCertificate } from './authority.ts'
import { type Answer, allEvents } from './calls.ts'
import { createSite, type TestGateway, type TestSite } from './gateway.ts'
import { until } from './until.ts'

const SERVER = [
  'basicConstraints = critical,CA:FALSE',
  'keyUsage = critical,digitalSignature',
  'extendedKeyUsage = serverAuth',
  'subjectAltName = DNS:localhost,IP:127.0.0.1',
]

/** What both sides of the tests need: servers of one authority, and three chains of the service with a caller each. */
export interface World {
  readonly serverAuthority: IssuedCertificate
  server(name: string, options?: Partial<Parameters<Authority['issue']>[0]>): IssuedCertificate
  /** A chain of two CAs, and a caller of it. */
  readonly first: Chain
  readonly second: Chain
  readonly sandbox: Chain
  readonly untrusted: Chain
}

export interface Chain {
  readonly issuing: IssuedCertificate
  readonly caller: IssuedCertificate
}

export function createWorld(folder: string): World {
  const { issue } = createAuthority(folder)
  const serverAuthority = issue({ name: 'server-ca', ca: true })
  const chain = (name: string): Chain => {
    const root = issue({ name: `${name}-root`, ca: true })
    const issuing = issue({ name, issuer: root, ca: true })
    return { issuing, caller: issue({ name: `${name}-caller`, issuer: issuing }) }
  }
  return {
    serverAuthority,
    server: (name, options = {}) => issue({ name, issuer: serverAuthority, extensions: SERVER, ...options }),
    first: chain('first'),
    second: chain('second'),
    sandbox: chain('sandbox'),
    untrusted: chain('untrusted'),
  }
}

/** A site whose own certificate is `server`, and whose chains are `first` and `sandbox`. */
export async function siteOf(
  world: World,
  server: IssuedCertificate,
  changes: Record<string, unknown> = {},
  folder?: string,
): Promise<TestSite> {
  const site = await createSite(changes, folder)
  installPair(site, server)
  copyFileSync(world.serverAuthority.certFile, join(site.certs, 'server-ca.crt'))
  put(site, 'production.pem', world.first)
  put(site, 'sandbox.pem', world.sandbox)
  return site
}

export const pairOf = (site: TestSite, name = 'server') => ({
  cert: join(site.certs, `${name}.crt`),
  key: join(site.certs, `${name}.key`),
})

export function installPair(site: TestSite, issued: IssuedCertificate, name = 'server'): void {
  const { cert, key } = pairOf(site, name)
  replace(key, readFileSync(issued.keyFile))
  replace(cert, issued.cert)
}

/** As careful programs do it. */
export function replace(file: string, content: string | Buffer): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.new`, content)
  renameSync(`${file}.new`, file)
}

/** A chain under `certs/trust`. */
export function put(site: TestSite, name: string, chain: Chain): void {
  replace(trustFile(site, name), chain.issuing.chain)
}

export const trustFile = (site: TestSite, name: string) => join(site.certs, 'trust', name)

export interface Caller {
  /** The status; 0 where the connection ended without an answer. */
  call(subject: string): Promise<number>
  write(text: string): void
  readonly isClosed: () => boolean
  readonly closed: () => Promise<unknown>
  /** The common name of the certificate that the gateway showed. */
  readonly server: string
}

export interface CallerOptions {
  readonly version?: SecureVersion
}

/** A connection of the service that stays open; one that is refused is closed at once. */
export async function openCaller(
  port: number,
  who: IssuedCertificate,
  { version = 'TLSv1.3' }: CallerOptions = {},
): Promise<Caller> {
  const socket = connect({
    host: '127.0.0.1',
    port,
    servername: 'localhost',
    minVersion: version,
    maxVersion: version,
    cert: who.chain,
    key: readFileSync(who.keyFile),
    rejectUnauthorized: false,
  })
  onTestFinished(() => void socket.destroy())
  let received = ''
  let isClosed = false
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
  })
  socket.on('error', () => undefined)
  for (const end of ['end', 'close']) socket.on(end, () => (isClosed = true))
  await new Promise<void>((resolve) => {
    for (const end of ['secureConnect', 'close']) socket.once(end, () => resolve())
  })
  return {
    async call(subject) {
      received = ''
      if (!socket.destroyed) socket.write(requestOf(subject))
      await until(() => isClosed || received.includes('\r\n\r\n'))
      return Number(/^HTTP\/1\.1 ([0-9]{3})/.exec(received)?.[1] ?? 0)
    },
    write: (text) => void socket.write(text),
    isClosed: () => isClosed,
    closed: () => until(() => isClosed),
    server: isClosed ? 'none' : nameOf(socket),
  }
}

/** A call on a connection of its own: the status, 0 for a refused one. */
export async function callOnce(port: number, who: IssuedCertificate, subject = 'once', options: CallerOptions = {}) {
  return (await openCaller(port, who, options)).call(subject)
}

export function requestOf(subject: string): string {
  const body = JSON.stringify({ identificador: subject })
  return `POST /callbacks/payment HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

function nameOf(socket: TLSSocket): string {
  return String(socket.getPeerCertificate().subject.CN)
}

/** The common name that a listener shows now; it need not let anybody in. */
export async function shownBy(port: number, who: IssuedCertificate): Promise<string> {
  return (await openCaller(port, who)).server
}

export async function subjectsOf(gateway: Pick<TestGateway, 'api'>): Promise<(string | null)[]> {
  const events = await allEvents(gateway.api, '&kind=payment')
  return events.map(({ subject }) => subject)
}

/** Calls without a pause, on connections that stay open and on new ones, until it is stopped or a call fails. */
export function startLoad(port: number, who: IssuedCertificate) {
  let isStopped = false
  let count = 0
  const failed: unknown[] = []
  onTestFinished(() => {
    isStopped = true
  })
  async function run(next: () => Promise<number>): Promise<void> {
    while (!isStopped) {
      const status = await next().catch((error: unknown) => error)
      if (status !== 200) return void failed.push(status)
    }
  }
  const subject = () => `load ${++count}`
  async function kept(): Promise<void> {
    const caller = await openCaller(port, who)
    await run(() => caller.call(subject()))
  }
  const anew = () => run(() => callOnce(port, who, subject()))
  const running = [kept(), kept(), anew(), anew()]
  return {
    /** How many calls there were, and what else came of them than 200. */
    async stop() {
      isStopped = true
      await Promise.all(running)
      return { calls: count, failed }
    },
  }
}

/** Has a running gateway read its certificates again, as commands do. */
export async function reloadNow(site: TestSite): Promise<{
  status: number
  body: { renewed: string[]; problems: { what: string; problem: string; file: string | null; use: string }[] }
}> {
  const socketPath = join(site.folder, 'data/control.sock')
  const [method, target] = ['POST', '/v1/gateway/reload']
  const answer = await new Promise<Answer>((resolve, reject) => {
    const asked = request({ socketPath, method, path: target, agent: false }, async (response) => {
      const body = Buffer.concat(await response.toArray()).toString('utf8')
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
    })
    asked.on('error', reject)
    asked.end()
  })
  // Behind it: what watches the files must not be given time to be first.
  const contract = await fetchContract({ socketPath })
  contract?.judge({ ...answer, method, target, requestHeaders: {} })
  return { status: answer.status, body: JSON.parse(answer.body) }
}
