import { parse } from 'node:path'
import { Command } from 'commander'
import { chainFilesOf, stageChain } from '../../certificates/trust/chain-folder.ts'
import {
  certificatesOf,
  consequencesOfActivation,
  consequencesView,
  type ProposedChain,
} from '../../certificates/trust/trust-change.ts'
import type { Config } from '../../config/config.ts'
import type { Environment } from '../../domain/realm.ts'
import type { Activation } from '../../domain/trust.ts'
import { COMMAND } from '../../platform/installation.ts'
import { type ConfigOption, readConfigToChange, withConfig } from '../options.ts'
import { action, printResult } from '../output.ts'
import { changesText, entryOf, questionOf, refusedText, requiredEnvironment, seenPeers } from './trust-view.ts'

interface StagingOptions extends ConfigOption {
  readonly environment: Environment
  readonly name?: string
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
  const config = readConfigToChange(options)
  const name = options.name ?? parse(file).name
  const difference = await differenceOf(config, options.environment, { file }, 'instead')
  const staged = stageChain(entryOf(config, options.environment).chain, name, chainText({ file }))
  await printResult(
    options,
    { ...staged, environment: options.environment, ...difference.view },
    `${difference.text}\nStaged as ${staged.name} (${staged.file}); nothing is trusted yet. Next:\n\n` +
      `  ${COMMAND} certs trust activate ${name} --environment ${options.environment}             # in addition to the active chains\n` +
      `  ${COMMAND} certs trust activate ${name} --environment ${options.environment} --replace   # instead of them\n`,
  )
}

async function diff(chain: string, options: StagingOptions): Promise<void> {
  const config = readConfigToChange(options)
  const named = chainFilesOf(entryOf(config, options.environment).chain).find(({ name }) => name === chain)
  const file = named?.file ?? chain
  const difference = await differenceOf(config, options.environment, { file }, 'instead')
  await printResult(options, { environment: options.environment, ...difference.view }, difference.text)
}

/** Only the certificates: other content of the file, such as a private key, is not copied. */
export function chainText(chain: ProposedChain): string {
  return certificatesOf([chain]).map(String).join('')
}

function comparedWith(active: number, environment: Environment, activation: Activation): string {
  if (active === 0) return `No chain of ${environment} can be used yet; with this one:`
  const chains = `the active ${active === 1 ? 'chain' : `${active} chains`} of ${environment}`
  return activation === 'instead'
    ? `Instead of ${chains}:`
    : `Beside ${chains}, which stay${active === 1 ? 's' : ''} active:`
}

/** The certificates that the chain adds or removes, and the callers that would be refused. */
export async function differenceOf(
  config: Config,
  environment: Environment,
  chain: ProposedChain,
  activation: Activation,
) {
  const now = Date.now()
  const seen = { activation, peers: await seenPeers(config, now), now }
  const consequences = consequencesOfActivation(questionOf(config, environment), chain, seen)
  const compared = comparedWith(consequences.compared, environment, activation)
  return {
    view: consequencesView(consequences),
    text: `${compared}\n\n${changesText(consequences.changes)}\n${refusedText(consequences)}`,
  }
}
