import { createPrivateKey, randomBytes, type X509Certificate } from 'node:crypto'
import { existsSync, linkSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createFile } from '../../platform/atomic-file.ts'
import { PortariaError, systemWords } from '../../platform/errors.ts'
import { makeFolder } from '../../platform/folder.ts'
import { inFolderOf, refuseForeignLinks } from '../../platform/foreign-links.ts'
import { say } from '../../platform/said.ts'
import { explainOutOfDate, readCertificateFile, readCertificates } from '../files/pem.ts'
import type { Authority } from './test-ca.ts'

interface FileToWrite {
  readonly text: string
  readonly mode: number
}

/** Files that belong together: all of them are created, or none. */
interface Group {
  readonly files: readonly string[]
  /** The certificates among them that have a key. */
  readonly pairs: readonly { certificate: string; key: string }[]
  make(now: Date): Promise<Record<string, FileToWrite>>
}

const CERTIFICATE_MODE = 0o644
const KEY_MODE = 0o600
/** How long another process that writes the same group may take. */
const SETTLE_MS = 500

const SERVER: Group = {
  files: ['server.crt', 'server.key', 'server-ca.crt'],
  pairs: [{ certificate: 'server.crt', key: 'server.key' }],
  async make(now) {
    const { issueAuthority, issueLeaf } = await loadTestCa()
    const root = await issueAuthority({ name: 'Portaria development server root', now })
    const authority = await issueAuthority({ name: 'Portaria development server CA', now, issuer: root })
    const server = await issueLeaf({ name: 'localhost', usage: 'server', now, issuer: authority })
    return {
      'server.crt': certificateFile(server.certificate, authority.certificate),
      'server.key': keyFile(server.privateKey),
      'server-ca.crt': certificateFile(root.certificate),
    }
  },
}

const SERVICE: Group = {
  files: [
    'trust/production.pem',
    'trust/sandbox.pem',
    'service/production-client.crt',
    'service/production-client.key',
    'service/sandbox-client.crt',
    'service/sandbox-client.key',
  ],
  pairs: [
    { certificate: 'service/production-client.crt', key: 'service/production-client.key' },
    { certificate: 'service/sandbox-client.crt', key: 'service/sandbox-client.key' },
  ],
  // One root above both environments, as a real service may have: trusting the root alone would confuse them.
  async make(now) {
    const { issueAuthority } = await loadTestCa()
    const root = await issueAuthority({ name: 'Test service root', now })
    return {
      ...(await makeEnvironment('production', root, now)),
      ...(await makeEnvironment('sandbox', root, now)),
    }
  },
}

/**
 * Creates the certificates for development in `folder`: a server certificate for localhost, and for each environment a test CA chain and a client
 * certificate of a simulated service. Existing files are used and never overwritten; `made` names the new files. The keys of all CAs are discarded. Throws `certificate_invalid` when a group of files is incomplete, mismatched or expired.
 */
export function makeDevelopmentCertificates(folder: string, now = new Date()): Promise<{ made: string[] }> {
  return makeGroups(folder, [SERVER, SERVICE], now)
}

/** The files in the configuration. */
export interface ConfiguredFiles {
  readonly certificate: string
  readonly privateKey: string
  readonly trust: readonly { readonly chain: string }[]
}

/**
 * The same in the folder of the configured certificate, but only files that are configured under these names, so that nothing appears beside other
 * certificates. Throws `certificate_invalid` also for a configured file that neither exists nor has such a name.
 */
export async function makeConfiguredCertificates(
  configured: ConfiguredFiles,
  now = new Date(),
): Promise<{ made: string[] }> {
  const { folder, groups } = configuredGroups(configured)
  return makeGroups(folder, groups, now)
}

/** Throws as the start does for files that are there in part, do not belong together, or are missing and never made. Makes nothing. */
export function checkConfiguredCertificates(configured: ConfiguredFiles, now = new Date()): void {
  const { folder, groups } = configuredGroups(configured)
  for (const group of groups) {
    const missing = missingFiles(folder, group)
    if (missing.length === group.files.length) continue
    if (missing.length > 0) throw incomplete(folder, group.files, missing)
    checkPairs(folder, group, now)
  }
}

function configuredGroups({ certificate, privateKey, trust }: ConfiguredFiles): { folder: string; groups: Group[] } {
  const folder = dirname(certificate)
  const named = [certificate, privateKey, ...trust.map(({ chain }) => chain)]
  const groups = [SERVER, SERVICE].filter(({ files }) => files.some((file) => named.includes(join(folder, file))))
  const known = groups.flatMap(({ files }) => files.map((file) => join(folder, file)))
  const absent = named.filter((file) => !known.includes(file) && !existsSync(file))
  if (absent.length > 0) throw notMadeHere(folder, absent)
  return { folder, groups }
}

async function makeGroups(folder: string, groups: readonly Group[], now: Date): Promise<{ made: string[] }> {
  const made: string[] = []
  for (const group of groups) made.push(...(await ensureGroup(folder, group, now)))
  return { made }
}

function notMadeHere(folder: string, absent: readonly string[]): PortariaError {
  const names = ['server.crt', 'server.key', 'trust/production.pem', 'trust/sandbox.pem']
  return new PortariaError(
    'certificate_invalid',
    `${absent.join(', ')} (callbacks) ${absent.length === 1 ? 'does' : 'do'} not exist, and development makes only ${names.join(', ')} in ${folder}, the folder of callbacks.certificate: put your own files there, or write these names in the configuration.`,
  )
}

/** Creates the whole group or nothing. @returns the created files */
async function ensureGroup(folder: string, group: Group, now: Date): Promise<readonly string[]> {
  if (!(await isPresent(folder, group))) {
    if (publishOrExplain(folder, group, await group.make(now))) return group.files
    // Another process was faster: its files are used as soon as all exist.
    await isPresent(folder, group)
  }
  checkPairs(folder, group, now)
  return []
}

async function makeEnvironment(
  environment: 'production' | 'sandbox',
  root: Authority,
  now: Date,
): Promise<Record<string, FileToWrite>> {
  const { issueAuthority, issueLeaf } = await loadTestCa()
  const authority = await issueAuthority({ name: `Test service ${environment} CA`, now, issuer: root })
  const name = `Test service ${environment}`
  const client = await issueLeaf({ name, usage: 'client', now, issuer: authority })
  return {
    [`trust/${environment}.pem`]: certificateFile(authority.certificate, root.certificate),
    [`service/${environment}-client.crt`]: certificateFile(client.certificate, authority.certificate),
    [`service/${environment}-client.key`]: keyFile(client.privateKey),
  }
}

/** Loaded on demand: its library takes 10 MiB, and only the first start in development makes certificates. */
function loadTestCa(): Promise<typeof import('./test-ca.ts')> {
  return import('./test-ca.ts')
}

function certificateFile(...certificates: string[]): FileToWrite {
  return { text: certificates.join(''), mode: CERTIFICATE_MODE }
}

function keyFile(privateKey: string): FileToWrite {
  return { text: privateKey, mode: KEY_MODE }
}

/** True when all files exist, false when none does. Throws when only some exist and stay so. */
async function isPresent(folder: string, group: Group): Promise<boolean> {
  const deadline = performance.now() + SETTLE_MS
  for (;;) {
    const missing = missingFiles(folder, group)
    if (missing.length === 0) return true
    if (missing.length === group.files.length) return false
    if (performance.now() >= deadline) throw incomplete(folder, group.files, missing)
    await delay(50)
  }
}

function missingFiles(folder: string, { files }: Group): string[] {
  return files.filter((file) => !existsSync(join(folder, file)))
}

function incomplete(folder: string, files: readonly string[], missing: readonly string[]): PortariaError {
  const present = files.filter((file) => !missing.includes(file))
  return new PortariaError(
    'certificate_invalid',
    say`Some development certificates are missing in ${{ folder: resolve(folder) }}: ${{ names: missing.join(', ') }}. They belong together with ${{ names2: present.join(', ') }}: put the missing files back, or delete these and start again: then all of them are created.`,
  )
}

function checkPairs(folder: string, { files, pairs }: Group, now: Date): void {
  const remedy = `delete ${files.join(', ')} and start again: then they are created.`
  for (const { certificate, key } of pairs) {
    const [leaf] = readCertificates(join(folder, certificate), 'development certificates')
    if (leaf === undefined || !isPair(leaf, readCertificateFile(join(folder, key), 'development certificates'))) {
      throw new PortariaError(
        'certificate_invalid',
        `${key} is not the key of ${certificate} (development certificates in ${resolve(folder)}): ${remedy}`,
      )
    }
    const outOfDate = explainOutOfDate(leaf, now)
    if (outOfDate !== null) {
      throw new PortariaError(
        'certificate_invalid',
        `The development certificate ${certificate} in ${resolve(folder)} ${outOfDate}: ${remedy}`,
      )
    }
  }
}

function isPair(certificate: X509Certificate, pem: Buffer): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(pem))
  } catch {
    // An unreadable key gets the same advice as a wrong one: delete the group.
    return false
  }
}

function publishOrExplain(folder: string, group: Group, contents: Record<string, FileToWrite>): boolean {
  try {
    return publish(folder, group, contents)
  } catch (error) {
    throw new PortariaError(
      'certificate_invalid',
      say`The development certificates cannot be written to ${{ folder: resolve(folder) }}: ${{ error: systemWords(error) }}; let this user write there, or name another folder in the configuration.`,
      { cause: error },
    )
  }
}

/**
 * Publishes a whole group: writes and syncs everything in a folder beside it, then links the files to their names. A link never replaces a file and
 * shows it only complete. A crash between two links leaves an incomplete group, which the next start reports.
 * False when another process has published the group in the meantime.
 */
function publish(folder: string, { files }: Group, contents: Record<string, FileToWrite>): boolean {
  makeFolder(folder)
  for (const file of files) refuseForeignLinks(join(folder, file))
  const staging = mkdtempSync(join(folder, '.making-'))
  try {
    const staged = files.map((file) => {
      const content = contents[file]
      if (content === undefined) throw new TypeError(`unreachable: ${file} was not made`)
      const path = join(staging, randomBytes(8).toString('hex'))
      createFile(path, content.text, { mode: content.mode })
      return { path, target: join(folder, file) }
    })
    for (const { target } of staged) makeFolder(dirname(target))
    return linkAll(staged)
  } finally {
    rmSync(staging, { recursive: true })
  }
}

/** The first name decides which of two processes publishes, because both use the same order. */
function linkAll(staged: readonly { path: string; target: string }[]): boolean {
  for (const [index, { path, target }] of staged.entries()) {
    try {
      inFolderOf(target, (at) => linkSync(path, at))
    } catch (error) {
      if (index === 0 && error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
      throw error
    }
  }
  return true
}
