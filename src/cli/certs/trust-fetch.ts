import { createHash } from 'node:crypto'
import { Command, InvalidArgumentError } from 'commander'
import { moveChain, stageChain } from '../../certificates/trust/chain-folder.ts'
import { downloadChain } from '../../certificates/trust/published-chain.ts'
import { activeChains, type ProposedChain, trustWith } from '../../certificates/trust/trust-change.ts'
import type { Config } from '../../config/config.ts'
import { realmNamed } from '../../config/institutions.ts'
import { optionsOf, partsOf, type Realm, trustKeyOf } from '../../domain/realm.ts'
import type { IssuingCertificate } from '../../domain/trust.ts'
import { PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { say } from '../../platform/said.ts'
import { readConfig } from '../config-file.ts'
import { type ConfigOption, withConfig } from '../options.ts'
import { action, EXIT, printLine, printText } from '../output.ts'
import { reloadAndReport } from './trust-changes.ts'
import { chainText, differenceOf } from './trust-staging.ts'
import { entryOf, questionOf, type RealmOptions, withRealm } from './trust-view.ts'

interface FetchOptions extends ConfigOption, RealmOptions {
  readonly accept?: string
  readonly name?: string
}

export function fetchCommand(): Command {
  return withRealm(withConfig(new Command('fetch')))
    .description(
      'Download the chain that the service publishes (certificateUrl) and show what would change; it is trusted only with --accept',
    )
    .option('--accept <sha256>', 'trust it, in addition to the active chains, if its SHA-256 is this', sha256)
    .option('--name <name>', 'name of the chain (default: fetched-<date>)')
    .option('--json', 'print one JSON object')
    .action(action(fetchChain))
}

async function fetchChain(options: FetchOptions): Promise<void> {
  const config = readConfig(options)
  const { accept } = options
  const realm = realmNamed(config, options)
  const url = urlOf(config, realm)
  const pem = await downloadChain(url)
  const chain = { file: url, pem }
  const sha256 = createHash('sha256').update(pem).digest('hex')
  const difference = await differenceOf(config, realm, chain, 'beside')
  const isActive = await isTrusted(config, realm, chain)
  const isAccepted = accept === sha256
  if (options.json === true)
    await printLine({ ...partsOf(realm), url, sha256, isActive, isAccepted, ...difference.view })
  else await printText(`Published at ${url}\nSHA-256 of the file: ${sha256}\n\n${difference.text}\n`)
  if (accept !== undefined && !isAccepted) {
    throw new PortariaError(
      'conflict',
      say`nothing was changed: the SHA-256 of the published file differs from --accept`,
    )
  }
  if (isActive) {
    if (options.json !== true)
      await printText(say`The published chain is trusted already: there is nothing to activate.`)
    return
  }
  if (isAccepted) return activateFetched(config, options, { realm, chain, sha256 })
  process.exitCode = EXIT.no
  if (options.json === true) return
  await printText(
    `Nothing is trusted yet. Compare the SHA-256 with the one that the service gives you over another channel, then:\n\n` +
      `  ${COMMAND} certs trust fetch ${optionsOf(realm)} --accept ${sha256}\n`,
  )
}

async function activateFetched(
  config: Config,
  options: FetchOptions,
  { realm, chain: fetched, sha256 }: { realm: Realm; chain: ProposedChain; sha256: string },
): Promise<void> {
  const { chain } = entryOf(config, realm)
  const name = options.name ?? `fetched-${new Date().toISOString().slice(0, 10)}-${sha256.slice(0, 8)}`
  stageChain(chain, name, chainText(fetched))
  const moved = moveChain(chain, name, { from: 'staged', to: 'active' })
  await reloadAndReport(config, `the chain ${moved.name} is active`, { file: moved.file, isQuiet: options.json })
}

function urlOf(config: Config, realm: Realm): string {
  const { certificateUrl } = entryOf(config, realm)
  if (certificateUrl !== null) return certificateUrl
  throw new PortariaError(
    'configuration_invalid',
    say`${{ file: config.file }} does not say where the service publishes its chain for ${{ realm }}: add certificateUrl to that entry of ${{ realm2: trustKeyOf(realm) }}`,
  )
}

/** Whether callers of every issuing certificate in the chain are accepted now. */
async function isTrusted(config: Config, realm: Realm, chain: ProposedChain): Promise<boolean> {
  const question = await questionOf(config, realm)
  // Of the files alone: a damaged one is to be replaced although its earlier content is in use.
  const active = activeChains({ ...question, inUse: [] })
  if (active.length === 0) return false
  const known = new Set(trustWith(question, active).issuing.map(fingerprintOf))
  return trustWith(question, [chain]).issuing.every((issuer) => known.has(fingerprintOf(issuer)))
}

function fingerprintOf({ environment, certificate }: IssuingCertificate): string {
  return `${environment} ${certificate.fingerprint256}`
}

function sha256(text: string): string {
  const digits = text.replaceAll(':', '').toLowerCase()
  if (!/^[0-9a-f]{64}$/.test(digits))
    throw new InvalidArgumentError('It must be 64 hexadecimal digits, as "trust fetch" shows them.')
  return digits
}
