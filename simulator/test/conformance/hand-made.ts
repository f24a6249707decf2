import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { inject } from 'vitest'
import { type Laboratory, openLaboratory } from '../../src/conformance/laboratory.ts'
import { type Report, type RunOptions, runConformance } from '../../src/conformance/run.ts'
import type { Verdict } from '../../src/conformance/scenario.ts'
import { viewOfLog } from '../../src/conformance/stored-records.ts'

/** A receiver as somebody writes it with node:https, right by default. */
export interface HandMade {
  readonly tls?: ServerOptions
  /** Accepts only what the issuing certificate issued; default: true. */
  readonly isPinned?: boolean
  readonly handle?: Handle
}

export type Handle = (received: Received) => void

export interface Received {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: Buffer
  /** As one line. */
  readonly store: (body: Buffer) => void
  /** Whether this body came before. */
  readonly isRepeated: boolean
}

export const storeAndAnswer: Handle = ({ response, body, store, isRepeated }) => {
  if (!isRepeated) store(body)
  response.end('200')
}

export interface Bed {
  readonly folder: string
  readonly laboratory: Laboratory
  readonly authority: string
  remove(): void
}

export async function makeBed(): Promise<Bed> {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-conformance-'))
  return {
    folder,
    laboratory: await openLaboratory(join(folder, 'laboratory'), new Date()),
    authority: readFileSync(join(inject('testCa'), 'server-ca.crt'), 'utf8'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

let count = 0

/** Runs all scenarios on such a receiver. */
export async function tryHandMade(
  bed: Bed,
  { tls = {}, isPinned = true, handle = storeAndAnswer }: HandMade,
  options: Partial<RunOptions> & { readonly path?: string } = {},
): Promise<Report> {
  const log = join(bed.folder, `stored-${count++}.log`)
  writeFileSync(log, '')
  const { chain, issuer } = bed.laboratory.environments.production
  const server = createServer({
    cert: readFileSync(join(inject('testCa'), 'server.crt')),
    key: readFileSync(join(inject('testCa'), 'server.key')),
    ca: chain,
    requestCert: true,
    rejectUnauthorized: true,
    ...tls,
  })
  if (isPinned) server.prependListener('secureConnection', requireIssuer(new X509Certificate(issuer)))
  const seen = new Set<string>()
  server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
    try {
      const body: Buffer = Buffer.concat(await request.toArray())
      const key = body.toString('latin1')
      const isRepeated = seen.has(key)
      seen.add(key)
      handle({ request, response, body, isRepeated, store: (one) => appendFileSync(log, `${one}\n`) })
    } catch {
      request.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { path = '/callback', ...others } = options
  const url = new URL(`https://localhost:${(server.address() as AddressInfo).port}${path}`)
  try {
    return await runConformance({ ...optionsFor(bed, url), view: viewOfLog(log), ...others })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

export function optionsFor({ laboratory, authority }: Bed, url: URL): RunOptions {
  return {
    url,
    preset: null,
    kind: 'payment',
    environment: null,
    laboratory,
    authorities: authority,
    view: null,
    timeoutMs: 60_000,
  }
}

/** A destroyed connection makes no request. */
function requireIssuer(issuer: X509Certificate) {
  return function onSecure(socket: TLSSocket): void {
    const { raw } = socket.getPeerCertificate()
    if (raw === undefined || !new X509Certificate(raw).verify(issuer.publicKey)) socket.destroy()
  }
}

/** The ids with this verdict, in the order of the report. */
export function idsWith(verdict: Verdict, { results }: Report): string[] {
  return results.filter((one) => one.verdict === verdict).map(({ scenario }) => scenario.id)
}
