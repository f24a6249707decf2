/**
 * A private authority is a folder: `ca.pem`, `ca.key`, `crl.pem`, and one file for each certificate under `issued/` and `revoked/`.
 * Each of these files is created whole, under a name that no other process uses, so several processes may issue and revoke at once without a lock.
 */

import { type KeyObject, randomBytes, X509Certificate } from 'node:crypto'
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { createFile, syncFolder } from '../../platform/atomic-file.ts'
import { PortariaError, systemWords } from '../../platform/errors.ts'
import { makeFolder } from '../../platform/folder.ts'
import { inFolderOf } from '../../platform/foreign-links.ts'
import { COMMAND } from '../../platform/installation.ts'
import { say } from '../../platform/said.ts'
import { explainOutOfDate, hasIssued, readCertificates } from '../files/pem.ts'
import { readPrivateKey } from '../files/private-key.ts'
import type { KeyType } from '../files/signing-request.ts'
import { usesOf } from '../live/describe-certificate.ts'
import { loadX509, newKeys, newSerial, type SigningKey, signatureOf, signingKeyOf } from './signing.ts'

export interface PrivateAuthority {
  readonly folder: string
  readonly certificate: X509Certificate
}

/** An authority that may issue now. */
export interface SigningAuthority extends PrivateAuthority {
  readonly key: SigningKey
}

/** Names in the folder. */
export const FILES = { certificate: 'ca.pem', key: 'ca.key', list: 'crl.pem' } as const
const DAY_MS = 86_400_000
/** Other machines' clocks may be behind. */
export const BEFORE_MS = 5 * 60_000
const NAME_LIMIT = 64

/**
 * Creates the folder with its key (0600) and its certificate, or nothing. The certificate may issue no other authority (path length 0).
 * @throws PortariaError `conflict` for a folder that holds anything, `request_invalid` for a name that is none and for a folder that cannot be written
 */
export async function createAuthority(options: {
  readonly folder: string
  readonly name: string
  readonly days: number
  readonly keyType: KeyType
  readonly now: Date
}): Promise<PrivateAuthority> {
  const { folder, name, days, keyType, now } = options
  requireName(name)
  requireEmpty(folder)
  const x509 = await loadX509()
  const { privateKey, publicKey } = await newKeys(keyType)
  const signing = await signingKeyOf(privateKey)
  const spki = new x509.PublicKey(publicKey.export({ type: 'spki', format: 'der' }))
  const subject = new x509.Name([{ CN: [{ utf8String: name }] }])
  const notBefore = wholeSecond(now.getTime() - BEFORE_MS)
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject,
    issuer: subject,
    notBefore,
    notAfter: new Date(notBefore.getTime() + days * DAY_MS),
    publicKey: spki,
    ...signatureOf(signing),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(spki),
      await x509.AuthorityKeyIdentifierExtension.create(spki),
    ],
  })
  const pem = `${certificate.toString('pem')}\n`
  publish(folder, {
    [FILES.key]: { content: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), mode: 0o600 },
    [FILES.certificate]: { content: pem, mode: 0o644 },
  })
  return { folder, certificate: new X509Certificate(pem) }
}

/** The authority of a folder, without its key. @throws PortariaError `not_found`, `certificate_invalid` */
export function readAuthority(folder: string): PrivateAuthority {
  const file = join(folder, FILES.certificate)
  if (!existsSync(file))
    throw new PortariaError(
      'not_found',
      `${folder} holds no private authority (${FILES.certificate}): name its folder, or create one with "${COMMAND} certs authority create --out ${folder}"`,
    )
  const [certificate, ...others] = readCertificates(file, 'private authority')
  if (certificate === undefined || others.length > 0 || !usesOf(certificate).includes('authority'))
    throw new PortariaError(
      'certificate_invalid',
      say`${{ certificate: file }} must hold the certificate of the private authority alone: put it back`,
    )
  return { folder, certificate }
}

/** The same with its key. @throws PortariaError `certificate_invalid` also if it is not valid now, which a wrong clock would cause too */
export async function openAuthority(folder: string, now: Date): Promise<SigningAuthority> {
  const authority = readAuthority(folder)
  return { ...authority, key: await signingKeyOf(readKey(authority, now)) }
}

/** @throws PortariaError as `openAuthority` */
export function readKey({ folder, certificate }: PrivateAuthority, now: Date): KeyObject {
  const file = join(folder, FILES.key)
  const key = readPrivateKey(file, 'private authority')
  if (!certificate.checkPrivateKey(key))
    throw new PortariaError(
      'certificate_invalid',
      say`${{ key: file }} is not the key of ${{ certificate: FILES.certificate }} beside it: put the pair back that belongs together`,
    )
  const problem = explainOutOfDate(certificate, now)
  if (problem !== null)
    throw new PortariaError(
      'certificate_invalid',
      say`the private authority in ${{ folder }} ${{ now: problem }}, so it issues nothing: check this machine's clock, or create another authority`,
    )
  return key
}

/** Whether the authority issued a certificate. */
export function isOf({ certificate }: PrivateAuthority, issued: X509Certificate): boolean {
  return hasIssued(certificate, issued)
}

/** X.509 has no fractions of a second. */
export function wholeSecond(time: number): Date {
  return new Date(Math.floor(time / 1000) * 1000)
}

function requireName(name: string): void {
  const problem =
    name.trim() === ''
      ? 'is empty: write the name of the authority'
      : [...name].length > NAME_LIMIT
        ? `has more than ${NAME_LIMIT} characters: shorten it`
        : /\p{Cc}/u.test(name)
          ? 'holds a control character: write the name on one line'
          : null
  if (problem !== null) throw new PortariaError('request_invalid', `--name ${problem}`)
}

function requireEmpty(folder: string): void {
  if (!existsSync(folder)) return
  try {
    if (readdirSync(folder).length === 0) return
  } catch (cause) {
    throw explainFolder(folder, cause)
  }
  throw taken(folder)
}

/** All of the folder, or nothing: of two processes that create it at once, one learns that it exists. */
function publish(folder: string, files: Readonly<Record<string, { content: string; mode: number }>>): void {
  const staging = join(dirname(resolve(folder)), `.${basename(resolve(folder))}.${randomBytes(6).toString('hex')}`)
  try {
    makeFolder(staging, 0o755)
    try {
      for (const name of ['issued', 'revoked']) makeFolder(join(staging, name), 0o755)
      for (const [name, { content, mode }] of Object.entries(files))
        inFolderOf(join(staging, name), (at) => createFile(at, content, { mode }))
      syncFolder(staging)
      inFolderOf(resolve(folder), (at) => renameSync(join(dirname(at), basename(staging)), at))
      syncFolder(dirname(resolve(folder)))
    } catch (error) {
      rmSync(staging, { recursive: true, force: true })
      throw error
    }
  } catch (cause) {
    throw explainFolder(folder, cause)
  }
}

function taken(folder: string): PortariaError {
  return new PortariaError(
    'conflict',
    say`${{ folder }} is not empty, and nothing in it is overwritten: name a new folder for the authority`,
  )
}

function explainFolder(folder: string, cause: unknown): PortariaError {
  if (cause instanceof PortariaError) return cause
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'ENOTEMPTY' || code === 'EEXIST') return taken(folder)
  return new PortariaError(
    'request_invalid',
    say`the folder ${{ folder }} cannot be created (${{ cause: systemWords(cause) }}): name a folder that this user may create`,
    { cause },
  )
}
