import { cpSync, writeFileSync } from 'node:fs'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { stringify } from 'yaml'
import type { Area, Finding } from '../../src/cli/check/finding.ts'
import { isOpen } from '../../src/cli/check/findings-text.ts'
import { type CheckFlags, findingsOf } from '../../src/cli/check.ts'
import { createAuthority } from '../support/authority.ts'
import type { TestSite } from '../support/gateway.ts'
import { OPERATOR_TOKEN } from '../support/gateway.ts'
import { reservePorts } from '../support/ports.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

export const SERVER_EXTENSIONS = [
  'basicConstraints=critical,CA:FALSE',
  'keyUsage=critical,digitalSignature',
  'extendedKeyUsage=serverAuth',
  'subjectAltName=DNS:localhost,IP:127.0.0.1',
]

/** An authority that callers trust, with a certificate of it for localhost; the service's two chains under one root, with a caller. */
export function makeCertificates(folder: string) {
  const authority = createAuthority(folder)
  const root = authority.issue({ name: 'root', ca: true, days: 4000 })
  const intermediate = authority.issue({ name: 'intermediate', ca: true, issuer: root, days: 3000 })
  const server = authority.issue({ name: 'server', issuer: intermediate, days: 200, extensions: SERVER_EXTENSIONS })
  const serviceRoot = authority.issue({ name: 'service-root', ca: true, days: 4000 })
  const production = authority.issue({ name: 'production', ca: true, issuer: serviceRoot, days: 3000 })
  const sandbox = authority.issue({ name: 'sandbox', ca: true, issuer: serviceRoot, days: 3000 })
  const caller = authority.issue({ name: 'caller', issuer: production, days: 200 })
  // What a server sends: without the root.
  writeFileSync(join(folder, 'server.pem'), server.cert + intermediate.cert)
  return { folder, authority, root, intermediate, server, serviceRoot, production, sandbox, caller }
}

export type Certificates = ReturnType<typeof makeCertificates>

/** A production configuration that is right, with fixed free ports and files of its own; `changes` are merged over its top-level keys. */
export async function productionSite(certificates: Certificates, changes: Record<string, unknown> = {}) {
  const folder = temporaryFolder()
  const certs = join(folder, 'certs')
  cpSync(certificates.folder, certs, { recursive: true })
  writeFileSync(join(folder, 'operator-token'), OPERATOR_TOKEN, { mode: 0o600 })
  const [callbacks = 0, api = 0] = await reservePorts(2)
  const configFile = join(folder, 'portaria.yaml')
  const configuration = {
    callbacks: {
      host: '127.0.0.1',
      port: callbacks,
      certificate: 'certs/server.pem',
      privateKey: 'certs/server.key',
      trust: [
        { environment: 'production', chain: 'certs/production.chain.pem' },
        { environment: 'sandbox', chain: 'certs/sandbox.chain.pem' },
      ],
      kinds: { payment: { path: '/callbacks/payment' } },
    },
    api: { host: '127.0.0.1', port: api, operatorTokenFile: 'operator-token' },
    storage: { url: 'sqlite:data/portaria.db' },
    forwarding: { allowedNetworks: ['127.0.0.0/8'] },
    check: { accepted: [{ code: 'forwarding.none', reason: 'most tests forward nothing' }] },
    ...changes,
  }
  const write = (more: Record<string, unknown>) => writeFileSync(configFile, stringify({ ...configuration, ...more }))
  write({})
  const site: TestSite = { folder, configFile, certs }
  return { ...site, configuration, write, port: callbacks, url: `https://localhost:${callbacks}/callbacks/payment` }
}

export type ProductionSite = Awaited<ReturnType<typeof productionSite>>

/** As the command finds them; a runtime that is too old is this machine's matter. */
export async function findingsAt(site: TestSite, flags: Partial<CheckFlags> = {}): Promise<Finding[]> {
  const defaults = { config: site.configFile, timeout: '5', integrityLimit: 60 }
  return (await findingsOf({ ...defaults, ...flags })).filter(({ area }) => area !== 'runtime')
}

export type Row = readonly [what: string, level: string, found: string, nextStep: string | null]

/** What is neither good nor accepted; of one area. */
export function troubleIn(findings: readonly Finding[], area: Area): Row[] {
  return findings
    .filter((finding) => finding.area === area && isOpen(finding))
    .map(({ what, level, found, nextStep }) => [what, level, found, nextStep])
}

export function trouble(findings: readonly Finding[]): Finding[] {
  return findings.filter(isOpen)
}

/** Flags of somebody who has a certificate that the service issued. */
export function callerFlags({ root, caller }: Certificates) {
  return { ca: root.certFile, cert: caller.chainFile, key: caller.keyFile }
}

/** A TLS server that is no gateway, closed when the test is over; answers everything with this status. */
export async function startServer(options: ServerOptions, status = 200, headers: Record<string, string> = {}) {
  const seen: string[] = []
  const server = createTlsServer(options, (request, response) => {
    seen.push(`${request.method} ${request.url}`)
    request.resume().on('end', () => response.writeHead(status, headers).end())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `https://localhost:${port}/callbacks/payment`, port, seen }
}
