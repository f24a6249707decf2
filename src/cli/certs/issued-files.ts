import { randomBytes, X509Certificate } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { PrivateAuthority, SigningAuthority } from '../../certificates/authority/authority.ts'
import { type CertificateContent, issueCertificate } from '../../certificates/authority/issuing.ts'
import {
  type CertificateRecord,
  forgetRecord,
  type IssuedPaths,
  recordsOf,
} from '../../certificates/authority/records.ts'
import { newKeys } from '../../certificates/authority/signing.ts'
import { writePkcs12 } from '../../certificates/files/pkcs12-writer.ts'
import { type FileToWrite, writeNewFile } from '../../certificates/files/written-files.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import type { IssueOptions } from './issue-options.ts'
import { hasPasswordOption, newPassword, type PasswordOptions } from './passwords.ts'

export interface IssuedFiles {
  readonly record: CertificateRecord
  readonly certificate: string
  readonly privateKey: string
  readonly pkcs12: string | null
  /** Where the new password of the .p12 file is; null: the caller named it. */
  readonly passwordFile: string | null
}

/** Issues a certificate with a new key, and writes its files; after an error none of them is left, and no certificate. */
export async function issueWithKey(
  authority: SigningAuthority,
  content: Omit<CertificateContent, 'publicKey'>,
  options: IssueOptions,
): Promise<IssuedFiles> {
  const base = join(options.out, content.name)
  const p12 = options.p12 === true ? `${base}.p12` : null
  const passwordFile = p12 !== null && !hasPasswordOption(options) ? `${p12}-password` : null
  const [certificateFile, keyFile] = [`${base}.pem`, `${base}.key`]
  for (const path of [keyFile, certificateFile, p12, passwordFile]) if (path !== null) requireAbsent(path)
  const password = p12 === null ? '' : await passwordOf(options, p12)
  const { privateKey, publicKey } = await newKeys(options.keyType)
  const keyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const undo: (() => void)[] = []
  function write(file: FileToWrite): void {
    writeNewFile(file)
    undo.push(() => rmSync(file.path, { force: true }))
  }
  try {
    write({ path: keyFile, content: keyPem, mode: 0o600 })
    const files = pathsOf({ certificate: certificateFile, privateKey: keyFile, pkcs12: p12, passwordFile }, options)
    const record = await issueCertificate(authority, { ...content, publicKey, files }, options, new Date())
    undo.push(() => forgetRecord(authority, record))
    const chain = [new X509Certificate(record.certificate), authority.certificate]
    if (p12 !== null) {
      const bytes = await writePkcs12({ key: privateKey, chain, password, name: content.name })
      write({ path: p12, content: bytes, mode: 0o600 })
    }
    if (passwordFile !== null) write({ path: passwordFile, content: `${password}\n`, mode: 0o600 })
    write({ path: certificateFile, content: pemWithAuthority(record, authority), mode: 0o644 })
    return { record, certificate: certificateFile, privateKey: keyFile, pkcs12: p12, passwordFile }
  } catch (error) {
    for (const step of undo.reverse()) step()
    throw error
  }
}

/** For the gateway, which renews them. A password that a person typed is not known to it. */
function pathsOf(files: Omit<IssuedFiles, 'record'>, options: PasswordOptions): IssuedPaths {
  const { certificate, privateKey, pkcs12, passwordFile } = files
  const password = passwordFile ?? (pkcs12 === null ? null : (options.passwordFile ?? null))
  return {
    certificate: resolve(certificate),
    privateKey: resolve(privateKey),
    pkcs12: pkcs12 && resolve(pkcs12),
    passwordFile: password && resolve(password),
  }
}

/** As servers want it from a client: up to the root. */
export function pemWithAuthority({ certificate }: CertificateRecord, authority: PrivateAuthority): string {
  return `${certificate}${authority.certificate}`
}

/** @throws PortariaError `request_invalid` for a name that cannot be that of a file */
export function requireFileName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name)) return
  throw new PortariaError(
    'request_invalid',
    say`the name "${{ name }}" must be letters, digits, dots, hyphens and underscores, at most 63, and begin with a letter or a digit`,
  )
}

/** A name with a dot is also that of a host. */
export function namesFor(name: string): CertificateContent['alternativeNames'] {
  return /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]*[a-z][a-z0-9-]*$/i.test(name)
    ? [{ type: 'dns', value: name }]
    : []
}

/** @returns the number of certificates of that name which are replaced by a new one, for a hint */
export function earlierOf(authority: PrivateAuthority, { use, name, serial }: CertificateRecord): CertificateRecord[] {
  const now = Date.now()
  return recordsOf(authority).filter(
    (one) =>
      one.use === use &&
      one.name === name &&
      one.serial !== serial &&
      one.revocation === null &&
      Date.parse(one.notAfter) > now,
  )
}

/** Given by an option, else made here. */
async function passwordOf(options: PasswordOptions, file: string): Promise<string> {
  return hasPasswordOption(options) ? newPassword(options, file) : randomBytes(18).toString('base64url')
}

function requireAbsent(path: string): void {
  if (!existsSync(path)) return
  throw new PortariaError(
    'conflict',
    say`${{ path }} exists already and is never overwritten: name another folder with --out, or move it away`,
  )
}
