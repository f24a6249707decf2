import { Argument, Command, InvalidArgumentError } from 'commander'
import type { InstitutionCertificates } from '../institutions/certificates.ts'
import { INSTITUTIONS, type Institution } from '../institutions/fixtures.ts'
import type { Played } from '../institutions/play.ts'
import { readAuthorities } from '../option-files.ts'
import { translated } from './command-names.ts'
import { action, print, printable, printLine } from './output.ts'

interface PlayFlags {
  readonly folder: string
  readonly receiverCa?: string
  readonly json?: boolean
}

/** Without an address it only makes the certificates. */
export function playCommand(): Command {
  return new Command('play')
    .description(
      'Send the callbacks of an institution, and judge the answers; without a URL, only make the certificates for it',
    )
    .addArgument(new Argument('<institution>', 'name of the preset').choices(Object.keys(INSTITUTIONS)))
    .argument('[url]', 'the registered address, such as https://localhost:8443/bank-a', registeredUrl)
    .option('--folder <folder>', 'folder of the certificates, made at the first call', 'data/institutions')
    .option('--receiver-ca <file>', "authorities of the receiver's server certificate besides the public ones, PEM")
    .option('--json', 'print one JSON object')
    .action(action(run))
}

function registeredUrl(text: string): URL {
  const url = URL.parse(text)
  if (url?.protocol !== 'https:') throw new InvalidArgumentError(translated('It must be an https address.'))
  return url
}

async function run(name: string, url: URL | undefined, { folder, receiverCa, json }: PlayFlags): Promise<void> {
  // Help and completion need none of it.
  const { certificatesOf } = await import('../institutions/certificates.ts')
  const { play } = await import('../institutions/play.ts')
  const institution = INSTITUTIONS[name] as Institution
  const certificates = await certificatesOf(folder, name)
  const { credentials } = certificates
  const ca = receiverCa === undefined ? null : readAuthorities('--receiver-ca', receiverCa)
  const played = url === undefined ? [] : await play(institution, { url, credentials, receiverCa: ca })
  await (json === true ? printLine(summaryOf(certificates, played)) : print(textOf(certificates, played)))
  if (played.some(({ problems }) => problems.length > 0)) process.exitCode = 1
}

function summaryOf({ chainFile, clientFiles }: InstitutionCertificates, played: readonly Played[]) {
  return { chain: chainFile, ...clientFiles, callbacks: played }
}

function textOf({ chainFile }: InstitutionCertificates, played: readonly Played[]): string {
  const lines = played.map(({ fixture, path, status, durationMs, problems }) => {
    const isGood = problems.length === 0
    const found = isGood ? translated(`${status} after ${durationMs} ms`) : problems.map(translated).join('; ')
    return `${isGood ? '✓' : '✗'} ${fixture} ${path}: ${printable(found)}\n`
  })
  return `${translated(`The receiver trusts the chain in ${chainFile}.`)}\n${lines.join('')}`
}
