import { Command, InvalidArgumentError, Option } from 'commander'
import { type Environment, environmentNamed } from '../domain/realm.ts'
import { remotely } from './remote/chosen.ts'

/** Options that every command with a configuration takes. */
export interface ConfigOption {
  readonly config?: string
  readonly verbose?: boolean
  /** Of the commands that have it. */
  readonly json?: boolean
}

export function withConfig(command: Command): Command {
  return command.option(
    '--config <file>',
    'configuration file (default: PORTARIA_CONFIG, else that of this installation or clone)',
  )
}

/** Options of commands that change something through the endpoints of the gateway. */
export interface ChangeOption extends ConfigOption {
  readonly reason?: string
}

/** As `withConfig`, for commands that take `ChangeOption`: they work with a gateway of another machine, too. */
export function withReason(command: Command): Command {
  return withConfig(remotely(command)).option(
    '--reason <text>',
    'why, for the log of actions (audit list); no personal data',
  )
}

/** Options of every command that lists. */
export interface ListOptions extends ConfigOption {
  readonly limit: number
}

export function withListing(command: Command, limit: number): Command {
  return withConfig(command)
    .option('--limit <n>', 'show at most this many', wholeNumber, limit)
    .option('--json', 'print one JSON object per line')
}

/** @param of in front of the names, in the help */
export function environmentOption(of = ''): Option {
  const words = `${of}production or sandbox (or homologacao, producao)`
  return new Option('--environment <name>', words).argParser(anEnvironment)
}

/** @param of in front of the words of the help */
export function institutionOption(words = 'default: the unnamed or only one', of = ''): Option {
  return new Option('--institution <name>', `${of}a name under institutions (${words})`)
}

/** For lists: an institution and an environment to filter by. */
export function withRealm(command: Command): Command {
  return command.addOption(institutionOption('default: all')).addOption(environmentOption())
}

/** Also under the names of the service's documents. */
export function anEnvironment(
  text: string,
  problem = 'It must be production (producao) or sandbox (homologacao).',
): Environment {
  const named = environmentNamed(text)
  if (named === null) throw new InvalidArgumentError(problem)
  return named
}

/** Other texts are left to the API, which reports them with every other mistake. */
export function environments(text: string, earlier: string[] = []): string[] {
  return [...earlier, environmentNamed(text) ?? text]
}

export function collect(value: string, earlier: string[] = []): string[] {
  return [...earlier, value]
}

export function wholeNumber(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of at least 1.')
  return Number(text)
}

export function group(name: string, commands: readonly Command[]): Command {
  const command = new Command(name)
  for (const child of commands) command.addCommand(child)
  return command
}

/** A group whose commands work with a gateway of another machine, too. */
export function remoteGroup(name: string, commands: readonly Command[]): Command {
  return remotely(group(name, commands))
}
