import { type KeyObject, X509Certificate } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { Command } from 'commander'
import { openAuthority, type SigningAuthority } from '../../certificates/authority/authority.ts'
import { issueCertificate } from '../../certificates/authority/issuing.ts'
import { type CertificateRecord, forgetRecord, recordsOf } from '../../certificates/authority/records.ts'
import { type CheckedRequest, checkRequest, REQUEST_BYTES } from '../../certificates/authority/request.ts'
import { writeNewFile } from '../../certificates/files/written-files.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { confirm } from '../confirm.ts'
import { translated } from '../language/language.ts'
import { readOptionFile } from '../option-files.ts'
import { wholeNumber } from '../options.ts'
import { action, EXIT, printable, printHint, printResult, tell } from '../output.ts'
import { type AuthorityOption, authorityFolderOf, issuedView, withAuthority } from './authority-place.ts'
import { openClientNamed } from './client-certificate.ts'
import { ISSUED_DAYS } from './issue-options.ts'
import { pemWithAuthority } from './issued-files.ts'

interface SignOptions extends AuthorityOption {
  readonly out?: string
  readonly days: number
  readonly client?: string
  readonly replace?: boolean
  readonly yes?: boolean
  readonly dryRun?: boolean
}

export function signCommand(): Command {
  return withAuthority(new Command('sign'))
    .description(
      'Sign a certificate request for TLS clients with the private authority, such as that of an institution',
    )
    .argument('<file>', 'the request (CSR), PEM or DER')
    .option(
      '--out <file>',
      'file for the certificate, which must not exist, or its folder (default: the request’s, with .pem)',
    )
    .option('--days <n>', 'how long it is valid; never longer than the authority', wholeNumber, ISSUED_DAYS)
    .option('--client <name>', 'for this client of the API alone (name or id), not for an institution')
    .option('--replace', 'although a valid certificate has the same name and another key')
    .option('--yes', 'sign without a question')
    .option('--dry-run', 'check and show the request only')
    .option('--json', 'print one JSON object')
    .action(action(sign))
}

async function sign(file: string, options: SignOptions): Promise<void> {
  const request = await checkRequest(readOptionFile('the request', file, 16 * REQUEST_BYTES), file)
  const out = outFileOf(file, options.out)
  if (options.dryRun === true)
    return printResult(options, describe(request), `${textOf(request)}nothing was signed (--dry-run)\n`)
  if (existsSync(out))
    throw new PortariaError('conflict', `${out} exists already and is never overwritten: name another with --out`)
  const authority = await openAuthority(await authorityFolderOf(options), new Date())
  const client = options.client === undefined ? null : (await openClientNamed(options.client, options)).id
  requireOwnName(authority, request, { file, client })
  if (options.replace !== true) requireSameKey(authority, request, file)
  if (options.yes !== true) {
    for (const line of textOf(request).trimEnd().split('\n')) printHint(line)
    if (!(await confirm(say`Sign this request?`))) {
      tell(say`nothing was signed`)
      process.exitCode = EXIT.no
      return
    }
  }
  const { publicKey, subject, alternativeNames, commonName } = request
  const files = { certificate: resolve(out), privateKey: null, pkcs12: null, passwordFile: null }
  const content = { use: 'signed', name: commonName, subject, publicKey, alternativeNames, client, files } as const
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

/** In a folder, or beside the request, it has the request's name. */
function outFileOf(file: string, out: string | undefined): string {
  const own = `${file.replace(/\.(csr|req|pem|der)$/i, '')}${/\.pem$/i.test(file) ? '-signed' : ''}.pem`
  if (out === undefined) return own
  return statSync(out, { throwIfNoEntry: false })?.isDirectory() === true ? join(out, basename(own)) : out
}

/** A signed request must not become one of our own apps by its name, nor bring back a key that was revoked because others know it. */
function requireOwnName(
  authority: SigningAuthority,
  request: CheckedRequest,
  { file, client }: { readonly file: string; readonly client: string | null },
): void {
  const records = recordsOf(authority)
  const isOfClient = (one: CertificateRecord) => client !== null && one.client === client
  const other = records.find((one) => one.use !== 'signed' && one.name === request.commonName && !isOfClient(one))
  if (other !== undefined)
    throw new PortariaError(
      'conflict',
      say`${{ file }} asks for the name ${{ name: other.name }}, which is that of a certificate for ${{ use: other.use }}: have it made with another common name (CN)`,
    )
  const hasKey = (certificate: X509Certificate) => isOfKey(certificate, request.publicKey)
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

/** Two senders with one name would be one caller to every rule that names it. */
function requireSameKey(authority: SigningAuthority, request: CheckedRequest, file: string): void {
  const now = Date.now()
  const other = recordsOf(authority).find(
    ({ use, name, notAfter, revocation, certificate }) =>
      use === 'signed' &&
      name === request.commonName &&
      revocation === null &&
      Date.parse(notAfter) > now &&
      !isOfKey(new X509Certificate(certificate), request.publicKey),
  )
  if (other === undefined) return
  throw new PortariaError(
    'conflict',
    say`${{ file }} asks for the name ${{ name: other.name }} with another key than that of the certificate ${{ serial: other.serial }}, which is valid: if its sender is the owner of that one and has a new key, add --replace; otherwise have it made with another common name (CN)`,
  )
}

function isOfKey({ publicKey }: X509Certificate, key: KeyObject): boolean {
  return publicKey.equals(key)
}

function describe({ subjectName, keyType, alternativeNames, ignored }: CheckedRequest) {
  return { subject: subjectName, keyType, names: alternativeNames.map(({ value }) => value), ignored }
}

function textOf(request: CheckedRequest): string {
  const { subject, keyType, names, ignored } = describe(request)
  const lines = [
    `subject:   ${subject}`,
    names.length === 0 ? 'names:     none' : `names:     ${names.join(', ')}`,
    `key:       ${keyType}; the request is signed with it`,
    ...(ignored.length === 0 ? [] : [`not given: ${ignored.map(translated).join(', ')}`]),
  ]
  return lines.map((line) => `${printable(line)}\n`).join('')
}

function signedText({ serial, notAfter, client }: CertificateRecord, request: CheckedRequest, out: string): string {
  return `${textOf(request)}
signed: serial number ${serial}, valid until ${notAfter.slice(0, 10)}
wrote ${printable(out)}: the certificate and that of the authority

${client === null ? NEXT : NEXT_FOR_CLIENT}
${RENEWED}
`
}

/** Of a signed request the sender has the copy. */
const RENEWED =
  'A gateway with certificates.authority renews it in this file. Send the file back again then: the log says when (authority.renewed).'
const NEXT =
  'Next: send this file back. To let its owner call the gateway, name ca.pem and crl.pem of the authority under trust.'
const NEXT_FOR_CLIENT =
  'Next: send this file back. The API accepts the certificate for no other client; see api.clientCa and api.clientCrl.'
