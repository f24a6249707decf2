import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { openAuthority, type SigningAuthority } from '../../certificates/authority/authority.ts'
import { issueCertificate } from '../../certificates/authority/issuing.ts'
import { type CertificateRecord, forgetRecord, recordsOf } from '../../certificates/authority/records.ts'
import { type CheckedRequest, checkRequest, REQUEST_BYTES } from '../../certificates/authority/request.ts'
import { writeNewFile } from '../../certificates/files/written-files.ts'
import { PortariaError } from '../../platform/errors.ts'
import { readOptionFile } from '../caller-files.ts'
import { confirm } from '../confirm.ts'
import { translated } from '../language/language.ts'
import { wholeNumber } from '../options.ts'
import { action, EXIT, printable, printHint, printResult, tell } from '../output.ts'
import { type AuthorityOption, authorityFolderOf, issuedView, withAuthority } from './authority-place.ts'
import { ISSUED_DAYS, pemWithAuthority } from './issued-files.ts'

interface SignOptions extends AuthorityOption {
  readonly out?: string
  readonly days: number
  readonly yes?: boolean
  readonly dryRun?: boolean
}

export function signCommand(): Command {
  return withAuthority(new Command('sign'))
    .description(
      'Sign a certificate request for TLS clients with the private authority, such as that of an institution',
    )
    .argument('<file>', 'the request (CSR), PEM or DER')
    .option('--out <file>', 'file for the certificate; must not exist (default: the request’s, with .pem)')
    .option('--days <n>', 'how long it is valid; never longer than the authority', wholeNumber, ISSUED_DAYS)
    .option('--yes', 'sign without a question')
    .option('--dry-run', 'check and show the request only')
    .option('--json', 'print one JSON object')
    .action(action(sign))
}

async function sign(file: string, options: SignOptions): Promise<void> {
  const request = await checkRequest(readOptionFile('the request', file, 16 * REQUEST_BYTES), file)
  const out = options.out ?? `${file.replace(/\.(csr|req|pem|der)$/i, '')}${/\.pem$/i.test(file) ? '-signed' : ''}.pem`
  if (options.dryRun === true)
    return printResult(options, describe(request), `${textOf(request)}nothing was signed (--dry-run)\n`)
  if (existsSync(out))
    throw new PortariaError('conflict', `${out} exists already and is never overwritten: name another with --out`)
  const authority = await openAuthority(authorityFolderOf(options), new Date())
  requireOwnName(authority, request, file)
  if (options.yes !== true) {
    for (const line of textOf(request).trimEnd().split('\n')) printHint(line)
    if (!(await confirm('Sign this request?'))) {
      tell('nothing was signed')
      process.exitCode = EXIT.no
      return
    }
  }
  const { publicKey, subject, alternativeNames, commonName } = request
  const content = { use: 'signed', name: commonName, subject, publicKey, alternativeNames, client: null } as const
  const record = await issueCertificate(authority, content, options, new Date())
  try {
    writeNewFile({ path: out, content: pemWithAuthority(record, authority), mode: 0o644 })
  } catch (error) {
    forgetRecord(authority, record)
    throw error
  }
  const view = { ...issuedView(record, [record], Date.now()), ...describe(request), certificate: out }
  await printResult(options, view, signedText(record, request, out))
}

/** A signed request must not become one of our own apps by its name, nor bring back a key that was revoked because others know it. */
function requireOwnName(authority: SigningAuthority, request: CheckedRequest, file: string): void {
  const records = recordsOf(authority)
  const other = records.find(({ name, use }) => use !== 'signed' && name === request.commonName)
  if (other !== undefined)
    throw new PortariaError(
      'conflict',
      `${file} asks for the name ${other.name}, which is that of a certificate for ${other.use}: have it made with another common name (CN)`,
    )
  const spki = request.publicKey.export({ type: 'spki', format: 'der' })
  const hasKey = ({ publicKey }: X509Certificate) => publicKey.export({ type: 'spki', format: 'der' }).equals(spki)
  const lost = records.find(
    ({ revocation, certificate }) =>
      revocation?.reason === 'key-compromise' && hasKey(new X509Certificate(certificate)),
  )
  if (hasKey(authority.certificate) || lost !== undefined)
    throw new PortariaError(
      'conflict',
      `${file} has ${lost === undefined ? 'the key of the authority itself' : `the key of ${lost.serial}, which was revoked because others may know it`}: have it made with a new key`,
    )
}

function describe({ subjectName, keyType, alternativeNames, ignored }: CheckedRequest) {
  return { subject: subjectName, keyType, names: alternativeNames.map(({ value }) => value), ignored }
}

function textOf(request: CheckedRequest): string {
  const { subject, keyType, names, ignored } = describe(request)
  const lines = [
    `subject    ${subject}`,
    names.length === 0 ? 'names      none' : `names      ${names.join(', ')}`,
    `key        ${keyType}; the request is signed with it`,
    ...(ignored.length === 0 ? [] : [`not given  ${ignored.map(translated).join(', ')}`]),
  ]
  return lines.map((line) => `${printable(line)}\n`).join('')
}

function signedText({ serial, notAfter }: CertificateRecord, request: CheckedRequest, out: string): string {
  return `${textOf(request)}
signed: serial number ${serial}, valid until ${notAfter.slice(0, 10)}
wrote ${printable(out)}: the certificate and that of the authority

Next: send this file back. To let its owner call the gateway, name ca.pem and crl.pem of the authority under trust.
`
}
