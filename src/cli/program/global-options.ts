import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { PortariaError } from '../../platform/errors.ts'

/** Every command takes these, before its name and after it: commander passes no settings on to subcommands. The help leaves them out where they are ignored. */
export function takeGlobalOptions(command: Command): void {
  const has = (long: string) => command.options.some((option) => option.long === long)
  const isGroup = command.commands.length > 0
  const isIgnored = !has('--config') && (!isGroup || NEEDS_NO_CONFIGURATION.includes(command.name()))
  const add = (flags: string, words: string) => command.addOption(new Option(flags, words).hideHelp(isIgnored))
  if (!has('--config')) add('--config <file>', 'configuration file, for the command that follows')
  if (!has('--verbose')) add('--verbose', 'say on standard error which configuration file is used')
  // main.ts looks for it before commander does. Once in the help is enough.
  command.addOption(new Option('--no-color', 'no colors in a terminal, as NO_COLOR').hideHelp(command.parent !== null))
  // Options of a group end where the name of its command begins; the command reads the others itself.
  if (isGroup) command.enablePositionalOptions().hook('preAction', (_, called) => inherit(called))
}

/** Groups whose commands read none: they must not share the gateway's. */
const NEEDS_NO_CONFIGURATION = ['simulator', 'conformance']

/** @throws PortariaError `request_invalid` for two different files: neither is the right one for sure */
function inherit(called: Command): void {
  const levels: Command[] = []
  for (let level: Command | null = called; level !== null; level = level.parent) levels.push(level)
  const values = levels.map((level) => level.opts<{ config?: string; verbose?: boolean }>())
  const files = values.flatMap(({ config }) => (config === undefined ? [] : [config])).reverse()
  if (new Set(files.map((file) => resolve(file))).size > 1)
    throw new PortariaError('request_invalid', `--config is given as ${files.join(' and as ')}: give one of them`)
  if (files[0] !== undefined) called.setOptionValue('config', files[0])
  if (values.some(({ verbose }) => verbose === true)) called.setOptionValue('verbose', true)
}

/** The first word that is neither an option of this program nor its value. */
export function commandNameIn(args: readonly string[]): string {
  const [first = '', ...rest] = args
  if (!first.startsWith('-')) return first
  return commandNameIn(first === '--config' ? rest.slice(1) : rest)
}
