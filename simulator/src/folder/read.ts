import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { messageOf, SimulatorError, systemCodeOf } from '../errors.ts'
import type { Environment } from '../interfaces.ts'
import { type Account, type AccountEntry, type Application, parseApplications } from './applications.ts'
import type { KeyPair } from './certificates.ts'
import * as layout from './layout.ts'

/** An account whose certificate is in the folder. */
export interface FolderAccount extends Account {
  /** Absolute paths. */
  readonly files: layout.AccountFiles
}

/** One environment as its files say. */
export interface EnvironmentFiles {
  readonly publishedGeneration: number
  readonly activeGeneration: number
  /** The chain of the published generation, PEM. */
  readonly chain: string
  /** The intermediate of the published generation. */
  readonly published: KeyPair
  /** The active generation: the service's client certificate with its intermediate, and the intermediate itself. */
  readonly client: KeyPair
  readonly authority: KeyPair
  readonly accountAuthority: KeyPair
  readonly accounts: readonly FolderAccount[]
  readonly applications: readonly Application[]
}

export interface FolderFiles {
  readonly root: KeyPair
  readonly serverAuthority: KeyPair
  readonly server: KeyPair
  readonly environments: Readonly<Record<Environment, EnvironmentFiles>>
}

/** Reads the files of one folder and checks each against the others. */
interface Reader {
  readonly now: Date
  text(file: string): string
  bytes(file: string): Buffer
  names(subfolder: string): string[]
  path(file: string): string
  damaged(file: string, problem: string): SimulatorError
  expired(file: string, problem: string): SimulatorError
}

/** Reads and checks the whole folder. @throws SimulatorError that names the file and the remedy */
export function readFolder(folder: string, now: Date): FolderFiles {
  const reader = createReader(folder, now)
  if (!reader.names('.').some(isOurs)) throw occupied(folder)
  const root = readAuthority(reader, layout.ROOT, null)
  if (reader.text(layout.SERVER_CA) !== root.cert)
    throw reader.damaged(layout.SERVER_CA, `is not the certificate of ${layout.ROOT}`)
  const serverAuthority = readAuthority(reader, layout.SERVER_AUTHORITY, root)
  const server = readChainedPair(reader, layout.SERVER, serverAuthority)
  const environments = {
    production: readEnvironment(reader, 'production', root),
    sandbox: readEnvironment(reader, 'sandbox', root),
  }
  return { root, serverAuthority, server, environments }
}

/** Only names that no folder of certificates has: the remedy for damage is to remove the whole folder. */
function isOurs(name: string): boolean {
  return name === dirname(layout.ROOT) || name === layout.APPLICATIONS
}

function readEnvironment(reader: Reader, environment: Environment, root: KeyPair): EnvironmentFiles {
  const { publishedGeneration, activeGeneration } = generationsOf(reader, environment)
  const published = readAuthority(reader, layout.authorityFile(environment, publishedGeneration), root)
  const chainFile = layout.chainFile(environment, publishedGeneration)
  const chain = reader.text(chainFile)
  if (chain !== published.cert + root.cert) throw reader.damaged(chainFile, 'is not the chain of its authority')
  const authority = readAuthority(reader, layout.authorityFile(environment, activeGeneration), root)
  const accountAuthority = readAuthority(reader, layout.accountAuthorityFile(environment), root)
  return {
    publishedGeneration,
    activeGeneration,
    chain,
    published,
    client: readChainedPair(reader, layout.clientFiles(environment, activeGeneration), authority),
    authority,
    accountAuthority,
    ...readApplications(reader, environment, accountAuthority),
  }
}

/** Older generations are only a record. Without any file the first generation is reported as missing. */
function generationsOf(reader: Reader, environment: Environment) {
  const highest = (subfolder: string, fileOf: (generation: number) => string) =>
    Math.max(1, layout.highestGeneration(reader.names(subfolder), fileOf))
  const activeGeneration = highest('service', (generation) => layout.clientFiles(environment, generation).cert)
  const publishedGeneration = highest('authority', (generation) => layout.authorityFile(environment, generation))
  return { activeGeneration, publishedGeneration }
}

function readApplications(reader: Reader, environment: Environment, issuer: KeyPair) {
  const parsed = parseApplications(reader.text(layout.APPLICATIONS))
  if ('problem' in parsed) throw reader.damaged(layout.APPLICATIONS, `is not valid (${parsed.problem})`)
  const { accounts: entries, applications } = parsed.value[environment]
  const accounts = entries.map((entry) => readAccount(reader, environment, entry, issuer))
  return {
    accounts,
    applications: applications.map((application) => ({
      ...application,
      environment,
      // The schema has compared the numbers.
      account: accounts.find(({ number }) => number === application.account) as FolderAccount,
    })),
  }
}

function readAccount(reader: Reader, environment: Environment, entry: AccountEntry, issuer: KeyPair): FolderAccount {
  const files = layout.accountFiles(environment, entry.files)
  const { cert, key } = readPair(reader, files, issuer)
  if (reader.text(files.pem) !== cert + key)
    throw reader.damaged(files.pem, `is not ${files.cert} followed by ${files.key}`)
  if (!isReadablePkcs12(reader.bytes(files.p12))) throw reader.damaged(files.p12, 'is not a PKCS#12 file')
  const at = { p12: reader.path(files.p12), cert: reader.path(files.cert), key: reader.path(files.key) }
  const certificateFingerprint256 = new X509Certificate(cert).fingerprint256
  return { ...entry, certificateFingerprint256, files: { ...at, pem: reader.path(files.pem) } }
}

function isReadablePkcs12(pfx: Buffer): boolean {
  try {
    createSecureContext({ pfx, passphrase: '' })
    return true
  } catch {
    return false
  }
}

/** Certificate and key of an authority from one file. @param issuer null for the root */
function readAuthority(reader: Reader, file: string, issuer: KeyPair | null): KeyPair {
  const text = reader.text(file)
  const start = text.indexOf('-----BEGIN PRIVATE KEY-----')
  if (start === -1) throw reader.damaged(file, 'has no private key')
  const pair = { cert: text.slice(0, start), key: text.slice(start) }
  return checkPair(reader, { cert: file, key: file }, pair, issuer ?? pair)
}

/** Programs cannot verify a certificate that comes without its intermediate. */
function readChainedPair(reader: Reader, files: { cert: string; key: string }, issuer: KeyPair): KeyPair {
  const pair = readPair(reader, files, issuer)
  if (!pair.cert.endsWith(issuer.cert))
    throw reader.damaged(files.cert, 'does not end with the certificate of its issuer')
  return pair
}

function readPair(reader: Reader, files: { cert: string; key: string }, issuer: KeyPair): KeyPair {
  return checkPair(reader, files, { cert: reader.text(files.cert), key: reader.text(files.key) }, issuer)
}

function checkPair(reader: Reader, files: { cert: string; key: string }, pair: KeyPair, issuer: KeyPair): KeyPair {
  const certificate = certificateIn(pair.cert)
  if (certificate === null) throw reader.damaged(files.cert, 'is not a certificate')
  if (!isKeyOf(certificate, pair.key)) throw reader.damaged(files.key, `is not the key of ${files.cert}`)
  const authority = new X509Certificate(issuer.cert)
  if (!certificate.checkIssued(authority) || !certificate.verify(authority.publicKey)) {
    throw reader.damaged(files.cert, `was not issued by ${authority.subject.replaceAll('\n', ', ')}`)
  }
  const { validFromDate, validToDate } = certificate
  if (reader.now > validToDate) throw reader.expired(files.cert, `expired on ${validToDate.toISOString()}`)
  if (reader.now < validFromDate) {
    const since = `is valid only from ${validFromDate.toISOString()}`
    throw reader.expired(files.cert, `${since}, after the time of this machine: correct its clock`)
  }
  return pair
}

function certificateIn(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}

function isKeyOf(certificate: X509Certificate, pem: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(pem))
  } catch {
    // An unreadable key has the same remedy as a wrong one.
    return false
  }
}

function createReader(folder: string, now: Date): Reader {
  const path = (file: string) => join(folder, file)
  const remedy = `To make everything again, remove the folder ${folder} and start: certificates, ids and secrets are then new.`
  const damaged = (file: string, problem: string) =>
    new SimulatorError('folder_damaged', `${path(file)} ${problem}: put the right file back. ${remedy}`)
  const expired = (file: string, problem: string) =>
    new SimulatorError('folder_expired', `${path(file)} ${problem}. ${remedy}`)
  const explained = <T>(file: string, read: () => T): T => {
    try {
      return read()
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') throw damaged(file, 'is missing')
      throw damaged(file, `cannot be read (${messageOf(error)})`)
    }
  }
  return {
    now,
    path,
    damaged,
    expired,
    text: (file) => explained(file, () => readFileSync(path(file), 'utf8')),
    bytes: (file) => explained(file, () => readFileSync(path(file))),
    names: (subfolder) => explained(subfolder, () => readdirSync(path(subfolder))),
  }
}

function occupied(folder: string): SimulatorError {
  const message = `${folder} holds other files and none of the simulator: name a new or an empty folder.`
  return new SimulatorError('folder_occupied', message)
}
