import { parse } from 'node:path'
import { Command } from 'commander'
import { chainFilesOf, stageChain } from '../../certificates/trust/chain-folder.ts'
import type { Config } from '../../config/config.ts'
import type { Environment } from '../../domain/event.ts'
import { type ConfigOption, readConfig, withConfig } from '../options.ts'
import { action, print, printLine } from '../output.ts'
import {
  certificatesOf,
  chainsIn,
  changesText,
  consequencesOf,
  consequencesView,
  entryOf,
  readableOf,
  refusedText,
  requiredEnvironment,
  trustWith,
} from './trust-view.ts'

interface StagingOptions extends ConfigOption {
  readonly environment: Environment
  readonly name?: string
  readonly json?: boolean
}

export function stageCommand(): Command {
  return withConfig(new Command('stage'))
    .description(
      'Check a chain, store it as staged, and list the callers that would be refused if it replaced the active chains',
    )
    .argument('<file>', 'the chain up to its root, PEM')
    .addOption(requiredEnvironment())
    .option('--name <name>', 'name of the chain (default: the file’s name)')
    .option('--json', 'print one JSON object')
    .action(action(stage))
}

export function diffCommand(): Command {
  return withConfig(new Command('diff'))
    .description(
      'Show what would change if a chain replaced the active chains, and which callers would be refused; changes nothing',
    )
    .argument('<chain>', 'a PEM file, or the name of a chain in "trust list"')
    .addOption(requiredEnvironment())
    .option('--json', 'print one JSON object')
    .action(action(diff))
}

async function stage(file: string, options: StagingOptions): Promise<void> {
  const config = readConfig(options)
  const name = options.name ?? parse(file).name
  const difference = await differenceOf(config, options.environment, file)
  const staged = stageChain(entryOf(config, options.environment).chain, name, chainText(file))
  if (options.json === true) return printLine({ ...staged, environment: options.environment, ...difference.view })
  await print(
    `${difference.text}\nStaged as ${staged.name} (${staged.file}); nothing is trusted yet. Next:\n\n` +
      `  portaria certs trust activate ${name} --environment ${options.environment}             # in addition to the active chains\n` +
      `  portaria certs trust activate ${name} --environment ${options.environment} --replace   # instead of them\n`,
  )
}

async function diff(chain: string, options: StagingOptions): Promise<void> {
  const config = readConfig(options)
  const named = chainFilesOf(entryOf(config, options.environment).chain).find(({ name }) => name === chain)
  const file = named?.file ?? chain
  const difference = await differenceOf(config, options.environment, file)
  if (options.json === true) return printLine({ environment: options.environment, ...difference.view })
  await print(difference.text)
}

/** Only the certificates: other content of the file, such as a private key, is not copied. */
export function chainText(file: string): string {
  return certificatesOf([file]).map(String).join('')
}

function comparedWith(active: number, environment: Environment): string {
  if (active === 0) return `No chain of ${environment} can be used yet; with this one:`
  return `Instead of the active ${active === 1 ? 'chain' : `${active} chains`} of ${environment}:`
}

/** What changes if the chain joins the active chains, and who is refused if it replaces them. */
export async function differenceOf(config: Config, environment: Environment, file: string) {
  const active = readableOf(chainsIn(entryOf(config, environment), 'active'))
  // Together with all installed chains, so a conflict is reported now and not at the activation.
  trustWith(config, environment, [...active.filter((other) => other !== file), file])
  const replacing = await consequencesOf(config, environment, [file])
  return {
    view: consequencesView(replacing),
    text: `${comparedWith(active.length, environment)}\n\n${changesText(replacing.changes)}\n${refusedText(replacing)}`,
  }
}
