import { type KeyObject, X509Certificate } from 'node:crypto'
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { OWN_NAME } from '../../domain/client.ts'
import { messageOf, PortariaError, systemWords } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { readRegularFile } from '../../platform/regular-file.ts'
import { say } from '../../platform/said.ts'
import { passwordIn } from '../files/password.ts'
import { readCertificates } from '../files/pem.ts'
import { writePkcs12 } from '../files/pkcs12-writer.ts'
import { readPrivateKey } from '../files/private-key.ts'
import type { KeyType } from '../files/signing-request.ts'
import { type FileToWrite, replaceFiles } from '../files/written-files.ts'
import {
  isOf,
  openAuthority,
  type PrivateAuthority,
  readAuthority,
  readKey,
  type SigningAuthority,
} from './authority.ts'
import { issueCertificate } from './issuing.ts'
import { endOfList, LIST_DAYS, writeRevocationList } from './list.ts'
import {
  type CertificateRecord,
  forgetRecord,
  type IssuedPaths,
  isReplaced,
  recordsOf,
  revocationsOf,
} from './records.ts'
import { whileLocked } from './renewal-lock.ts'
import { loadX509, newKeys } from './signing.ts'

/** Paths of PEM files. */
export interface PairFiles {
  readonly certificate: string
  readonly privateKey: string
}

export interface RenewedByAuthority {
  /** A file. */
  readonly what: string
  /** ms since 1970. */
  readonly until: number
}

const DAY_MS = 86_400_000
const KEY = 'private authority'
/** By then the gateway has tried for a day. */
const LATE_MS = DAY_MS

/**
 * What keeps an authority from renewing for this gateway, in words; null: nothing is known.
 * @param files of the certificate that the gateway shows to destinations; null: it has none
 */
export async function problemOfRenewal(folder: string, files: PairFiles | null, now: Date): Promise<string | null> {
  try {
    const authority = readAuthority(folder)
    readKey(authority, now)
    const records = recordsOf(authority)
    accessSync(join(folder, 'issued'), constants.W_OK)
    const then = new Date(now.getTime() - LATE_MS)
    const late = files !== null && isDue(authority, files.certificate, then) ? files.certificate : null
    // Those of a client that was revoked are not renewed.
    const other = (await dueFilesOf(authority, records, then)).find(({ client }) => client === null)
    const obstacle = late === null && other !== undefined ? obstacleOf(authority, other.files) : null
    if (obstacle !== null) return obstacle
    const file = late ?? other?.files.certificate ?? null
    return file === null ? null : `${file} is past two thirds of its lifetime, and was not renewed`
  } catch (error) {
    return error instanceof PortariaError ? error.message : `${folder}: ${systemWords(error)}`
  }
}

/** Writes the revocation list again at half of its time; null: it is not due. @throws PortariaError */
export async function renewList(folder: string, now: Date): Promise<RenewedByAuthority | null> {
  const end = await endOfList(readAuthority(folder))
  if (end !== null && end - now.getTime() > (LIST_DAYS * DAY_MS) / 2) return null
  const { file, nextUpdate } = await writeRevocationList(await openAuthority(folder, now), now)
  return { what: file, until: nextUpdate }
}

/** Of a certificate that is renewed where it is. */
interface Renewal extends Pick<CertificateRecord, 'use' | 'client'> {
  readonly files: IssuedPaths
  /** The one that its files must hold, PEM: others may write there. null: whichever they hold. */
  readonly recorded: string | null
}

/**
 * Renews the gateway's own certificate of this authority and its key at two thirds of its lifetime, for the same names and the same time. null: it is not
 * due, another process renews it, or another authority issued it. A gateway takes up the files by itself.
 * @throws PortariaError if it is due and cannot be renewed; the files are as before
 */
export async function renewPair(folder: string, pair: PairFiles, now: Date): Promise<RenewedByAuthority | null> {
  const authority = readAuthority(folder)
  const files = { ...pair, pkcs12: null, passwordFile: null }
  if (!isOf(authority, leafOf(pair.certificate))) return null
  return renewOrComplete(authority, { use: 'forwarding', client: null, files, recorded: null }, now)
}

/**
 * Renews what was issued to apps, with a new key, and what was signed, for the same key, at two thirds of its lifetime, in the files that were written
 * then. What is not there any more is left alone: expiry warnings name it.
 * @param isClient whether a client of the API is not revoked
 */
export async function renewIssued(
  folder: string,
  now: Date,
  isClient: (id: string) => boolean,
): Promise<{ readonly renewed: readonly RenewedByAuthority[]; readonly problems: readonly string[] }> {
  const authority = readAuthority(folder)
  const renewed: RenewedByAuthority[] = []
  const problems: string[] = []
  for (const one of await dueFilesOf(authority, recordsOf(authority), now)) {
    if (one.client !== null && !isClient(one.client)) continue
    try {
      const obstacle = obstacleOf(authority, one.files)
      const done = obstacle === null ? await renewOrComplete(authority, one, now) : null
      if (obstacle !== null) problems.push(obstacle)
      if (done !== null) renewed.push(done)
    } catch (error) {
      problems.push(messageOf(error))
    }
  }
  return { renewed, problems }
}

/** The records of apps and of signed requests that are due and in their files. */
async function dueFilesOf(authority: PrivateAuthority, records: readonly CertificateRecord[], now: Date) {
  const due: Renewal[] = []
  const inFiles = records.filter(({ use, files }) => files !== null && use !== 'forwarding')
  for (const [path, ofPath] of Map.groupBy(inFiles, ({ files }) => files?.certificate ?? '')) {
    if (!ofPath.some((record) => isPast(Date.parse(record.notBefore), Date.parse(record.notAfter), now))) continue
    // Thousands of files must not hold callbacks up.
    await nextTurn()
    const record = ofPath.find(({ certificate }) => holds(path, certificate))
    if (record?.files == null || record.revocation !== null || !isDue(authority, path, now)) continue
    const elsewhere = records.filter((one) => one === record || one.files?.certificate !== path)
    // An institution has one certificate in use, an app may have one on each of its machines.
    if (record.use === 'signed' && isReplaced(record, elsewhere)) continue
    const { use, client, files, certificate: recorded } = record
    if (areThere(files)) due.push({ use, client, files, recorded })
  }
  return due
}

async function renewOrComplete(
  authority: PrivateAuthority,
  renewal: Renewal,
  now: Date,
): Promise<RenewedByAuthority | null> {
  const { files, recorded } = renewal
  const isDueNow = () =>
    isDue(authority, files.certificate, now) && (recorded === null || holds(files.certificate, recorded))
  if (!isDueNow() && !isTorn(files)) return null
  return whileLocked(authority.folder, async () => {
    const completed = await complete(authority, renewal)
    if (completed !== null) return completed
    // Another process may have renewed it meanwhile.
    return isDueNow() ? renew(await openAuthority(authority.folder, now), renewal, now) : null
  })
}

async function renew(authority: SigningAuthority, { use, client, files, recorded }: Renewal, now: Date) {
  const old = recorded === null ? leafOf(files.certificate) : new X509Certificate(recorded)
  requireRenewable(authority, old, files)
  const library = await loadX509()
  const before = new library.X509Certificate(old.raw)
  const subject = before.subjectName
  const name = subject.getField('CN').at(-1)?.trim() ?? 'gateway'
  const names = before.getExtension(library.SubjectAlternativeNameExtension)?.names.items ?? []
  const alternativeNames = names
    .map(({ type, value }) => ({ type, value }))
    .filter(({ value }) => !value.startsWith(OWN_NAME))
  const keys = files.privateKey === null ? null : await newKeys(keyTypeLike(old))
  const publicKey = keys?.publicKey ?? old.publicKey
  const content = { use, client, files, subject, name, alternativeNames, publicKey }
  const lifetime = { milliseconds: old.validToDate.getTime() - old.validFromDate.getTime() }
  const record = await issueCertificate(authority, content, lifetime, now)
  try {
    return await write(authority, record, files, keys?.privateKey ?? null)
  } catch (error) {
    if (!mayBeInUse(files, record)) forgetRecord(authority, record)
    throw error
  }
}

/**
 * A process that was killed has left a new key beside the earlier certificate. null: it has not, or this authority issued nothing for that key in these
 * files: a link may lead to the key of others.
 */
async function complete(authority: PrivateAuthority, renewal: Renewal): Promise<RenewedByAuthority | null> {
  const { files } = renewal
  if (files.privateKey === null || !isTorn(files)) return null
  const key = readPrivateKey(files.privateKey, KEY)
  const isOfFiles = (one: CertificateRecord) =>
    renewal.recorded === null ? one.use === renewal.use : one.files?.certificate === files.certificate
  const record = recordsOf(authority).findLast(
    (one) => one.revocation === null && isOfFiles(one) && new X509Certificate(one.certificate).checkPrivateKey(key),
  )
  return record === undefined ? null : write(authority, record, files, key)
}

/** The certificate last: see `replaceFiles`. @param key null: its owner has it */
async function write(
  authority: PrivateAuthority,
  record: CertificateRecord,
  files: IssuedPaths,
  key: KeyObject | null,
) {
  const chain = `${record.certificate}${authority.certificate}`
  const pem = key?.export({ type: 'pkcs8', format: 'pem' }).toString() ?? ''
  const toWrite: FileToWrite[] = []
  if (files.privateKey !== null && files.privateKey !== files.certificate)
    toWrite.push({ path: files.privateKey, content: pem, mode: 0o600 })
  if (key !== null && files.pkcs12 !== null && files.passwordFile !== null && existsSync(files.pkcs12))
    toWrite.push({
      path: files.pkcs12,
      content: await pkcs12Of(authority, record, files.passwordFile, key),
      mode: 0o600,
    })
  if (files.privateKey === files.certificate)
    toWrite.push({ path: files.certificate, content: `${pem}${chain}`, mode: 0o600 })
  else toWrite.push({ path: files.certificate, content: chain, mode: 0o644 })
  replaceFiles(toWrite, { keepsPrevious: false })
  return { what: files.certificate, until: Date.parse(record.notAfter) }
}

function pkcs12Of(authority: PrivateAuthority, record: CertificateRecord, passwordFile: string, key: KeyObject) {
  const chain = [new X509Certificate(record.certificate), authority.certificate]
  return writePkcs12({ key, chain, password: passwordIn(readRegularFile(passwordFile)), name: record.name })
}

function isDue(authority: PrivateAuthority, file: string, now: Date): boolean {
  const leaf = leafOf(file)
  return isOf(authority, leaf) && isPast(leaf.validFromDate.getTime(), leaf.validToDate.getTime(), now)
}

/** Two thirds of a lifetime. */
function isPast(from: number, to: number, now: Date): boolean {
  return now.getTime() >= from + ((to - from) * 2) / 3
}

function isTorn({ certificate, privateKey }: IssuedPaths): boolean {
  return privateKey !== null && !leafOf(certificate).checkPrivateKey(readPrivateKey(privateKey, KEY))
}

/** The file in which the gateway renews this certificate; null: nowhere. */
export function renewedIn(
  authority: PrivateAuthority,
  { use, files, certificate, revocation }: CertificateRecord,
): string | null {
  if (use === 'forwarding' || files === null || revocation !== null) return null
  const isRenewed = areThere(files) && holds(files.certificate, certificate) && obstacleOf(authority, files) === null
  return isRenewed ? files.certificate : null
}

function areThere({ certificate, privateKey }: IssuedPaths): boolean {
  return existsSync(certificate) && (privateKey === null || existsSync(privateKey))
}

/** Why the gateway cannot replace the files for those who use them, in words; null: it can. */
function obstacleOf(authority: PrivateAuthority, { certificate, privateKey, pkcs12, passwordFile }: IssuedPaths) {
  const old = pkcs12 !== null && existsSync(pkcs12) ? pkcs12 : null
  if (old !== null && (passwordFile === null || !existsSync(passwordFile)))
    return `the password of ${old} is not known, so ${certificate} is not renewed: issue another with "${COMMAND} certs issue"`
  const foreign = [certificate, privateKey, old].find((path) => path !== null && !isOwn(authority, path))
  return foreign == null
    ? null
    : `${foreign} does not belong to the user and group of the gateway, so it is not renewed: change its owner, or issue another as that user`
}

/** A new file belongs to the gateway's user and group. Root may ask too: then it is the owner of the folder. */
function isOwn({ folder }: PrivateAuthority, path: string): boolean {
  const [user, group] = [process.geteuid?.(), process.getegid?.()]
  const owner = statSync(join(folder, 'issued'))
  const own = user === 0 ? owner : { uid: user, gid: group }
  if (own.uid === 0) return true
  const { uid, gid, mode } = statSync(path)
  const isForGroup = (mode & 0o044) === 0o040
  return uid === own.uid && (!isForGroup || gid === own.gid)
}

function requireRenewable(authority: PrivateAuthority, old: X509Certificate, files: IssuedPaths): void {
  const serial = old.serialNumber.toLowerCase()
  if (revocationsOf(authority).some((one) => one.serial === serial))
    throw new PortariaError(
      'certificate_invalid',
      `${files.certificate} was revoked, so it is not renewed: issue another with "${COMMAND} certs issue"`,
    )
  if (authority.certificate.validToDate <= old.validToDate)
    throw new PortariaError(
      'certificate_invalid',
      say`the private authority in ${{ folder: authority.folder }} ends no later than ${{ certificate: files.certificate }}: create another, and issue from it`,
    )
}

function leafOf(file: string): X509Certificate {
  const [leaf] = readCertificates(file, KEY)
  if (leaf === undefined) throw new TypeError('unreachable: a file without a certificate was refused')
  return leaf
}

/** Whether some of it was written: what is half there is completed from the record. */
function mayBeInUse({ certificate, privateKey }: IssuedPaths, record: CertificateRecord): boolean {
  const made = new X509Certificate(record.certificate)
  try {
    const hasKey = privateKey !== null && made.checkPrivateKey(readPrivateKey(privateKey, KEY))
    return hasKey || leafOf(certificate).raw.equals(made.raw)
  } catch {
    return true
  }
}

/** Whether the file begins with this certificate. */
function holds(file: string, pem: string): boolean {
  try {
    return existsSync(file) && leafOf(file).raw.equals(new X509Certificate(pem).raw)
  } catch {
    return false
  }
}

function keyTypeLike({ publicKey }: X509Certificate): KeyType {
  const bits = publicKey.asymmetricKeyDetails?.modulusLength
  if (bits === undefined) return 'p256'
  return bits > 3072 ? 'rsa4096' : bits > 2048 ? 'rsa3072' : 'rsa2048'
}
