import { randomBytes, X509Certificate } from 'node:crypto'
import { accessSync, constants, existsSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { PortariaError, systemWords } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { readCertificates } from '../files/pem.ts'
import { readPrivateKey } from '../files/private-key.ts'
import type { KeyType } from '../files/signing-request.ts'
import { publishNewFile, replaceFiles } from '../files/written-files.ts'
import { namesOf } from '../live/describe-certificate.ts'
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
import { type CertificateRecord, forgetRecord, recordsOf, revocationsOf } from './records.ts'
import { newKeys } from './signing.ts'

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
const KEY = 'forwarding.clientCertificate'
const LOCK = 'renewal.lock'
/** By then the gateway has tried for a day. */
const LATE_MS = DAY_MS
/** A renewal takes less than a second. An older lock is that of a process that was killed. */
const LOCK_MS = 10 * 60_000

/**
 * What keeps an authority from renewing for this gateway, in words; null: nothing is known.
 * @param files of the certificate that the gateway shows to destinations; null: it has none
 */
export function problemOfRenewal(folder: string, files: PairFiles | null, now: Date): string | null {
  try {
    const authority = readAuthority(folder)
    readKey(authority, now)
    recordsOf(authority)
    accessSync(join(folder, 'issued'), constants.W_OK)
    if (files === null || !isDue(authority, files, new Date(now.getTime() - LATE_MS))) return null
    return `${files.certificate} is past two thirds of its lifetime, and was not renewed`
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

/**
 * Renews a certificate of this authority and its key at two thirds of its lifetime, for the same names and the same time. null: it is not due, another
 * process renews it, or another authority issued it. A gateway takes up the files by itself.
 * @throws PortariaError if it is due and cannot be renewed; the files are as before
 */
export async function renewPair(folder: string, files: PairFiles, now: Date): Promise<RenewedByAuthority | null> {
  const authority = readAuthority(folder)
  if (!isDue(authority, files, now) && !existsSync(join(folder, LOCK))) return null
  const lock = takeLock(folder)
  if (lock === null) return null
  try {
    // Another process may have renewed it meanwhile. One that was killed may have left a key without its certificate.
    if (!isDue(authority, files, now) && !(lock === 'stale' && isTorn(authority, files))) return null
    return await renew(await openAuthority(folder, now), files, now)
  } finally {
    rmSync(join(folder, LOCK), { force: true })
  }
}

async function renew(authority: SigningAuthority, files: PairFiles, now: Date): Promise<RenewedByAuthority> {
  const old = leafOf(files)
  requireRenewable(authority, old, files)
  const { privateKey, publicKey } = await newKeys(keyTypeLike(old))
  const name = /^CN=(.*)$/m.exec(old.subject)?.[1] ?? 'gateway'
  const alternativeNames = namesOf(old).map((value) => ({ type: 'dns', value }) as const)
  const lifetime = { milliseconds: old.validToDate.getTime() - old.validFromDate.getTime() }
  const content = { use: 'forwarding', name, publicKey, alternativeNames, client: null } as const
  const record = await issueCertificate(authority, content, lifetime, now)
  try {
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    replaceFiles(filesToWrite(files, key, `${record.certificate}${authority.certificate}`), { keepsPrevious: false })
  } catch (error) {
    if (!isWritten(files, record)) forgetRecord(authority, record)
    throw error
  }
  return { what: files.certificate, until: Date.parse(record.notAfter) }
}

function isDue(authority: PrivateAuthority, files: PairFiles, now: Date): boolean {
  const leaf = leafOf(files)
  if (!isOf(authority, leaf)) return false
  const [from, to] = [leaf.validFromDate.getTime(), leaf.validToDate.getTime()]
  return now.getTime() >= from + ((to - from) * 2) / 3
}

function isTorn(authority: PrivateAuthority, files: PairFiles): boolean {
  const leaf = leafOf(files)
  return isOf(authority, leaf) && !leaf.checkPrivateKey(readPrivateKey(files.privateKey, KEY))
}

function requireRenewable(authority: PrivateAuthority, old: X509Certificate, files: PairFiles): void {
  const serial = old.serialNumber.toLowerCase()
  if (revocationsOf(authority).some((one) => one.serial === serial))
    throw new PortariaError(
      'certificate_invalid',
      `${files.certificate} was revoked, so it is not renewed: issue another with "${COMMAND} certs issue"`,
    )
  if (authority.certificate.validToDate <= old.validToDate)
    throw new PortariaError(
      'certificate_invalid',
      `the private authority in ${authority.folder} ends no later than ${files.certificate}: create another, and issue from it`,
    )
}

/** The key first: see `replaceFiles`. */
function filesToWrite({ certificate, privateKey }: PairFiles, key: string, chain: string) {
  if (certificate === privateKey) return [{ path: privateKey, content: `${key}${chain}`, mode: 0o600 }]
  return [
    { path: privateKey, content: key, mode: 0o600 },
    { path: certificate, content: chain, mode: 0o644 },
  ]
}

function leafOf({ certificate: file }: PairFiles): X509Certificate {
  const [leaf] = readCertificates(file, KEY)
  if (leaf === undefined) throw new TypeError('unreachable: a file without a certificate was refused')
  return leaf
}

function isWritten(files: PairFiles, { certificate }: CertificateRecord): boolean {
  try {
    return leafOf(files).raw.equals(new X509Certificate(certificate).raw)
  } catch {
    // A file that cannot be read may hold it: its record stays.
    return true
  }
}

function keyTypeLike({ publicKey }: X509Certificate): KeyType {
  const bits = publicKey.asymmetricKeyDetails?.modulusLength
  if (bits === undefined) return 'p256'
  return bits > 3072 ? 'rsa4096' : bits > 2048 ? 'rsa3072' : 'rsa2048'
}

/** For nodes that share these files; null: another process has it. */
function takeLock(folder: string): 'free' | 'stale' | null {
  const path = join(folder, LOCK)
  const status = lstatSync(path, { throwIfNoEntry: false })
  const isStale = status !== undefined && Date.now() - status.mtimeMs > LOCK_MS
  if (isStale) {
    const taken = join(folder, `.${LOCK}.${randomBytes(6).toString('hex')}`)
    try {
      // Of several processes, one renames it.
      renameSync(path, taken)
    } catch {
      return null
    }
    rmSync(taken, { force: true })
  }
  try {
    publishNewFile({ path, content: `${hostname()} ${process.pid}\n`, mode: 0o644 })
  } catch (error) {
    if (error instanceof PortariaError && error.code === 'conflict') return null
    throw error
  }
  return isStale ? 'stale' : 'free'
}
