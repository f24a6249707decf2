import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type * as x509 from '@peculiar/x509'
import { readCertificateFile } from '../files/pem.ts'
import { replaceFiles } from '../files/written-files.ts'
import { FILES, type PrivateAuthority, type SigningAuthority, wholeSecond } from './authority.ts'
import { REVOCATION_REASONS, type RevocationRecord, revocationsOf } from './records.ts'
import { loadX509, signatureOf } from './signing.ts'

const DAY_MS = 86_400_000
/** Programs that check a list may refuse every certificate after its end. The gateway writes another at half of this time. */
export const LIST_DAYS = 30
const LIST_NUMBER = '2.5.29.20'

export interface WrittenList {
  readonly file: string
  /** ms since 1970. */
  readonly nextUpdate: number
  readonly revoked: number
}

/**
 * Writes the revocation list again, with all revocations on record. Whichever process writes last has seen every revocation that was recorded before,
 * because each reads the records again after it has written.
 */
export async function writeRevocationList(authority: SigningAuthority, now: Date): Promise<WrittenList> {
  const file = fileOfList(authority)
  for (;;) {
    const revoked = revocationsOf(authority)
    const { pem, nextUpdate } = await makeList(authority, revoked, now)
    replaceFiles([{ path: file, content: pem, mode: 0o644 }], { keepsPrevious: false })
    if (revocationsOf(authority).length === revoked.length) return { file, nextUpdate, revoked: revoked.length }
  }
}

export function fileOfList({ folder }: PrivateAuthority): string {
  return join(folder, FILES.list)
}

/** When the list ends, ms since 1970; null: there is none, or none that can be read. */
export async function endOfList(authority: PrivateAuthority): Promise<number | null> {
  const known = await readList(authority)
  return known?.nextUpdate?.getTime() ?? null
}

async function makeList(authority: SigningAuthority, revoked: readonly RevocationRecord[], now: Date) {
  const library = await loadX509()
  const known = await readList(authority)
  const certificate = new library.X509Certificate(authority.certificate.raw)
  const thisUpdate = wholeSecond(now.getTime())
  const nextUpdate = new Date(thisUpdate.getTime() + LIST_DAYS * DAY_MS)
  const list = await library.X509CrlGenerator.create({
    issuer: certificate.subjectName,
    thisUpdate,
    nextUpdate,
    entries: revoked.map(({ serial, revokedAt, reason }) => ({
      serialNumber: serial,
      revocationDate: wholeSecond(Date.parse(revokedAt)),
      reason: REVOCATION_REASONS[reason],
    })),
    extensions: [
      await library.AuthorityKeyIdentifierExtension.create(certificate.publicKey),
      new library.Extension(LIST_NUMBER, false, integerOf(numberAfter(known, now))),
    ],
    ...signatureOf(authority.key),
  })
  // OpenSSL reads no list under the label of the library, CRL.
  return { pem: `${library.PemConverter.encode(list.rawData, 'X509 CRL')}\n`, nextUpdate: nextUpdate.getTime() }
}

async function readList(authority: PrivateAuthority): Promise<x509.X509Crl | null> {
  const file = fileOfList(authority)
  if (!existsSync(file)) return null
  const { PemConverter, X509Crl } = await loadX509()
  try {
    return new X509Crl(PemConverter.decodeFirst(readCertificateFile(file, 'private authority').toString('latin1')))
  } catch {
    // A damaged list is written again.
    return null
  }
}

/** Numbers only grow, also under a clock that was set back. */
function numberAfter(known: x509.X509Crl | null, now: Date): bigint {
  const value = known?.extensions.find(({ type }) => type === LIST_NUMBER)?.value
  const last = value === undefined ? '' : Buffer.from(value).subarray(2).toString('hex')
  const next = last === '' ? 0n : BigInt(`0x${last}`) + 1n
  const ofClock = BigInt(now.getTime())
  return next > ofClock ? next : ofClock
}

/** DER, of a number that is positive. */
function integerOf(number: bigint): Buffer {
  const hex = number.toString(16)
  const digits = hex.padStart(hex.length + (hex.length % 2), '0')
  const bytes = Buffer.from(Number.parseInt(digits.slice(0, 2), 16) > 0x7f ? `00${digits}` : digits, 'hex')
  return Buffer.concat([Buffer.of(0x02, bytes.length), bytes])
}
