import { Command, Option } from 'commander'
import { readBundle } from '../../certificates/files/bundle.ts'
import { selectPair } from '../../certificates/files/certificate-pair.ts'
import { writePkcs12 } from '../../certificates/files/pkcs12-writer.ts'
import { writeNewFile } from '../../certificates/files/written-files.ts'
import { PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { say } from '../../platform/said.ts'
import { action, printText } from '../output.ts'
import { hasPasswordOption, newPassword, type PasswordOptions, withPasswordOptions } from './passwords.ts'
import { namedFilesOf, type PlaceOptions, withPlace } from './places.ts'

interface ExportOptions extends PlaceOptions, PasswordOptions {
  readonly cert?: string
  readonly key?: string
  readonly out: string
  readonly format: 'pem' | 'p12'
}

export function exportCommand(): Command {
  return withPasswordOptions(withPlace(new Command('export')))
    .description('Export an installed certificate, its chain and its private key to one file')
    .option('--cert <file>', 'file of the certificate (default: as configured)')
    .option('--key <file>', 'file of its private key')
    .requiredOption('--out <file>', 'file to write; must not exist')
    .addOption(
      new Option('--format <format>', 'pem: key and certificates as text; p12: PKCS#12 with a password')
        .choices(['pem', 'p12'])
        .makeOptionMandatory(),
    )
    .action(action(exportCertificate))
}

async function exportCertificate(options: ExportOptions): Promise<void> {
  const { certificate, privateKey } = namedFilesOf(options, [options.cert, options.key], '--cert and --key')
  const notEncrypted = () => {
    throw new PortariaError(
      'certificate_invalid',
      say`${{ privateKey }} is encrypted: install it with ${{ command: COMMAND }} certs import`,
    )
  }
  const bundles = [await readBundle(certificate, notEncrypted)]
  if (privateKey !== certificate) bundles.push(await readBundle(privateKey, notEncrypted))
  const pair = selectPair(bundles, null, { now: new Date(), usage: 'any', isIncompleteAllowed: true })
  const what = `the new file ${options.out}`
  if (options.format === 'p12') {
    const password = await newPassword(options, what)
    const name = /^CN=(.*)$/m.exec(pair.chain[0]?.subject ?? '')?.[1] ?? 'portaria'
    writeNewFile({ path: options.out, content: await writePkcs12({ ...pair, password, name }), mode: 0o600 })
  } else {
    const encryption = hasPasswordOption(options)
      ? { cipher: 'aes-256-cbc', passphrase: await newPassword(options, what) }
      : {}
    const key = pair.key.export({ type: 'pkcs8', format: 'pem', ...encryption })
    writeNewFile({ path: options.out, content: `${key}${pair.chain.map(String).join('')}`, mode: 0o600 })
  }
  await printText(
    say`wrote ${{ file: options.out }}: the private key and ${{ count: pair.chain.length }} certificates; treat it as a secret`,
  )
}
