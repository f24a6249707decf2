import { Command, InvalidArgumentError, Option } from 'commander'
import type { Config } from '../config/config.ts'
import { configFile, loadWithoutSecrets } from '../config/load-config.ts'
import { ENVIRONMENTS } from '../domain/event.ts'
import { parseTime } from '../platform/time.ts'

/** Options that every command with a configuration takes. */
export interface ConfigOption {
  readonly config?: string
}

export function withConfig(command: Command): Command {
  return command.option('--config <file>', 'configuration file (default: the environment variable PORTARIA_CONFIG)')
}

/** Without secrets. @throws PortariaError `configuration_invalid` */
export function readConfig(options: ConfigOption): Config {
  return loadWithoutSecrets(configFile(options.config, process.env))
}

/** Options of every command that lists. */
export interface ListOptions extends ConfigOption {
  readonly limit: number
  readonly json?: boolean
}

export function withListing(command: Command, limit: number): Command {
  return withConfig(command)
    .option('--limit <n>', 'show at most this many', wholeNumber, limit)
    .option('--json', 'print one JSON object per line')
}

export function environmentOption(): Option {
  return new Option('--environment <name>', 'production or sandbox').choices(ENVIRONMENTS)
}

export function collect(value: string, earlier: string[] = []): string[] {
  return [...earlier, value]
}

export function wholeNumber(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of at least 1.')
  return Number(text)
}

/** ISO 8601, or an age such as `15m`, `2h`, `7d`. */
export function timeOrAge(text: string): number {
  const age = /^([1-9][0-9]{0,6})(s|m|h|d)$/.exec(text)
  if (age !== null) return Date.now() - Number(age[1]) * AGE_UNITS[age[2] as keyof typeof AGE_UNITS]
  const time = parseTime(text)
  if (time === null)
    throw new InvalidArgumentError('It must be a time such as 2026-01-31T12:00:00Z, or an age such as 15m, 2h, 7d.')
  return time
}

const AGE_UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

export function group(name: string, description: string, commands: readonly Command[]): Command {
  const command = new Command(name).description(description)
  for (const child of commands) command.addCommand(child)
  return command
}
