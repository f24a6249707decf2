import { generateKeyPairSync } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openssl } from './openssl.ts'

const DAY_MS = 86_400_000

export interface IssueOptions {
  /** The files' name, unique within the authority. */
  readonly name: string
  /** Who signs; left out: self-signed. */
  readonly issuer?: IssuedCertificate
  /** As `openssl -subj` wants it, `/O=TestCA/CN=name`; '' is the empty subject. Default: `/CN=<name>`. */
  readonly subject?: string
  /** Chooses the default extensions: those of a CA, or those of a client. */
  readonly ca?: boolean
  /** Days from now; default 30. Or give the exact dates. */
  readonly days?: number
  readonly notBefore?: Date
  readonly notAfter?: Date
  /** `ec` (P-256, the default), `ec:<curve>`, `rsa:<bits>`, `rsa-pss:<bits>`, `dsa:<bits>`, `ed25519`, `ed448`. */
  readonly keyType?: string
  /** Another certificate whose key is used again: a renewed or cross-signed one. */
  readonly sameKeyAs?: IssuedCertificate
  /** `sha256` by default; nothing is chosen for Ed25519 and Ed448 issuers. MD5 needs an RSA issuer. */
  readonly digest?: string
  /** Positive, hexadecimal with an even number of digits; random by default. */
  readonly serial?: string
  /**
   * Lines of an OpenSSL extension section, in place of all the default ones: `['basicConstraints=critical,CA:TRUE']`; [] for none.
   * Where there are some, OpenSSL adds an authority key identifier by itself unless told `authorityKeyIdentifier=none`.
   */
  readonly extensions?: readonly string[]
  /** More sections of the OpenSSL configuration, for extensions that refer to one with `@name`. */
  readonly sections?: string
}

export interface IssuedCertificate {
  readonly name: string
  readonly keyType: string
  readonly certFile: string
  /** PKCS#8, not encrypted. */
  readonly keyFile: string
  /** The certificate, then its issuers in order, the root included: a trust file for a CA, a full chain for a leaf. */
  readonly chainFile: string
  /** The texts of `certFile` and `chainFile`. */
  readonly cert: string
  readonly chain: string
}

export interface Authority {
  issue(options: IssueOptions): IssuedCertificate
}

/** Makes keys, CAs and certificates with arbitrary properties in `dir`, good and bad ones, with the openssl command line (3.0 suffices). */
export function createAuthority(dir: string): Authority {
  mkdirSync(dir, { recursive: true })
  return { issue: (options) => issue(dir, options) }
}

function issue(dir: string, options: IssueOptions): IssuedCertificate {
  const { name, issuer, keyType = options.sameKeyAs?.keyType ?? 'ec' } = options
  const at = (ending: string) => join(dir, `${name}.${ending}`)
  const [keyFile, certFile, chainFile] = [at('key'), at('crt'), at('chain.pem')]
  if (options.sameKeyAs === undefined) makeKey(keyType, keyFile, at('parameters'))
  else copyFileSync(options.sameKeyAs.keyFile, keyFile)

  writeFileSync(at('cnf'), configuration(at, options))
  const subject = (options.subject ?? `/CN=${name}`) || '/'
  const named = ['req', '-new', '-config', at('cnf'), '-key', keyFile, '-subj', subject, '-utf8']
  if (isSimple(options)) {
    const { days = 30, digest, serial } = options
    const signer = issuer === undefined ? [] : ['-CA', issuer.certFile, '-CAkey', issuer.keyFile]
    const chosen = [...(digest ? [`-${digest}`] : []), ...(serial === undefined ? [] : ['-set_serial', `0x${serial}`])]
    openssl([...named, '-x509', '-days', String(days), ...signer, ...chosen, '-out', certFile])
  } else {
    writeFileSync(at('db'), '')
    if (options.serial !== undefined) writeFileSync(at('serial'), `${options.serial}\n`)
    openssl([...named, '-out', at('csr')])
    const signer =
      issuer === undefined ? ['-selfsign', '-keyfile', keyFile] : ['-cert', issuer.certFile, '-keyfile', issuer.keyFile]
    const asked = ['-config', at('cnf'), '-in', at('csr'), '-out', certFile]
    openssl(['ca', '-batch', '-notext', '-preserveDN', ...asked, ...signer])
  }

  const cert = readFileSync(certFile, 'utf8')
  const chain = cert + (issuer?.chain ?? '')
  writeFileSync(chainFile, chain)
  return { name, keyType, certFile, keyFile, chainFile, cert, chain }
}

/** Whether one call of `openssl` makes it. Only `openssl ca` gives any dates in OpenSSL 3.0, and makes certificates of version 1. */
function isSimple({ notBefore, notAfter, days = 30, extensions }: IssueOptions): boolean {
  return (
    notBefore === undefined && notAfter === undefined && days > 0 && Number.isInteger(days) && extensions?.length !== 0
  )
}

function makeKey(keyType: string, keyFile: string, parametersFile: string): void {
  const [algorithm = '', parameter] = keyType.split(':')
  // By far the most. A process for each would take longer than the key.
  if (algorithm === 'ec') return writeFileSync(keyFile, ellipticKey(parameter ?? 'P-256'), { mode: 0o600 })
  if (algorithm === 'dsa') {
    const bits = `dsa_paramgen_bits:${parameter ?? '2048'}`
    openssl(['genpkey', '-genparam', '-algorithm', 'DSA', '-pkeyopt', bits, '-out', parametersFile])
    openssl(['genpkey', '-paramfile', parametersFile, '-out', keyFile])
    return
  }
  const options: Record<string, string[]> = {
    rsa: ['-pkeyopt', `rsa_keygen_bits:${parameter ?? '2048'}`],
    'rsa-pss': ['-pkeyopt', `rsa_keygen_bits:${parameter ?? '2048'}`],
  }
  openssl(['genpkey', '-algorithm', algorithm.toUpperCase(), ...(options[algorithm] ?? []), '-out', keyFile])
}

function ellipticKey(namedCurve: string): string {
  return generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
}

/** Of both ways; `openssl ca` wants a small database and a policy. */
function configuration(at: (ending: string) => string, options: IssueOptions): string {
  const { issuer, serial, digest, days = 30 } = options
  const notBefore = options.notBefore ?? new Date(Date.now() - 60_000)
  const notAfter = options.notAfter ?? new Date(Date.now() + days * DAY_MS)
  const signerKeyType = issuer?.keyType ?? options.keyType ?? options.sameKeyAs?.keyType ?? 'ec'
  return `
[req]
distinguished_name = name
string_mask = utf8only
x509_extensions = extensions
[name]
[ca]
default_ca = authority
[authority]
database = ${at('db')}
new_certs_dir = ${dirname(at('crt'))}
${serial === undefined ? 'rand_serial = yes' : `serial = ${at('serial')}`}
policy = policy
unique_subject = no
default_md = ${digest ?? (signerKeyType.startsWith('ed') ? 'null' : 'sha256')}
default_startdate = ${asn1Time(notBefore)}
default_enddate = ${asn1Time(notAfter)}
x509_extensions = extensions
[policy]
${POLICY}
[extensions]
${(options.extensions ?? defaultExtensions(options)).join('\n')}
${options.sections ?? ''}
`
}

/** Any subject. */
const POLICY = ['commonName', 'organizationName', 'organizationalUnitName', 'countryName', 'serialNumber']
  .map((field) => `${field} = optional`)
  .join('\n')

function defaultExtensions({ ca, issuer }: IssueOptions): string[] {
  const own = ca
    ? ['basicConstraints = critical,CA:TRUE', 'keyUsage = critical,keyCertSign,cRLSign']
    : ['basicConstraints = critical,CA:FALSE', 'keyUsage = critical,digitalSignature', 'extendedKeyUsage = clientAuth']
  const identifiers = ['subjectKeyIdentifier = hash']
  if (issuer !== undefined) identifiers.push('authorityKeyIdentifier = keyid')
  return [...own, ...identifiers]
}

/** GeneralizedTime with four digits of the year, which OpenSSL shortens where X.509 wants it. */
function asn1Time(date: Date): string {
  return `${date.toISOString().replaceAll(/[-:T]|\.\d+/g, '')}`
}
