import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { moveChain, stageChain } from '../../certificates/chain-folder.ts'
import { downloadChain } from '../../certificates/published-chain.ts'
import { PortariaError } from '../../domain/errors.ts'
import type { Environment } from '../../domain/event.ts'
import { type ConfigOption, readConfig, withConfig } from '../options.ts'
import { action, EXIT, print, printLine } from '../output.ts'
import { tellGateway } from './trust-changes.ts'
import { differenceOf } from './trust-staging.ts'
import { certificatesOf, chainsIn, entryOf, requiredEnvironment } from './trust-view.ts'

interface FetchOptions extends ConfigOption {
  readonly environment: Environment
  readonly accept?: string
  readonly name?: string
  readonly json?: boolean
}

export function fetchCommand(): Command {
  return withConfig(new Command('fetch'))
    .description(
      'Fetch the chain that the service publishes (certificateUrl) and show what it would change; trusts it only with --accept',
    )
    .addOption(requiredEnvironment())
    .option('--accept <sha256>', 'trust it, beside the active chains, if its SHA-256 is this one', sha256)
    .option('--name <name>', 'what to call it (default: fetched-<date>)')
    .option('--json', 'as one JSON object')
    .action(action(fetchChain))
}

async function fetchChain(options: FetchOptions): Promise<void> {
  const config = readConfig(options)
  const { environment } = options
  const entry = entryOf(config, environment)
  if (entry.certificateUrl === null) {
    throw new PortariaError(
      'configuration_invalid',
      `${config.file} does not say where the service publishes its chain for ${environment}: add certificateUrl to that entry of callbacks.trust`,
    )
  }
  const pem = await downloadChain(entry.certificateUrl)
  const sha256 = createHash('sha256').update(pem).digest('hex')
  const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
  try {
    const file = join(folder, 'fetched.pem')
    writeFileSync(file, pem)
    const difference = await differenceOf(config, environment, file)
    const isActive = isSame(
      certificatesOf([file]),
      certificatesOf(chainsIn(entry, 'active').map((chain) => chain.file)),
    )
    const isAccepted = options.accept === sha256
    if (options.json === true)
      await printLine({ environment, url: entry.certificateUrl, sha256, isActive, isAccepted, ...difference.view })
    else await print(`Published at ${entry.certificateUrl}\nSHA-256 of the file: ${sha256}\n\n${difference.text}\n`)
    if (isActive)
      return options.json === true ? undefined : await print('It is what is active already: there is nothing to do.\n')
    if (options.accept !== undefined && !isAccepted) {
      throw new PortariaError(
        'conflict',
        'nothing was changed: the SHA-256 of what is published is another one than --accept says',
      )
    }
    if (!isAccepted) {
      process.exitCode = EXIT.no
      if (options.json === true) return
      return await print(
        `Nothing is trusted yet. Compare the SHA-256 with what the service tells you over another way, then:\n\n` +
          `  portaria certs trust fetch --environment ${environment} --accept ${sha256}\n`,
      )
    }
    const name = options.name ?? `fetched-${new Date().toISOString().slice(0, 10)}-${sha256.slice(0, 8)}`
    stageChain(entry.chain, name, pem.toString('utf8'))
    moveChain(entry.chain, name, { from: 'staged', to: 'active' })
    await tellGateway(config, `${name} is active`, options.json)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function isSame(one: ReturnType<typeof certificatesOf>, two: ReturnType<typeof certificatesOf>): boolean {
  const known = new Set(two.map((certificate) => certificate.fingerprint256))
  return one.every((certificate) => known.has(certificate.fingerprint256))
}

function sha256(text: string): string {
  const digits = text.replaceAll(':', '').toLowerCase()
  if (!/^[0-9a-f]{64}$/.test(digits))
    throw new InvalidArgumentError('64 hexadecimal digits, as "trust fetch" shows them.')
  return digits
}
