import { Command } from 'commander'
import { chainFilesOf, moveChain } from '../../certificates/chain-folder.ts'
import type { Config } from '../../config/config.ts'
import { PortariaError } from '../../domain/errors.ts'
import type { Environment } from '../../domain/event.ts'
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
  const waiting = chainFilesOf(chain).find((file) => file.name === name && file.state !== 'active')
  if (waiting === undefined) return void moveChain(chain, name, { from: 'staged', to: 'active' })
  const active = chainsIn(entryOf(config, options.environment), 'active')
  const retired = options.replace === true ? active : []
  const after = [...active.filter((file) => !retired.includes(file)), waiting].map(({ file }) => file)
  await announce(config, options, after)
  moveChain(chain, name, { from: waiting.state, to: 'active' })
  for (const old of retired) moveChain(chain, old.name, { from: 'active', to: 'retired' })
  await tellGateway(
    config,
    `${name} is active${retired.length > 0 ? `; retired: ${retired.map((old) => old.name).join(', ')}` : ''}`,
  )
}

async function retire(name: string, options: ChangeOptions): Promise<void> {
  const config = readConfig(options)
  const { chain } = entryOf(config, options.environment)
  const active = chainsIn(entryOf(config, options.environment), 'active')
  const staged = chainsIn(entryOf(config, options.environment), 'staged').some((file) => file.name === name)
  if (staged) {
    moveChain(chain, name, { from: 'staged', to: 'retired' })
    return print(`${name} was staged and is retired; nothing that is trusted has changed\n`)
  }
  const after = active.filter((file) => file.name !== name).map(({ file }) => file)
  if (after.length === 0 && active.length > 0) {
    throw new PortariaError(
      'conflict',
      `${name} is the only active chain of ${options.environment}: activate another one first, or remove the entry from callbacks.trust`,
    )
  }
  if (after.length < active.length) await announce(config, options, after)
  moveChain(chain, name, { from: 'active', to: 'retired' })
  await tellGateway(config, `${name} is retired`)
}

/** Says what changes; callers that would be refused must be accepted with --yes. */
async function announce(config: Config, options: ChangeOptions, after: readonly string[]): Promise<void> {
  const { changes, seen, refused } = await consequencesOf(config, options.environment, after)
  await print(`${changesText(changes)}\n${refusedText(seen, refused)}\n`)
  if (refused.length > 0 && options.yes !== true) {
    throw new PortariaError(
      'conflict',
      'nothing was changed: callers that were seen lately would be refused; if that is meant, add --yes',
    )
  }
}

export async function tellGateway(config: Config, done: string, isSilent = false): Promise<void> {
  const isRunning = await reloadGateway(config)
  if (isSilent) return
  await print(
    `${done}. ${isRunning ? 'The running gateway has taken it up' : 'No gateway runs; it will find it so at start'}.\n`,
  )
}
