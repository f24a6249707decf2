import { Command, Option } from 'commander'
import { openAuthority } from '../../certificates/authority/authority.ts'
import { recordsOf } from '../../certificates/authority/records.ts'
import { COMMAND } from '../../platform/installation.ts'
import { action, printable, printResult } from '../output.ts'
import { type AuthorityOption, authorityFolderOf, issuedView } from './authority-place.ts'
import { type IssueOptions, withIssueOptions } from './issue-options.ts'
import { earlierOf, type IssuedFiles, issueWithKey, namesFor, requireFileName } from './issued-files.ts'

interface Options extends AuthorityOption, IssueOptions {
  readonly for: 'forwarding' | 'app'
}

export function issueCommand(): Command {
  return withIssueOptions(new Command('issue'))
    .description('Issue a client certificate with a new key from the private authority')
    .argument('<name>', 'its name (CN), and that of its files')
    .addOption(
      new Option('--for <use>', 'forwarding: the gateway shows it to your systems; app: an app shows it to the API')
        .choices(['forwarding', 'app'])
        .makeOptionMandatory(),
    )
    .action(action(issue))
}

async function issue(name: string, options: Options): Promise<void> {
  requireFileName(name)
  const authority = await openAuthority(await authorityFolderOf(options), new Date())
  const content = { use: options.for, name, alternativeNames: namesFor(name), client: null }
  const issued = await issueWithKey(authority, content, options)
  const earlier = earlierOf(authority, issued.record).map(({ serial }) => `${serial}\n`)
  const hint =
    earlier.length === 0
      ? ''
      : `\nEarlier certificates of this name are still valid; revoke them once nothing uses them (${COMMAND} certs revoke SERIAL):\n${earlier.join('')}`
  await printResult(options, viewOf(issued, recordsOf(authority)), filesText(issued) + NEXT[options.for](issued) + hint)
}

export function viewOf({ record, certificate, privateKey, pkcs12, passwordFile }: IssuedFiles, all = [record]) {
  return { ...issuedView(record, all, Date.now()), certificate, privateKey, pkcs12, passwordFile }
}

export function filesText({ record, certificate, privateKey, pkcs12, passwordFile }: IssuedFiles): string {
  const lines = [
    `issued ${record.name} (serial number ${record.serial}), valid until ${record.notAfter.slice(0, 10)}`,
    `  ${privateKey}   the private key: a secret`,
    `  ${certificate}   the certificate and that of the authority`,
    ...(pkcs12 === null ? [] : [`  ${pkcs12}   key and certificates: a secret`]),
    ...(passwordFile === null ? [] : [`  ${passwordFile}   its password: send it another way than the file`]),
  ]
  return lines.map((line) => `${printable(line)}\n`).join('')
}

export const RENEWED =
  'A gateway with certificates.authority renews the files that stay here. Copies elsewhere must be replaced then.'

const NEXT = {
  forwarding: ({ certificate, privateKey }: IssuedFiles) => `
Next: name it in the configuration, and give ca.pem of the authority to the systems that it is shown to:

forwarding:
  clientCertificate: { certificate: ${certificate}, privateKey: ${privateKey} }
`,
  app: () => `
Next: give these files to the app, and name ca.pem of the authority as api.clientCa and crl.pem under api.clientCrl.
${RENEWED}
`,
}
