import { spawnSync } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { stringify } from 'yaml'
import { makeDevelopmentCertificates } from '../../../src/certificates/development/development.ts'
import type { ConfigWithSecrets } from '../../../src/config/config.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { type Gateway, startGateway } from '../../../src/gateway/gateway.ts'
import type { PortariaError } from '../../../src/platform/errors.ts'
import { createAuthority, type IssuedCertificate, type IssueOptions } from '../../support/authority.ts'
import { BASE_CALLBACKS, createSite, type LogLine, recordingLog, startTestGateway } from '../../support/gateway.ts'
import { callByOpenssl, hasOpenssl, openssl } from '../../support/openssl.ts'
import { databaseFile } from '../../support/store.ts'
import { until } from '../../support/until.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const
type Version = (typeof VERSIONS)[number]

/** What a caller shows; `behindFile`: what it sends behind its certificate. */
interface Credentials {
  readonly certFile: string
  readonly keyFile: string
  readonly behindFile?: string
}

/** One root above an issuing certificate of each environment; a second root that is alone, and so on. `constrained` may issue for one name only. */
interface Authorities {
  readonly root: IssuedCertificate
  readonly production: IssuedCertificate
  readonly sandbox: IssuedCertificate
  readonly constrained: IssuedCertificate
  /** Expired. */
  readonly lapsed: IssuedCertificate
  /** Of sandbox, with the name of `lapsed`, which is of production. */
  readonly namesake: IssuedCertificate
  readonly alone: IssuedCertificate
  /** As the service publishes it: a CA without CAs below it, which may sign digitally and names a host. */
  readonly published: IssuedCertificate
  /** With `usage: any`: it, and all that it issues, is for servers only, as public authorities have it since 2026. */
  readonly relaxed: IssuedCertificate
  readonly relaxedRoot: IssuedCertificate
  /** With `usage: any`, and further flaws of the chain: an expired CA, names that it may issue for, a CA below one that may have none. */
  readonly relaxedLapsed: IssuedCertificate
  readonly relaxedConstrained: IssuedCertificate
  readonly relaxedTooLong: IssuedCertificate
  /** Under the same root, never installed. */
  readonly sibling: IssuedCertificate
  readonly untrusted: IssuedCertificate
}

type Issue = (options: Omit<IssueOptions, 'name'>) => IssuedCertificate
/** As the gateway gives it. Some have no name in Node: those words are OpenSSL's, and its command line bears witness to the flaw. */
type Reason = string | RegExp | { readonly flaw: string; readonly words?: string }
type Make = (issue: Issue, authorities: Authorities) => Credentials

const CLIENT = ['basicConstraints = critical,CA:FALSE', 'keyUsage = critical,digitalSignature']
const CA = ['basicConstraints = critical,CA:TRUE', 'subjectKeyIdentifier = hash']
/** A CA's rights and a client's in one. */
const CA_AND_CLIENT = [...CA, 'keyUsage = critical,keyCertSign,cRLSign,digitalSignature']
const PUBLISHED = [
  'basicConstraints = critical,CA:TRUE,pathlen:0',
  'keyUsage = critical,digitalSignature,keyCertSign',
  'subjectAltName = DNS:calls.service.example',
  'subjectKeyIdentifier = hash',
]
const NO_IDENTIFIERS = ['subjectKeyIdentifier = none', 'authorityKeyIdentifier = none']
/** Whom the chains with `usage: any` let in. */
const CALLS = 'calls.service.example'
const FOR_SERVERS = ['extendedKeyUsage = serverAuth']
const NAMED_SERVER = [...CLIENT, ...FOR_SERVERS, `subjectAltName = DNS:${CALLS}`]
const SERVICE = '/O=TestCA/CN=The service'

const NOT_INSTALLED = 'issued by no installed issuing certificate (sibling issuer under an installed root)'
const CA_CALLS = 'a CA certificate is not a caller, but for an installed issuing certificate that may sign digitally'
const UNKNOWN_ISSUER = 'its certificate comes from no installed authority (unknown issuer)'
const SELF_SIGNED = 'its certificate is self-signed (unknown issuer)'
const FORGED = 'the signature of its certificate, or of one above it, is wrong (forged or damaged)'
const NOT_PROVEN = 'it could not prove that the key of its certificate is its own'
const WRONG_PURPOSE = 'its certificate is not for TLS clients (wrong usage)'
const WRONG_USE_OF_CHAIN =
  'its certificate, or one above it, is not for TLS clients (wrong usage): if it is the service, write usage: any and allow (who it is) under its chain in the configuration'
const ISSUER_EXPIRED = 'a CA certificate above its certificate has expired'

const GOOD: [title: string, environment: string, make: Make][] = [
  ['of production', 'production', (issue, { production }) => issue({ issuer: production, subject: SERVICE })],
  ['of sandbox', 'sandbox', (issue, { sandbox }) => issue({ issuer: sandbox, subject: SERVICE })],
  ['with its chain sent', 'production', (issue, { production }) => sendingChain(issue({ issuer: production }))],
  ['of a root that is alone', 'sandbox', (issue, { alone }) => issue({ issuer: alone })],
  [
    'of the name that its issuer may issue for',
    'production',
    (issue, { constrained }) =>
      issue({ issuer: constrained, extensions: [...CLIENT, 'subjectAltName = DNS:a.service.example'] }),
  ],
  [
    "of an issuing certificate with the name of the other environment's, without key identifiers",
    'sandbox',
    (issue, { namesake }) => issue({ issuer: namesake, extensions: [...CLIENT, ...NO_IDENTIFIERS] }),
  ],
  ['the published issuing certificate itself', 'production', (_issue, { published }) => published],
  ['the published issuing certificate itself, chain sent', 'production', (_, { published }) => sendingChain(published)],
  ['an issuing certificate itself (RSA)', 'sandbox', (_issue, { sandbox }) => sandbox],
  ['the root that is alone itself', 'sandbox', (_issue, { alone }) => alone],
  ['for servers only, where that is asked for', 'production', relaxed()],
  ['for servers only, where that is asked for, chain sent', 'production', (...all) => sendingChain(relaxed()(...all))],
  [
    'for clients, below a CA for servers only, where that is asked for',
    'production',
    (issue, { relaxed }) =>
      issue({ issuer: relaxed, extensions: [...CLIENT, 'extendedKeyUsage = clientAuth', NAMED_SERVER.at(-1) ?? ''] }),
  ],
  ['an issuing certificate for servers only, where that is asked for', 'production', (_issue, { relaxed }) => relaxed],
  [
    'with an expired copy of its issuer sent, for the installed one counts',
    'production',
    (issue, { root, production }) => {
      const expired = issue({ issuer: root, subject: '/CN=production', sameKeyAs: production, ca: true, ...past() })
      return { ...issue({ issuer: production }), behindFile: expired.certFile }
    },
  ],
]

const BAD: [title: string, reason: Reason, make: Make][] = [
  // Whom no one installed
  ['of another CA', UNKNOWN_ISSUER, (issue, { untrusted }) => issue({ issuer: untrusted })],
  ['of another CA, chain sent', UNKNOWN_ISSUER, (issue, { untrusted }) => sendingChain(issue({ issuer: untrusted }))],
  ['self-signed', SELF_SIGNED, (issue) => issue({})],
  ["self-signed with the service's name", SELF_SIGNED, (issue) => issue({ subject: SERVICE })],
  [
    "self-signed, the service's own certificate and chain behind it",
    SELF_SIGNED,
    (issue, { production }) => ({ ...issue({}), behindFile: issue({ issuer: production }).chainFile }),
  ],
  [
    'of another CA, with an empty subject',
    UNKNOWN_ISSUER,
    (issue, { untrusted }) => issue({ issuer: untrusted, subject: '' }),
  ],
  [
    'of another CA, X.509 version 1',
    UNKNOWN_ISSUER,
    (issue, { untrusted }) => issue({ issuer: untrusted, extensions: [] }),
  ],
  [
    'of another CA, behind twelve certificates that lead nowhere',
    UNKNOWN_ISSUER,
    (issue, { untrusted }) => ({
      ...issue({ issuer: untrusted }),
      behindFile: newFile(Array.from({ length: 12 }, () => issue({ ca: true }).cert).join('')),
    }),
  ],

  // Under an installed root, but of no installed issuing certificate
  ['of a sibling of the issuing certificates', UNKNOWN_ISSUER, (issue, { sibling }) => issue({ issuer: sibling })],
  [
    'of a sibling of the issuing certificates, chain sent',
    NOT_INSTALLED,
    (issue, { sibling }) => sendingChain(issue({ issuer: sibling })),
  ],
  ['straight of the shared root', NOT_INSTALLED, (issue, { root }) => issue({ issuer: root })],
  [
    'of a CA below an issuing certificate, chain sent',
    NOT_INSTALLED,
    (issue, { sandbox }) => sendingChain(issue({ issuer: issue({ issuer: sandbox, ca: true }) })),
  ],
  [
    'of a CA below a root that is alone, chain sent',
    NOT_INSTALLED,
    (issue, { alone }) => sendingChain(issue({ issuer: issue({ issuer: alone, ca: true }) })),
  ],
  [
    'twelve CAs below the shared root, chain sent',
    NOT_INSTALLED,
    (issue, { root }) => {
      let issuer = root
      for (let depth = 0; depth < 12; depth++) issuer = issue({ issuer, ca: true })
      return sendingChain(issue({ issuer }))
    },
  ],
  [
    'of a namesake of the issuing certificate under the same root, chain sent',
    NOT_INSTALLED,
    (issue, { root }) => sendingChain(issue({ issuer: issue({ issuer: root, subject: '/CN=production', ca: true }) })),
  ],
  [
    'of such a namesake, without key identifiers',
    FORGED,
    (issue, { root }) => {
      const namesake = issue({ issuer: root, subject: '/CN=production', extensions: [CA[0] ?? '', ...NO_IDENTIFIERS] })
      return sendingChain(issue({ issuer: namesake, extensions: [...CLIENT, ...NO_IDENTIFIERS] }))
    },
  ],

  // Forged
  [
    'of a look-alike of the issuing certificate',
    UNKNOWN_ISSUER,
    (issue) => issue({ issuer: issue({ subject: '/CN=production', ca: true }), subject: SERVICE }),
  ],
  [
    "of a look-alike with the issuing certificate's key identifier",
    FORGED,
    (issue, { production }) => issue({ issuer: lookAlike(issue, '/CN=production', production), subject: SERVICE }),
  ],
  [
    'of a look-alike of sandbox that points at the key of production',
    UNKNOWN_ISSUER,
    (issue, { production }) => issue({ issuer: lookAlike(issue, '/CN=sandbox', production), subject: SERVICE }),
  ],
  [
    'of a look-alike of the shared root',
    FORGED,
    (issue, { root }) => sendingChain(issue({ issuer: lookAlike(issue, '/CN=root', root) })),
  ],
  [
    'with one bit of the signature changed',
    FORGED,
    (issue, { production }) => changed(issue({ issuer: production }), (der) => der.length - 1),
  ],
  [
    'with one bit of the name changed',
    FORGED,
    (issue, { production }) =>
      changed(issue({ issuer: production, subject: '/CN=Stranger' }), (der) => der.indexOf('Stranger')),
  ],
  [
    "the service's own, without its key (EC)",
    NOT_PROVEN,
    (issue, { production }) => withoutKey(issue, issue({ issuer: production })),
  ],
  [
    "the service's own, without its key (RSA)",
    NOT_PROVEN,
    (issue, { production }) => withoutKey(issue, issue({ issuer: production, keyType: 'rsa' })),
  ],

  // Not a caller's
  [
    'of a caller',
    { flaw: 'invalid CA certificate', words: 'key usage does not include certificate signing' },
    (issue, { sandbox }) => sendingChain(issue({ issuer: issue({ issuer: sandbox }) })),
  ],
  ['an issuing certificate that may not sign digitally itself', CA_CALLS, (_issue, { production }) => production],
  ['an expired issuing certificate itself', 'its certificate has expired', (_issue, { lapsed }) => lapsed],
  [
    'of the key and name of an issuing certificate, other bytes',
    CA_CALLS,
    (issue, { root, published }) => twinOf(issue, published, root),
  ],
  [
    'of the key and name of an issuing certificate, of its own signature',
    SELF_SIGNED,
    (issue, { published }) => twinOf(issue, published),
  ],
  [
    'of the key and name of the root that is alone, other bytes',
    SELF_SIGNED,
    (issue, { alone }) => issue({ subject: '/CN=alone', sameKeyAs: alone, extensions: CA_AND_CLIENT }),
  ],
  ['of an issuing certificate, without its key', NOT_PROVEN, (issue, { published }) => withoutKey(issue, published)],
  ['the shared root itself', CA_CALLS, (_issue, { root }) => root],
  [
    'a CA of the issuing certificate',
    CA_CALLS,
    (issue, { sandbox }) => issue({ issuer: sandbox, extensions: CA_AND_CLIENT }),
  ],
  [
    'for servers only',
    WRONG_USE_OF_CHAIN,
    (issue, { production }) => issue({ issuer: production, extensions: NAMED_SERVER }),
  ],
  [
    'for signing code only',
    WRONG_USE_OF_CHAIN,
    (issue, { production }) => issue({ issuer: production, extensions: [...CLIENT, 'extendedKeyUsage = codeSigning'] }),
  ],
  ['whose key may sign certificates only', WRONG_USE_OF_CHAIN, withKeyUsage('keyCertSign')],
  ['whose key may sign revocation lists only', WRONG_USE_OF_CHAIN, withKeyUsage('cRLSign')],
  ['whose key may encrypt keys only', WRONG_USE_OF_CHAIN, withKeyUsage('keyEncipherment')],
  [
    'with a critical extension that no one knows',
    { flaw: 'unhandled critical extension' },
    (issue, { production }) =>
      issue({ issuer: production, extensions: [...CLIENT, '1.3.6.1.4.1.55555.1 = critical,DER:0500'] }),
  ],

  // For servers only, of a chain whose `usage: any` lets such callers in: whatever else is wrong with them still counts
  [
    'for servers only, not among those allowed',
    WRONG_USE_OF_CHAIN,
    relaxed({ extensions: [...CLIENT, ...FOR_SERVERS] }),
  ],
  ['for servers only, expired', 'its certificate has expired', relaxed(past())],
  [
    'for servers only, not yet valid',
    'its certificate, or one above it, is not yet valid',
    relaxed({ notBefore: new Date(Date.now() + DAY_MS) }),
  ],
  [
    'for servers only, whose key may not sign digitally',
    WRONG_USE_OF_CHAIN,
    relaxed({ extensions: ['keyUsage = critical,keyAgreement', ...NAMED_SERVER.slice(2)] }),
  ],
  [
    'for servers only, with a critical extension that no one knows',
    WRONG_USE_OF_CHAIN,
    relaxed({ extensions: [...NAMED_SERVER, '1.3.6.1.4.1.55555.1 = critical,DER:0500'] }),
  ],
  [
    "for servers only, a proxy's",
    /proxy|unknown issuer/,
    relaxed({
      subject: '/CN=relaxed/CN=proxy',
      extensions: [...NAMED_SERVER, 'proxyCertInfo = critical,language:id-ppl-anyLanguage,pathlen:0'],
    }),
  ],
  ['for servers only, a CA', CA_CALLS, relaxed({ extensions: [...CA_AND_CLIENT, ...NAMED_SERVER.slice(2)] })],
  [
    'for servers only, signed with SHA-1',
    { flaw: 'CA signature digest algorithm too weak' },
    relaxed({ digest: 'sha1' }),
  ],
  ['for servers only, with an RSA key of 1024 bits', WRONG_USE_OF_CHAIN, relaxed({ keyType: 'rsa:1024' })],
  [
    'for servers only, with one bit of the signature changed',
    FORGED,
    (...all) => changed(relaxed()(...all) as IssuedCertificate, (der) => der.length - 1),
  ],
  [
    'for servers only, without its key',
    NOT_PROVEN,
    (issue, all) => withoutKey(issue, relaxed()(issue, all) as IssuedCertificate),
  ],
  [
    'for servers only, of another CA, chain sent',
    /unknown issuer|not for TLS clients \(wrong usage\)$/,
    (issue, { untrusted }) => sendingChain(issue({ issuer: untrusted, extensions: NAMED_SERVER })),
  ],
  [
    'for servers only, self-signed',
    /unknown issuer|not for TLS clients \(wrong usage\)$/,
    (issue) => issue({ extensions: NAMED_SERVER }),
  ],
  [
    'for servers only, of an unknown CA of the same name and key identifier, chain sent',
    /forged|unknown issuer|not for TLS clients \(wrong usage\)$/,
    (issue, { relaxed }) =>
      sendingChain(issue({ issuer: lookAlike(issue, '/CN=relaxed', relaxed), extensions: NAMED_SERVER })),
  ],
  [
    'for servers only, of a sibling of the issuing certificate, chain sent',
    WRONG_PURPOSE,
    (issue, { relaxedRoot }) =>
      sendingChain(issue({ issuer: issue({ issuer: relaxedRoot, ca: true }), extensions: NAMED_SERVER })),
  ],
  [
    'for servers only, of a CA below the issuing certificate, chain sent',
    WRONG_PURPOSE,
    (issue, { relaxed }) =>
      sendingChain(issue({ issuer: issue({ issuer: relaxed, ca: true }), extensions: NAMED_SERVER })),
  ],
  [
    'for servers only, of an expired issuing certificate',
    ISSUER_EXPIRED,
    (issue, { relaxedLapsed }) => issue({ issuer: relaxedLapsed, extensions: NAMED_SERVER }),
  ],
  [
    'for servers only, of a name that its issuer may not issue for',
    { flaw: 'permitted subtree violation' },
    (issue, { relaxedConstrained }) =>
      issue({
        issuer: relaxedConstrained,
        extensions: [...CLIENT, ...FOR_SERVERS, `subjectAltName = DNS:${CALLS},DNS:other.example`],
      }),
  ],
  [
    'for servers only, below a CA that may issue no CA',
    WRONG_USE_OF_CHAIN,
    (issue, { relaxedTooLong }) => issue({ issuer: relaxedTooLong, extensions: NAMED_SERVER }),
  ],

  // Beyond what its issuers may
  [
    'below a CA that may issue no CA',
    'more CA certificates are above its certificate than their issuers allow',
    (issue, { production }) => sendingChain(issue({ issuer: issue({ issuer: production, ca: true }) })),
  ],
  ['of a name that its issuer may not issue for', { flaw: 'permitted subtree violation' }, named('DNS:other.example')],
  [
    'of a permitted name, a null byte and another',
    { flaw: 'permitted subtree violation' },
    named(`DER:${sequence(0x82, 'a.service.example\0.other.example')}`),
  ],

  // Out of date
  ['expired', 'its certificate has expired', (issue, { production }) => issue({ issuer: production, ...past() })],
  [
    'not yet valid',
    'its certificate, or one above it, is not yet valid',
    (issue, { production }) => issue({ issuer: production, notBefore: new Date(Date.now() + DAY_MS) }),
  ],
  ['of an issuing certificate that expired', ISSUER_EXPIRED, (issue, { lapsed }) => issue({ issuer: lapsed })],
  [
    'of an expired CA, chain sent',
    ISSUER_EXPIRED,
    (issue, { sandbox }) => sendingChain(issue({ issuer: issue({ issuer: sandbox, ca: true, ...past() }) })),
  ],

  // Too weak, or of an algorithm that is not taken
  [
    'signed with SHA-1',
    { flaw: 'CA signature digest algorithm too weak' },
    (issue, { production }) => issue({ issuer: production, digest: 'sha1' }),
  ],
  [
    'signed with MD5',
    { flaw: 'CA signature digest algorithm too weak' },
    (issue, { sandbox }) => issue({ issuer: sandbox, digest: 'md5' }),
  ],
  ['with an RSA key of 1024 bits', { flaw: 'EE certificate key too weak' }, withKey('rsa:1024')],
  // TLS 1.3 cannot sign with these two: there the caller shows nothing.
  [
    'with an RSA key of 512 bits',
    /^(its certificate is too weak: EE certificate key too weak|no client certificate)$/,
    withKey('rsa:512'),
  ],
  [
    'with a key on a curve that is not taken',
    /^(the key of its certificate is of a type that is not accepted|no client certificate)$/,
    withKey('ec:secp256k1'),
  ],
  // Nor with these in either version, as no such algorithm is asked for.
  ['with a DSA key', 'no client certificate', withKey('dsa')],
  ['with an Ed448 key', 'no client certificate', withKey('ed448')],
]

/** A caller of the chain whose `usage: any` lets in certificates for servers only. */
function relaxed(changes: Partial<IssueOptions> = {}): (...made: Parameters<Make>) => IssuedCertificate {
  return (issue, { relaxed }) => issue({ issuer: relaxed, extensions: NAMED_SERVER, ...changes })
}

/** Another certificate of the same key and name, signed by the same issuer or by itself. */
function twinOf(issue: Issue, published: IssuedCertificate, issuer?: IssuedCertificate): IssuedCertificate {
  return issue({ subject: '/CN=published', sameKeyAs: published, ...(issuer && { issuer }), extensions: PUBLISHED })
}

/** With its issuers sent behind it, up to the root. */
function sendingChain({ certFile, keyFile, chain, cert }: IssuedCertificate): Credentials {
  return { certFile, keyFile, behindFile: newFile(chain.slice(cert.length)) }
}

function past(): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() - 2 * DAY_MS), notAfter: new Date(Date.now() - DAY_MS) }
}

function withKey(keyType: string): Make {
  return (issue, { production }) => issue({ issuer: production, keyType })
}

function withKeyUsage(usage: string): Make {
  return (issue, { production }) =>
    issue({ issuer: production, extensions: ['basicConstraints = critical,CA:FALSE', `keyUsage = critical,${usage}`] })
}

function named(subjectAltName: string): Make {
  return (issue, { constrained }) =>
    issue({ issuer: constrained, extensions: [...CLIENT, `subjectAltName = ${subjectAltName}`] })
}

/** DER in hexadecimal: a sequence of one short value. */
function sequence(tag: number, text: string): string {
  return Buffer.from([0x30, text.length + 2, tag, text.length, ...Buffer.from(text)]).toString('hex')
}

/** A self-signed CA of any name, with the key identifier of another. */
function lookAlike(issue: Issue, subject: string, { certFile }: IssuedCertificate): IssuedCertificate {
  const text = openssl(['x509', '-in', certFile, '-noout', '-ext', 'subjectKeyIdentifier'])
  const identifier = /[0-9A-F:]{59}/.exec(text)?.[0]
  return issue({ subject, extensions: ['basicConstraints = critical,CA:TRUE', `subjectKeyIdentifier = ${identifier}`] })
}

/** The certificate with one bit of its DER flipped. */
function changed({ cert, keyFile }: IssuedCertificate, findByte: (der: Buffer) => number): Credentials {
  const der = new X509Certificate(cert).raw
  const at = findByte(der)
  der.writeUInt8(der.readUInt8(at) ^ 1, at)
  const pem = `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
  return { certFile: newFile(pem), keyFile }
}

/**
 * The certificate with a key that claims to be its own and is not: the public half is the certificate's, which is all that a client compares,
 * the private half another's.
 */
function withoutKey(issue: Issue, { certFile, keyFile, keyType }: IssuedCertificate): Credentials {
  const read = (file: string) => createPrivateKey(readFileSync(file)).export({ format: 'jwk' })
  const { x, y, n, e } = read(keyFile)
  const claimed = Object.fromEntries(Object.entries({ x, y, n, e }).filter(([, value]) => value !== undefined))
  const key = createPrivateKey({ key: { ...read(issue({ keyType }).keyFile), ...claimed }, format: 'jwk' })
  return { certFile, keyFile: newFile(key.export({ type: 'pkcs8', format: 'pem' }).toString()) }
}

const folder = mkdtempSync(join(tmpdir(), 'portaria-bad-certificates-'))
let files = 0

function newFile(text: string): string {
  const file = join(folder, `file-${++files}.pem`)
  writeFileSync(file, text)
  return file
}

afterAll(() => rmSync(folder, { recursive: true }))

describe.skipIf(!hasOpenssl)('callers that write their request before the handshake ends', () => {
  const lines: LogLine[] = []
  const delivered: string[] = []
  let gateway: Gateway
  let database: Database.Database
  let receiver: Server
  let authorities: Authorities
  let good: Credentials[]
  let bad: Map<string, Credentials>
  let installed: string
  let minute = 0

  const authority = createAuthority(join(folder, 'authority'))
  let issued = 0
  const issue: Issue = (options) => authority.issue({ name: `issued-${++issued}`, ...options })

  beforeAll(async () => {
    authorities = makeAuthorities(authority)
    good = GOOD.map(([, , make]) => make(issue, authorities))
    const { root, production, sandbox, constrained, relaxedRoot, relaxed, relaxedConstrained } = authorities
    installed = newFile(
      [root, production, sandbox, constrained, relaxedRoot, relaxed, relaxedConstrained]
        .map(({ cert }) => cert)
        .join(''),
    )
    bad = new Map(BAD.map(([title, , make]) => [title, make(issue, authorities)]))
    receiver = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => delivered.push(subjectOf(chunk)))
      request.on('end', () => response.end())
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const config = await configure(authorities, (receiver.address() as AddressInfo).port)
    // The log of refusals is bounded a minute: each case has one of its own, when all certificates are made.
    const realNow = Date.now
    vi.spyOn(Date, 'now').mockImplementation(() => realNow() + minute * MINUTE_MS)
    gateway = await startGateway(config, { log: recordingLog(lines), onLost: () => undefined })
    database = new Database(databaseFile(config), { readonly: true })
  })

  afterAll(async () => {
    database.close()
    await gateway.stop()
    vi.restoreAllMocks()
    receiver.close()
  })

  /** By openssl and by Node, in one version: what came back. */
  function callBoth(version: Version, credentials: Credentials, subject: string): Promise<string[]> {
    const { port } = gateway.addresses.callbacks
    const args = [version === 'TLSv1.2' ? '-tls1_2' : '-tls1_3', ...optionsOf(credentials)]
    return Promise.all([
      callByOpenssl(port, args, requestOf(subject)),
      callByNode({ port, version, credentials, subject }),
    ])
  }

  function stored(): Record<string, unknown> {
    const count = (table: string) => database.prepare(`select count(*) from ${table}`).pluck().get()
    return { callbacks: count('callbacks'), events: count('events'), deliveries: count('deliveries') }
  }

  async function refusalsSince(index: number, count: number): Promise<unknown[]> {
    const refusals = await until(
      () => lines.slice(index).filter((line) => line.event === 'caller.refused'),
      (refused) => refused.length >= count,
    )
    return refusals.map((line) => line.reason)
  }

  function acceptsTheGood(when: string) {
    it.each(
      VERSIONS.flatMap((version) =>
        GOOD.map(([title, environment], index) => ({ version, title, environment, index })),
      ),
    )(`accepts a certificate $title in $version, ${when} the bad ones`, async ({ version, environment, index }) => {
      const subject = `good ${when} ${version} ${index}`

      const answers = await callBoth(version, good[index] as Credentials, subject)

      expect(answers).toEqual([expect.stringContaining('HTTP/1.1 200'), expect.stringContaining('HTTP/1.1 200')])
      const environments = database.prepare('select environment from events where subject = ?').pluck().all(subject)
      expect(environments).toEqual([environment])
    })
  }

  acceptsTheGood('before')

  it.each(BAD)('refuses a certificate %s, and keeps nothing', async (title, reason) => {
    const before = stored()
    minute++

    const credentials = bad.get(title) as Credentials
    const expected = typeof reason === 'string' ? reason : expect.stringMatching(patternOf(reason))
    for (const version of VERSIONS) {
      const line = lines.length
      expect(await callBoth(version, credentials, `bad ${title}`)).toEqual(['', ''])
      expect(await refusalsSince(line, 2)).toEqual([expected, expected])
    }
    if (typeof reason === 'object' && 'flaw' in reason) expect(flawOf(credentials, installed)).toContain(reason.flaw)

    expect(stored()).toEqual(before)
  })

  it.each([
    ['of a sibling issuer', 'of a sibling of the issuing certificates, chain sent'],
    ['without a certificate', null],
  ])(
    'keeps nothing of 200 callers %s in TLS 1.3, however their requests race with the refusal',
    async (_name, title) => {
      const credentials = title === null ? null : (bad.get(title) as Credentials)
      const { port } = gateway.addresses.callbacks
      const before = stored()

      for (let round = 0; round < 4; round++) {
        const call = () => callByNode({ port, version: 'TLSv1.3', credentials, subject: 'bad race' })
        expect(await Promise.all(Array.from({ length: 50 }, call))).toEqual(Array(50).fill(''))
      }

      expect(stored()).toEqual(before)
    },
  )

  acceptsTheGood('after')

  it('has kept and delivered what the good callers sent, and nothing else', async () => {
    // The gateway's own events (certificates that end soon) came in no callback.
    const subjects = () =>
      database.prepare("select subject from events where kind <> 'operator' order by id").pluck().all()
    const expected = ['before', 'after'].flatMap((when) =>
      VERSIONS.flatMap((version) => GOOD.map((_, index) => `good ${when} ${version} ${index}`)),
    )

    await until(() => delivered.length >= expected.length)

    expect(subjects()).toEqual(expected)
    expect(delivered.toSorted()).toEqual(expected.toSorted())
  })
})

describe.skipIf(!hasOpenssl)('chains that leave open whom to trust', () => {
  const { issue } = createAuthority(join(folder, 'other-authority'))

  async function refusalToStart(trust: { environment: string; chain: string }[]): Promise<string> {
    const site = await createSite({ callbacks: { ...BASE_CALLBACKS, trust } })
    return startTestGateway(site).then(
      () => 'it started',
      (error: PortariaError) => [error.message, ...(error.details ?? [])].join('\n'),
    )
  }

  it('refuses to start with one issuing certificate in two environments', async () => {
    const { chainFile } = issue({ name: 'shared', issuer: issue({ name: 'shared-root', ca: true }), ca: true })

    const refusal = await refusalToStart([
      { environment: 'production', chain: chainFile },
      { environment: 'sandbox', chain: chainFile },
    ])

    expect(refusal).toMatch(
      /"CN=shared" issues callers in .* \(production\) and in .* \(sandbox\).*keep it in the file of one environment/,
    )
  })

  it('refuses to start without any chain, and says how to install one', async () => {
    expect(await refusalToStart([])).toMatch(
      /callbacks\.trust.* names no chain of the service.*put the service.s CA certificates \(PEM\) into a file/,
    )
  })

  it.each([
    ['an empty file', () => ''],
    ['garbage', () => 'garbage'],
    ['no certificate', (chain: string) => chain.replaceAll('CERTIFICATE', 'PUBLIC KEY')],
    ['a truncated certificate', (chain: string) => chain.slice(0, chain.length / 3)],
    ['a chain cut off in its last certificate', (chain: string) => chain.slice(0, -100)],
    ['a certificate with a damaged line', (chain: string) => chain.replace(/\n.{64}\n/, '\nAAAA\n')],
    ['a chain without its root', (_chain: string, issuing: string) => issuing],
  ])('refuses to start with %s for a chain, and trusts no public root instead', async (_name, spoil) => {
    const issuing = issue({ name: `issuing-${++files}`, issuer: issue({ name: `root-${files}`, ca: true }), ca: true })
    const chain = newFile(spoil(issuing.chain, issuing.cert))

    expect(await refusalToStart([{ environment: 'production', chain }])).toContain(chain)
  })
})

function makeAuthorities({ issue }: ReturnType<typeof createAuthority>): Authorities {
  const root = issue({ name: 'root', extensions: CA_AND_CLIENT })
  const relaxedRoot = issue({ name: 'relaxed-root', extensions: [...CA_AND_CLIENT, ...FOR_SERVERS] })
  const relaxedCa = [...CA_AND_CLIENT, ...FOR_SERVERS, `subjectAltName = DNS:${CALLS}`]
  return {
    relaxedRoot,
    published: issue({ name: 'published', issuer: root, extensions: PUBLISHED }),
    relaxed: issue({ name: 'relaxed', issuer: relaxedRoot, extensions: relaxedCa }),
    relaxedLapsed: issue({ name: 'relaxed-lapsed', issuer: relaxedRoot, extensions: relaxedCa, ...past() }),
    relaxedConstrained: issue({
      name: 'relaxed-constrained',
      issuer: relaxedRoot,
      extensions: [...relaxedCa, 'nameConstraints = critical,permitted;DNS:service.example'],
    }),
    relaxedTooLong: issue({
      name: 'relaxed-too-long',
      issuer: issue({
        name: 'relaxed-last',
        issuer: relaxedRoot,
        extensions: ['basicConstraints = critical,CA:TRUE,pathlen:0', ...relaxedCa.slice(1)],
      }),
      extensions: relaxedCa,
    }),
    root,
    production: issue({
      name: 'production',
      issuer: root,
      extensions: ['basicConstraints = critical,CA:TRUE,pathlen:0', 'keyUsage = critical,keyCertSign', CA[1] ?? ''],
    }),
    sandbox: issue({ name: 'sandbox', issuer: root, keyType: 'rsa', extensions: CA_AND_CLIENT }),
    constrained: issue({
      name: 'constrained',
      issuer: root,
      extensions: [...CA, 'nameConstraints = critical,permitted;DNS:service.example'],
    }),
    lapsed: issue({ name: 'lapsed', issuer: root, extensions: CA_AND_CLIENT, ...past() }),
    namesake: issue({ name: 'namesake', subject: '/CN=lapsed', issuer: root, ca: true }),
    alone: issue({ name: 'alone', extensions: CA_AND_CLIENT }),
    sibling: issue({ name: 'sibling', issuer: root, ca: true }),
    untrusted: issue({ name: 'untrusted', ca: true }),
  }
}

/** startTestGateway and its site end with one test; this gateway serves all of the file. */
async function configure(installed: Authorities, receiverPort: number): Promise<ConfigWithSecrets> {
  await makeDevelopmentCertificates(join(folder, 'certs'))
  writeFileSync(join(folder, 'operator-token'), 'operator-token-for-tests-0123456789abcdef', { mode: 0o600 })
  const { production, constrained, lapsed, published, sandbox, namesake, alone } = installed
  const { relaxed, relaxedLapsed, relaxedConstrained, relaxedTooLong } = installed
  const trust = [
    ...[relaxed, relaxedLapsed, relaxedConstrained, relaxedTooLong].map(({ chainFile }) => ({
      environment: 'production',
      chain: chainFile,
      usage: 'any',
      allow: { subjectAlternativeNames: [CALLS] },
    })),
    ...[production, constrained, lapsed, published].map(({ chainFile }) => ({
      environment: 'production',
      chain: chainFile,
    })),
    ...[sandbox, namesake, alone].map(({ chainFile }) => ({ environment: 'sandbox', chain: chainFile })),
  ]
  const settings = {
    callbacks: { ...BASE_CALLBACKS, trust },
    api: { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token' },
    storage: { url: 'sqlite:data/portaria.db' },
    forwarding: { allowedNetworks: ['127.0.0.0/8'] },
    destinations: [{ name: 'books', url: `http://127.0.0.1:${receiverPort}/hook` }],
  }
  const file = join(folder, 'portaria.yaml')
  writeFileSync(file, stringify(settings))
  return loadConfig(file)
}

function patternOf(reason: Exclude<Reason, string>): RegExp {
  if (reason instanceof RegExp) return reason
  return new RegExp(`^its certificate (is too weak|failed verification): ${reason.words ?? reason.flaw}$`)
}

/** What `openssl verify` has against it, at the security level that Node has by itself. */
function flawOf({ certFile, behindFile }: Credentials, installed: string): string {
  const sent = behindFile === undefined ? [] : ['-untrusted', behindFile]
  const args = ['verify', '-purpose', 'sslclient', '-auth_level', '2', '-CAfile', installed, ...sent, certFile]
  return spawnSync('openssl', args, { encoding: 'utf8' }).stderr
}

interface Call {
  readonly port: number
  readonly version: Version
  readonly credentials: Credentials | null
  readonly subject: string
}

function requestOf(subject: string): string {
  const body = JSON.stringify({ identificador: subject })
  return `POST /callbacks/payment HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

function subjectOf(body: Buffer): string {
  return (JSON.parse(body.toString()) as { identificador: string }).identificador
}

/** What the gateway answered, as openssl would have it; this caller's request goes out with the last flight of its handshake. */
function callByNode({ port, version, credentials, subject }: Call): Promise<string> {
  const socket = connect({
    host: '127.0.0.1',
    port,
    minVersion: version,
    maxVersion: version,
    ciphers: 'DEFAULT:@SECLEVEL=0',
    ...(credentials === null ? {} : pemsOf(credentials)),
    rejectUnauthorized: false,
  })
  let answer = ''
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
  socket.on('error', () => undefined)
  socket.setTimeout(10_000, () => {
    answer = 'neither answered nor closed'
    socket.destroy()
  })
  socket.write(requestOf(subject))
  return new Promise((resolve) => socket.on('close', () => resolve(answer)))
}

function optionsOf({ certFile, keyFile, behindFile }: Credentials): string[] {
  return ['-cert', certFile, '-key', keyFile, ...(behindFile === undefined ? [] : ['-cert_chain', behindFile])]
}

function pemsOf({ certFile, keyFile, behindFile }: Credentials): { cert: string; key: string } {
  const read = (file: string) => readFileSync(file, 'utf8')
  return { cert: read(certFile) + (behindFile === undefined ? '' : read(behindFile)), key: read(keyFile) }
}
