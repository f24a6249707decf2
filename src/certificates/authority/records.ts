import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { messageOf, PortariaError, systemWords } from '../../platform/errors.ts'
import { readRegularFile } from '../../platform/regular-file.ts'
import { say } from '../../platform/said.ts'
import { publishNewFile } from '../files/written-files.ts'
import type { PrivateAuthority } from './authority.ts'

/** forwarding: the gateway shows it to destinations. app: an app shows it to the API. signed: the key is of somebody else, whose request was signed. */
export const ISSUED_USES = ['forwarding', 'app', 'signed'] as const
export type IssuedUse = (typeof ISSUED_USES)[number]

/** RFC 5280 section 5.3.1, with their numbers; ended: cessationOfOperation. Each entry has one, because the library writes an empty sequence without. */
export const REVOCATION_REASONS = { ended: 5, superseded: 4, 'key-compromise': 1 } as const
export type RevocationReason = keyof typeof REVOCATION_REASONS

/** Absolute paths, on the machine where they were written. */
const filesSchema = z.object({
  /** PEM, with that of the authority. */
  certificate: z.string(),
  /** null: its owner has the key. */
  privateKey: z.string().nullable(),
  pkcs12: z.string().nullable(),
  /** Of the .p12 file; null: a person knows it. */
  passwordFile: z.string().nullable(),
})
export type IssuedPaths = Readonly<z.output<typeof filesSchema>>

const recordSchema = z.object({
  /** Hexadecimal, lower case. */
  serial: z.string(),
  use: z.enum(ISSUED_USES),
  name: z.string(),
  client: z.string().nullable(),
  notBefore: z.iso.datetime(),
  notAfter: z.iso.datetime(),
  /** PEM. */
  certificate: z.string(),
  files: filesSchema.nullable().default(null),
})
const revocationSchema = z.object({
  serial: z.string(),
  revokedAt: z.iso.datetime(),
  reason: z.enum(Object.keys(REVOCATION_REASONS) as [RevocationReason]),
})

type NewRecord = Readonly<z.output<typeof recordSchema>>
export type RevocationRecord = Readonly<z.output<typeof revocationSchema>>

export interface CertificateRecord extends NewRecord {
  readonly revocation: RevocationRecord | null
}

export const RECORD_STATES = ['valid', 'replaced', 'expired', 'revoked'] as const
export type RecordState = (typeof RECORD_STATES)[number]

/** @throws PortariaError if the record cannot be written */
export function addRecord(authority: PrivateAuthority, record: NewRecord): CertificateRecord {
  publishNewFile({
    path: fileOf(authority, 'issued', record.serial),
    content: `${JSON.stringify(record)}\n`,
    mode: 0o644,
  })
  return { ...record, revocation: null }
}

/** For a certificate that was never handed out. */
export function forgetRecord(authority: PrivateAuthority, { serial }: CertificateRecord): void {
  rmSync(fileOf(authority, 'issued', serial), { force: true })
}

/** Every certificate, in the order in which they end. @throws PortariaError `certificate_invalid` for a file that is no record */
export function recordsOf(authority: PrivateAuthority): CertificateRecord[] {
  const revoked = new Map(revocationsOf(authority).map((one) => [one.serial, one]))
  return readAll(authority, 'issued', recordSchema)
    .map((record) => ({ ...record, revocation: revoked.get(record.serial) ?? null }))
    .sort((one, two) => one.notAfter.localeCompare(two.notAfter) || one.serial.localeCompare(two.serial))
}

export function revocationsOf(authority: PrivateAuthority): RevocationRecord[] {
  return readAll(authority, 'revoked', revocationSchema).sort((one, two) => one.serial.localeCompare(two.serial))
}

/** False: it was revoked before. The revocation list is another step. */
export function addRevocation(authority: PrivateAuthority, revocation: RevocationRecord): boolean {
  const path = fileOf(authority, 'revoked', revocation.serial)
  try {
    publishNewFile({ path, content: `${JSON.stringify(revocation)}\n`, mode: 0o644 })
    return true
  } catch (error) {
    if (error instanceof PortariaError && error.code === 'conflict') return false
    throw error
  }
}

/** replaced: a certificate of the same name and use ends later. */
export function stateOf(record: CertificateRecord, all: readonly CertificateRecord[], now: number): RecordState {
  if (record.revocation !== null) return 'revoked'
  if (Date.parse(record.notAfter) <= now) return 'expired'
  return isReplaced(record, all) ? 'replaced' : 'valid'
}

/** Whether another certificate of the same name and use ends later. */
export function isReplaced(record: CertificateRecord, all: readonly CertificateRecord[]): boolean {
  const latest = latestEnds.get(all) ?? latestEndsOf(all)
  latestEnds.set(all, latest)
  return (latest.get(nameAndUse(record)) ?? '') > record.notAfter
}

/** A search for each of thousands of records would block a gateway for seconds. */
const latestEnds = new WeakMap<readonly CertificateRecord[], ReadonlyMap<string, string>>()

function latestEndsOf(all: readonly CertificateRecord[]): ReadonlyMap<string, string> {
  const ends = new Map<string, string>()
  for (const record of all) {
    const end = ends.get(nameAndUse(record)) ?? ''
    if (record.revocation === null && record.notAfter > end) ends.set(nameAndUse(record), record.notAfter)
  }
  return ends
}

function nameAndUse({ use, name }: CertificateRecord): string {
  return `${use} ${name}`
}

type Folder = 'issued' | 'revoked'

function fileOf({ folder }: PrivateAuthority, within: Folder, serial: string): string {
  return join(folder, within, `${serial}.json`)
}

function readAll<T>({ folder }: PrivateAuthority, within: Folder, schema: z.ZodType<T>): T[] {
  const path = join(folder, within)
  // An authority that was copied without its empty folders.
  if (!existsSync(path)) return []
  return namesIn(path)
    .filter((name) => /^[0-9a-f]+\.json$/.test(name))
    .map((name) => readOne(join(path, name), schema))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (cause) {
    throw new PortariaError(
      'certificate_invalid',
      say`${{ file: folder }} cannot be read (${{ error: systemWords(cause) }})`,
      { cause },
    )
  }
}

/** What files hold, by their path: a gateway lists its authority often, and their content never changes. */
const known = new Map<string, { readonly status: string; readonly content: unknown }>()
const KNOWN_FILES = 20_000

function readOne<T>(file: string, schema: z.ZodType<T>): T {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file)
    const status = [ino, size, mtimeMs, ctimeMs].join(' ')
    const before = known.get(file)
    if (before?.status === status) return before.content as T
    const content = schema.parse(JSON.parse(readRegularFile(file).toString('utf8')))
    if (known.size >= KNOWN_FILES) known.clear()
    known.set(file, { status, content })
    return content
  } catch (cause) {
    const why = cause instanceof z.ZodError ? 'its members are not those of a record' : messageOf(cause)
    throw new PortariaError(
      'certificate_invalid',
      `${file} is no record of the private authority (${why}): restore it from a copy of the folder`,
      { cause },
    )
  }
}
