import { Command } from 'commander'
import { type ChainFile, chainFilesOf, moveChain } from '../../certificates/trust/chain-folder.ts'
import type { Config } from '../../config/config.ts'
import type { Environment } from '../../domain/event.ts'
import { PortariaError } from '../../platform/errors.ts'
import { reloadGateway } from '../control-client.ts'
import { type ConfigOption, readConfig, withConfig } from '../options.ts'
import { action, print } from '../output.ts'
import { chainsIn, changesText, consequencesOf, entryOf, refusedText, requiredEnvironment } from './trust-view.ts'

interface ChangeOptions extends ConfigOption {
  readonly environment: Environment
  readonly replace?: boolean
  readonly yes?: boolean
}

const YES = 'do it although callers that were seen in the last 30 days would be refused'

export function activateCommand(): Command {
  return withConfig(new Command('activate'))
    .description('Trust a staged (or retired) chain, beside the active ones or in place of them')
    .argument('<name>', 'its name in "trust list"')
    .addOption(requiredEnvironment())
    .option('--replace', 'retire all other chains of the environment')
    .option('--yes', YES)
    .action(action(activate))
}

export function retireCommand(): Command {
  return withConfig(new Command('retire'))
    .description('Trust a chain no more: its callers’ connections are closed; the file is kept under retired/')
    .argument('<name>', 'its name in "trust list"')
    .addOption(requiredEnvironment())
    .option('--yes', YES)
    .action(action(retire))
}

async function activate(name: string, options: ChangeOptions): Promise<void> {
  const config = readConfig(options)
  const { chain } = entryOf(config, options.environment)
  const waiting = chainToActivate(chain, name)
  const active = chainsIn(entryOf(config, options.environment), 'active')
  const retired = options.replace === true ? active : []
  const after = [...active.filter((file) => !retired.includes(file)), waiting].map(({ file }) => file)
  await announce(config, options, after)
  const moved = moveChain(chain, name, { from: waiting.state, to: 'active' })
  for (const old of retired) moveChain(chain, old.name, { from: 'active', to: 'retired' })
  await tellGateway(
    config,
    `${moved.name} is active${retired.length > 0 ? `; retired: ${retired.map((old) => old.name).join(', ')}` : ''}`,
  )
}

/** A staged one before a retired one. @throws PortariaError when there is neither, or one of that name is active */
function chainToActivate(chain: string, name: string): ChainFile {
  const named = chainFilesOf(chain).filter((file) => file.name === name)
  const found = ['staged', 'active', 'retired'].map((state) => named.find((file) => file.state === state))
  const first = found.find((file) => file !== undefined)
  if (first === undefined)
    throw new PortariaError('not_found', `there is no chain ${name}: "portaria certs trust list" shows which there are`)
  if (first.state === 'active') throw new PortariaError('conflict', `the chain ${name} is active already`)
  return first
}

async function retire(name: string, options: ChangeOptions): Promise<void> {
  const config = readConfig(options)
  const entry = entryOf(config, options.environment)
  const active = chainsIn(entry, 'active')
  const isStaged = chainsIn(entry, 'staged').some((file) => file.name === name)
  const leaving = active.find((file) => file.name === name)
  if (leaving === undefined) {
    moveChain(entry.chain, name, { from: isStaged ? 'staged' : 'active', to: 'retired' })
    return print(`${name} was staged and is retired; nothing that is trusted has changed\n`)
  }
  const after = active.filter((file) => file !== leaving).map(({ file }) => file)
  if (after.length === 0) {
    throw new PortariaError(
      'conflict',
      `${name} is the only active chain of ${options.environment}: activate another one first, or remove the entry from callbacks.trust`,
    )
  }
  await announce(config, options, after)
  moveChain(entry.chain, name, { from: 'active', to: 'retired' })
  await tellGateway(config, `${name} is retired`)
}

/** Says what changes; callers that would be refused must be accepted with --yes. */
async function announce(config: Config, options: ChangeOptions, after: readonly string[]): Promise<void> {
  const consequences = await consequencesOf(config, options.environment, after)
  await print(`${changesText(consequences.changes)}\n${refusedText(consequences)}\n`)
  if (consequences.refused.length > 0 && options.yes !== true) {
    throw new PortariaError(
      'conflict',
      'nothing was changed: callers that were seen lately would be refused; if that is meant, add --yes',
    )
  }
}

/** Says what was done, when a running gateway has taken it up. @throws PortariaError when it could not */
export async function tellGateway(config: Config, done: string, isInactive = false): Promise<void> {
  const isRunning = await reloadGateway(config).catch((error: unknown) => {
    if (!(error instanceof PortariaError)) throw error
    throw new PortariaError(error.code, `${done}; but the running gateway: ${error.message}`, {
      cause: error,
      details: error.details,
    })
  })
  if (isInactive) return
  await print(
    `${done}. ${isRunning ? 'The running gateway has taken it up' : 'No gateway runs; it will find it so at start'}.\n`,
  )
}
