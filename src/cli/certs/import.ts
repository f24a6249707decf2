import type { KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { type Bundle, readBundle } from '../../certificates/files/bundle.ts'
import { type CertificatePair, selectPair } from '../../certificates/files/certificate-pair.ts'
import type { PasswordSource } from '../../certificates/files/password.ts'
import { type FileToWrite, replaceFiles } from '../../certificates/files/written-files.ts'
import { daysInWords } from '../../certificates/live/certificate-format.ts'
import { describeCertificate } from '../../certificates/live/describe-certificate.ts'
import type { TlsFiles } from '../../config/config.ts'
import { say } from '../../platform/said.ts'
import { action, printable, printText } from '../output.ts'
import { type PasswordOptions, passwordsFrom, withPasswordOptions } from './passwords.ts'
import { namedFilesOf, type PlaceOptions, usageOf, withPlace } from './places.ts'

interface ImportOptions extends PlaceOptions, PasswordOptions {
  readonly key?: string
  readonly outCert?: string
  readonly outKey?: string
  readonly incomplete?: boolean
  readonly dryRun?: boolean
}

export function importCommand(): Command {
  return withPasswordOptions(withPlace(new Command('import')))
    .description('Check an issued certificate with its chain and key, and install them')
    .argument('<file...>', 'PEM in any order, DER, .p12 or .pfx')
    .option('--key <file>', 'private key, if the files hold none (default: the installed one)')
    .option('--out-cert <file>', 'file for the certificate (default: as configured)')
    .option('--out-key <file>', 'file for the private key (default: as configured)')
    .option('--incomplete', 'accept a chain whose last issuer is neither given nor a public root')
    .option('--dry-run', 'check only, write nothing')
    .action(action(importCertificate))
}

async function importCertificate(files: string[], options: ImportOptions): Promise<void> {
  const target = namedFilesOf(options, [options.outCert, options.outKey], '--out-cert and --out-key')
  const now = new Date()
  const passwords = passwordsFrom(options)
  const bundles: Bundle[] = []
  for (const file of [...files, ...(options.key === undefined ? [] : [options.key])])
    bundles.push(await readBundle(file, passwords))
  const pair = selectPair(bundles, await installedKey(bundles, target.privateKey, passwords), {
    now,
    usage: options.outCert === undefined ? usageOf(options.for) : 'any',
    isIncompleteAllowed: options.incomplete === true,
  })
  await printText(summaryOf(pair, now))
  if (options.dryRun === true) return printText(say`valid; nothing was written (--dry-run)`)
  const { replaced, kept } = replaceFiles(filesToWrite(pair, target))
  for (const path of kept) await printText(say`kept the old file: ${{ path }}`)
  await printText(
    replaced.length === 0
      ? say`nothing to change: these are installed already`
      : say`installed ${{ names: replaced.join(' and ') }}`,
  )
}

/** The installed key, if the files hold none: the certificate was renewed for it, or requested with it. */
async function installedKey(
  bundles: readonly Bundle[],
  file: string,
  passwords: PasswordSource,
): Promise<KeyObject | null> {
  if (bundles.some(({ keys }) => keys.length > 0) || !existsSync(file)) return null
  const { keys } = await readBundle(file, passwords)
  return keys[0] ?? null
}

/** The key first: a gateway that reads in between finds a pair that does not match, keeps the old pair, and reads again after the second write. */
function filesToWrite({ chain, key }: CertificatePair, target: TlsFiles): FileToWrite[] {
  const certificates = chain.map(String).join('')
  const keyPem = key.export({ type: 'pkcs8', format: 'pem' }).toString()
  if (target.certificate === target.privateKey)
    return [{ path: target.privateKey, content: `${keyPem}${certificates}`, mode: 0o600 }]
  return [
    { path: target.privateKey, content: keyPem, mode: 0o600 },
    { path: target.certificate, content: certificates, mode: 0o644 },
  ]
}

function summaryOf({ chain, remarks }: CertificatePair, now: Date): string {
  const lines = chain.map((certificate, index) => {
    const { subjectName, names, notAfter, daysLeft } = describeCertificate(certificate, now)
    const named = names.length === 0 ? '' : ` for ${names.join(', ')}`
    const until = `until ${notAfter.toISOString().slice(0, 10)} (${daysInWords(daysLeft)})`
    return `${index + 1}. ${subjectName}${index === 0 ? named : ''}, ${until}`
  })
  return [...lines, ...remarks].map((line) => `${printable(line)}\n`).join('')
}
