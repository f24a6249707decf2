import type { X509Certificate } from 'node:crypto'
import { Command } from 'commander'
import { readBundle } from '../../certificates/files/bundle.ts'
import { nameOf } from '../../certificates/files/pem.ts'
import { describeRequest, type RequestDescription } from '../../certificates/files/signing-request.ts'
import { daysInWords, keyTypeOf } from '../../certificates/live/certificate-format.ts'
import { describeCertificate } from '../../certificates/live/describe-certificate.ts'
import { describeChain } from '../../certificates/live/describe-chain.ts'
import { readRemoteCertificate } from '../../certificates/live/remote-certificate.ts'
import { say } from '../../platform/said.ts'
import { translated } from '../language/language.ts'
import { action, printable, printResult, wrongUsage } from '../output.ts'
import { type PasswordOptions, passwordsFrom, withPasswordOptions } from './passwords.ts'
import { filesOf, type PlaceOptions, withPlace } from './places.ts'

interface ShowOptions extends PlaceOptions, PasswordOptions {
  readonly host?: string
  readonly servername?: string
}

/** The inspected file or server. */
interface Shown {
  readonly source: string
  readonly certificates: readonly X509Certificate[]
  readonly keys: readonly KeyView[]
  readonly requests: readonly RequestDescription[]
  /** null for a file. */
  readonly server?: { readonly protocol: string | null; readonly clientCertificate: string; readonly isNamed: boolean }
}

interface KeyView {
  readonly keyType: string
  /** The certificate in the file that the key belongs to. */
  readonly certificate: string | null
}

export function showCommand(): Command {
  return withPasswordOptions(withPlace(new Command('show')))
    .description('Describe the certificates of a file or a server: names, issuer, days left, key usage, chain, key')
    .argument('[file]', 'PEM, DER, .p12 or .pfx: certificates, keys, requests (default: the configured certificate)')
    .option('--host <host:port>', 'show the certificates that this server sends; nothing is verified')
    .option('--servername <name>', 'server name to send (SNI), empty for none (default: the host)')
    .option('--json', 'print one JSON object')
    .action(action(show))
}

async function show(file: string | undefined, options: ShowOptions): Promise<void> {
  const now = new Date()
  const shown = await (options.host === undefined
    ? lookAtFile(file, options)
    : lookAtServer(file, options.host, options))
  const certificates = shown.certificates.map((certificate) => describeCertificate(certificate, now))
  const chain = describeChain(shown.certificates, now)
  const parts = [
    ...certificates.map(certificateText),
    ...shown.requests.map(requestText),
    ...(chain === null ? [] : [fieldsOf({ chain: chain.text })]),
    ...shown.keys.map((key) => fieldsOf({ 'private key': keyText(key, shown.certificates.length > 0) })),
    ...(shown.server === undefined ? [] : [serverText(shown.server)]),
  ]
  await printResult(
    options,
    { ...shown, certificates, chain },
    `${printable(translated(shown.source))}\n\n${parts.join('\n')}`,
  )
}

async function lookAtFile(named: string | undefined, options: ShowOptions): Promise<Shown> {
  if (named !== undefined && options.for !== undefined) throw wrongUsage(say`name either a file or --for, not both`)
  const file = named ?? filesOf(options).certificate
  if (options.servername !== undefined) throw wrongUsage(say`--servername belongs to --host: leave it out for a file`)
  const { format, certificates, keys, requests } = await readBundle(file, passwordsFrom(options))
  return {
    source: `${file} (${format})`,
    certificates,
    keys: keys.map((key) => {
      const owner = certificates.find((certificate) => certificate.checkPrivateKey(key))
      return { keyType: keyTypeOf(key), certificate: owner === undefined ? null : nameOf(owner) }
    }),
    requests: await Promise.all(requests.map(describeRequest)),
  }
}

async function lookAtServer(file: string | undefined, text: string, options: ShowOptions): Promise<Shown> {
  if (file !== undefined || options.for !== undefined)
    throw wrongUsage(say`name either a file, --for or --host, not two of them`)
  const [, ipv6, name = ipv6, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  if (name === undefined || Number(port ?? 443) > 65_535)
    throw wrongUsage(say`--host "${{ text }}" is not HOST:PORT: write it as example.com:8443 or [::1]:8443`)
  const target = {
    host: name,
    port: Number(port ?? 443),
    ...(options.servername !== undefined && { servername: options.servername }),
  }
  const { certificates, ...server } = await readRemoteCertificate(target)
  return { source: `${text} (TLS server)`, certificates, keys: [], requests: [], server }
}

function certificateText(certificate: ReturnType<typeof describeCertificate>): string {
  const { notBefore, notAfter, state, daysLeft, isSelfSigned, usableAs, names } = certificate
  return fieldsOf({
    certificate: certificate.subjectName || 'without a subject',
    names: names.length === 0 ? 'none' : names.join(', '),
    'issued by': isSelfSigned ? 'itself (self-signed)' : certificate.issuerName,
    valid: `${dateOf(notBefore)} to ${dateOf(notAfter)}`,
    state: state === 'not yet valid' ? state : `${state === 'valid' ? 'expires' : 'EXPIRED'} ${daysInWords(daysLeft)}`,
    'usable as': usableAs.length === 0 ? 'neither server, client nor authority' : usableAs.join(', '),
    key: certificate.keyType,
    signature: certificate.signatureAlgorithm,
    'serial number': certificate.serialNumber,
    'SHA-256': certificate.fingerprint256,
    'SHA-1': certificate.fingerprint,
  })
}

function requestText({ subjectName, names, keyType, isSigned }: RequestDescription): string {
  return fieldsOf({
    CSR: `${subjectName || 'without a subject'} (no certificate yet: send it to an authority)`,
    names: names.length === 0 ? 'none' : names.join(', '),
    key: keyType,
    signature: isSigned ? 'right' : 'wrong: create the request again',
  })
}

function keyText({ keyType, certificate }: KeyView, isBesideCertificates: boolean): string {
  if (certificate !== null) return `${keyType}, the key of ${certificate}`
  return isBesideCertificates ? `${keyType}, the key of NONE of these certificates` : keyType
}

function serverText({ protocol, clientCertificate, isNamed }: NonNullable<Shown['server']>): string {
  return fieldsOf({
    protocol: protocol ?? 'unknown',
    'host name': isNamed ? 'is in the certificate' : 'is NOT in the certificate',
    'client certs': clientCertificate,
  })
}

function fieldsOf(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${translated(name).padEnd(16)}${printable(translated(value))}\n`)
    .join('')
}

/** To the minute, UTC. */
function dateOf(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
