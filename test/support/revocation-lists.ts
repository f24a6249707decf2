import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { IssuedCertificate } from './authority.ts'
import { openssl } from './openssl.ts'

export interface ListOptions {
  readonly issuer: IssuedCertificate
  /** Certificates, or serial numbers in hexadecimal. */
  readonly revoked?: readonly (IssuedCertificate | string)[]
  readonly thisUpdate?: Date
  readonly nextUpdate?: Date
  readonly digest?: string
  /** Lines of an OpenSSL extension section. */
  readonly extensions?: readonly string[]
  readonly sections?: string
  readonly signatureOptions?: readonly string[]
}

const DAY_MS = 86_400_000

/** A revocation list made by the openssl command line, PEM. */
export function makeRevocationList(folder: string, options: ListOptions): string {
  const { issuer, revoked = [], digest = 'sha256', extensions = ['authorityKeyIdentifier = keyid'] } = options
  const own = mkdtempSync(join(folder, 'list-'))
  const at = (name: string) => join(own, name)
  const serials = revoked.map((one) => (typeof one === 'string' ? one : new X509Certificate(one.cert).serialNumber))
  writeFileSync(
    at('index'),
    serials.map((serial) => `R\t401122000000Z\t251122000000Z\t${serial}\tunknown\t/CN=x\n`).join(''),
  )
  writeFileSync(at('number'), '01\n')
  writeFileSync(
    at('cnf'),
    `[ca]\ndefault_ca = a\n[a]\ndatabase = ${at('index')}\ncrlnumber = ${at('number')}\ndefault_md = ${digest}\ncrl_extensions = e\n[e]\n${extensions.join('\n')}\n${options.sections ?? ''}`,
  )
  const { thisUpdate = new Date(Date.now() - 60_000), nextUpdate = new Date(Date.now() + 7 * DAY_MS) } = options
  const times = ['-crl_lastupdate', asn1Time(thisUpdate), '-crl_nextupdate', asn1Time(nextUpdate)]
  const signer = ['-keyfile', issuer.keyFile, '-cert', issuer.certFile]
  openssl([
    'ca',
    '-gencrl',
    '-config',
    at('cnf'),
    ...signer,
    ...times,
    '-out',
    at('crl'),
    ...(options.signatureOptions ?? []),
  ])
  return readFileSync(at('crl'), 'utf8')
}

export function derOf(pem: string): Buffer {
  return Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64')
}

function asn1Time(date: Date): string {
  return date.toISOString().replaceAll(/[-:T]|\.\d+/g, '')
}
