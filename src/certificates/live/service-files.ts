import { createHash, createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { type Realm, serviceKeyOf } from '../../domain/realm.ts'
import { nameOnOneLine } from '../../platform/certificate-identity.ts'
import { messageOf, PortariaError } from '../../platform/errors.ts'
import { orderChain } from '../files/chain-order.ts'
import { COPY_AGAIN, partsOf } from '../files/file-parts.ts'
import { passwordIn } from '../files/password.ts'
import { explainOutOfDate, nameOf, readCertificateFile, readCertificates } from '../files/pem.ts'
import { readPkcs12Now } from '../files/pkcs12.ts'
import { loadServerCertificate } from './server-certificate.ts'

/** The files of one entry of the section `service`, as in `ServiceConfig`. */
export interface ServiceFilePaths {
  readonly environment: Realm
  readonly certificate:
    | { readonly certificate: string; readonly privateKey: string }
    | { readonly pkcs12: string; readonly passwordFile: string | null }
    | null
  readonly authorities: string | null
}

/** The account's certificate, which the service issued for one environment. */
export interface AccountCertificate {
  /** PEM: the certificate with its issuers, and its key; null: the files cannot be used, and `problem` says why. */
  readonly tls: { readonly cert: string; readonly key: string } | null
  /** Why it cannot be used at this time (ms since 1970), with the next step; null: it can. */
  problem(now: number): string | null
  /** On one line; null: the files cannot be used. */
  readonly subject: string | null
  /** In ms since 1970; null: the files cannot be used. */
  readonly notAfter: number | null
}

/** What the gateway shows to the service in one environment, and which of its servers it trusts. */
export interface ServiceFiles {
  /** null: none is configured. */
  readonly certificate: AccountCertificate | null
  /** PEM; null: the public ones. Without any certificate, and so trusting no server, where `authoritiesProblem` is not null. */
  readonly authorities: string | null
  /** Why the file of the authorities cannot be used, with the next step; null: it can, or none is configured. */
  readonly authoritiesProblem: string | null
}

/** Never throws: a missing or damaged file is a problem of the calls of this environment only. */
export function loadServiceFiles({ environment, certificate, authorities }: ServiceFilePaths): ServiceFiles {
  return {
    certificate: certificate === null ? null : loadAccountCertificate(certificate, environment),
    ...loadAuthorities(authorities, environment),
  }
}

/** All problems now, for the log and for `portaria check`. */
export function problemsOfServiceFiles({ certificate, authoritiesProblem }: ServiceFiles, now: number): string[] {
  return [certificate?.problem(now) ?? null, authoritiesProblem].filter((problem) => problem !== null)
}

type AccountFiles = NonNullable<ServiceFilePaths['certificate']>

function loadAccountCertificate(files: AccountFiles, environment: Realm): AccountCertificate {
  try {
    const { cert, key } = readAccountCertificate(files, environment)
    const leaf = new X509Certificate(cert)
    const what = `the client certificate of ${serviceKeyOf(environment)}`
    return {
      tls: { cert, key },
      problem(now) {
        const outOfDate = explainOutOfDate(leaf, new Date(now))
        return outOfDate === null ? null : `${what}, ${nameOf(leaf)}, ${outOfDate}: ${RENEW}`
      },
      subject: nameOnOneLine(leaf.subject),
      notAfter: leaf.validToDate.getTime(),
    }
  } catch (error) {
    const problem = `the client certificate of ${serviceKeyOf(environment)} cannot be used: ${reasonOf(error)}; a corrected file is taken up by itself`
    return { tls: null, problem: () => problem, subject: null, notAfter: null }
  }
}

const RENEW =
  'download a current one from your account at the service and put it in place (it is taken up by itself), or check the clock of this machine'

/**
 * The certificate with its issuers, and its key, as PEM.
 * @throws PortariaError `certificate_invalid` with every problem
 */
export function readAccountCertificate(files: AccountFiles, environment: Realm): { cert: string; key: string } {
  if ('pkcs12' in files) return readPkcs12Pair(files, environment)
  return loadServerCertificate(files, new Date(), serviceKeyOf(environment))
}

function loadAuthorities(file: string | null, environment: Realm): Omit<ServiceFiles, 'certificate'> {
  if (file === null) return { authorities: null, authoritiesProblem: null }
  try {
    const certificates = readCertificates(file, `${serviceKeyOf(environment)}.authorities`)
    return { authorities: certificates.map(String).join(''), authoritiesProblem: null }
  } catch (error) {
    const problem = `the authorities of ${serviceKeyOf(environment)} cannot be used: ${reasonOf(error)}; a corrected file is taken up by itself`
    return { authorities: TRUSTING_NOBODY, authoritiesProblem: problem }
  }
}

/** Text without a certificate in place of the public authorities: TLS then refuses every server. */
const TRUSTING_NOBODY = '# The authorities cannot be used.\n'

interface Pkcs12Files {
  readonly pkcs12: string
  readonly passwordFile: string | null
}

/** The last files that were opened, by their content: opening one takes some 50 ms, and every change of a file reads all of them again. */
const opened = new Map<string, { cert: string; key: string }>()
const OPENED_LIMIT = 4

function readPkcs12Pair({ pkcs12, passwordFile }: Pkcs12Files, environment: Realm): { cert: string; key: string } {
  const section = serviceKeyOf(environment)
  const bytes = pkcs12In(readCertificateFile(pkcs12, `${section}.certificate`), pkcs12)
  const password = passwordFile === null ? '' : passwordIn(readCertificateFile(passwordFile, `${section}.passwordFile`))
  const identity = createHash('sha256').update(bytes).update(`\0${password}`).digest('hex')
  const known = opened.get(identity) ?? openPkcs12(pkcs12, bytes, { password, hasPasswordFile: passwordFile !== null })
  opened.delete(identity)
  opened.set(identity, known)
  const [oldest] = opened.keys()
  if (opened.size > OPENED_LIMIT && oldest !== undefined) opened.delete(oldest)
  return known
}

/** Also from base64, in which the service's interface for account openings hands it out. */
function pkcs12In(bytes: Buffer, file: string): Buffer {
  const parts = partsOf(bytes, file)
  const found = parts.find(({ type }) => type === 'PKCS#12')
  if (found !== undefined) return found.der
  if (parts.some(({ certificate }) => certificate !== undefined))
    throw invalid(
      `${file} is no PKCS#12 file: give it the ending .pem, and name it as certificate and the file of its key (it may be the same) as privateKey`,
    )
  throw invalid(`${file} ${parts[0]?.problem ?? `is not a PKCS#12 file: ${COPY_AGAIN}`}`)
}

function openPkcs12(
  file: string,
  bytes: Buffer,
  { password, hasPasswordFile }: { password: string; hasPasswordFile: boolean },
): { cert: string; key: string } {
  const content = readContent(file, bytes, password)
  if (content === null)
    throw invalid(
      hasPasswordFile
        ? `the password in passwordFile does not open ${file}: correct it`
        : `the empty password does not open ${file}: name the file with its password as passwordFile`,
    )
  const certificates = content.certificates.map((der) => new X509Certificate(der))
  const [der, ...others] = content.keys
  if (der === undefined || others.length > 0)
    throw invalid(`${file} holds ${content.keys.length} private keys: export it again with one certificate and its key`)
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const leaf = certificates.find((certificate) => certificate.checkPrivateKey(key))
  if (leaf === undefined)
    throw invalid(`${file} holds no certificate of its private key: export it again with the certificate and its key`)
  const cert = orderChain(leaf, certificates, new Date()).chain.map(String).join('')
  const pair = { cert, key: key.export({ type: 'pkcs8', format: 'pem' }).toString() }
  requireUsable(file, pair)
  return pair
}

function readContent(file: string, bytes: Buffer, password: string): ReturnType<typeof readPkcs12Now> {
  try {
    return readPkcs12Now(bytes, password)
  } catch (cause) {
    throw invalid(
      `${file} cannot be read (${messageOf(cause)}): copy the whole file again from where it came, or convert it to PEM files (openssl pkcs12 -in ${file} -out bundle.pem)`,
      cause,
    )
  }
}

/** OpenSSL refuses weak keys and signatures only here. */
function requireUsable(file: string, pair: { cert: string; key: string }): void {
  try {
    createSecureContext(pair)
  } catch (cause) {
    throw invalid(`${file} cannot be used for TLS (${messageOf(cause)}): get a certificate with another key`, cause)
  }
}

function reasonOf(error: unknown): string {
  const details = error instanceof PortariaError ? error.details : []
  return details.length > 0 ? details.join('; ') : messageOf(error)
}

function invalid(message: string, cause?: unknown): PortariaError {
  return new PortariaError('certificate_invalid', message, cause === undefined ? {} : { cause })
}
