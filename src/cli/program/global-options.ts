import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { giveRemote, isRemote, type RemoteOptions, refuseRemoteOptions } from '../remote/chosen.ts'

/** Every command takes these, before its name and after it: commander passes no settings on to subcommands. The help leaves them out where they are ignored. */
export function takeGlobalOptions(command: Command): void {
  const has = (long: string) => command.options.some((option) => option.long === long)
  const isGroup = command.commands.length > 0
  const isIgnored = !has('--config') && (!isGroup || NEEDS_NO_CONFIGURATION.includes(command.name()))
  if (!isIgnored) USES_CONFIGURATION.add(command)
  const add = (flags: string, words: string) => command.addOption(new Option(flags, words).hideHelp(isIgnored))
  if (!has('--config')) add('--config <file>', 'configuration file, for the command that follows')
  if (!has('--verbose')) add('--verbose', 'say on standard error which configuration file is used')
  for (const { flags, words } of REMOTE) {
    const [long = ''] = flags.split(' ')
    const isShown = command.parent === null || (long === '--profile' && isRemote(command))
    if (!has(long)) command.addOption(new Option(flags, words).hideHelp(!isShown))
  }
  // command-line.ts looks for both before commander does. Once in the help is enough.
  command.addOption(new Option('--no-color', 'no colors in a terminal, as NO_COLOR').hideHelp(command.parent !== null))
  const lang = new Option(
    '--lang <language>',
    'language of help and messages (default: of LC_ALL, LC_MESSAGES or LANG)',
  )
  if (!has('--lang')) command.addOption(lang.choices(['en', 'pt']).hideHelp(command.parent !== null))
  // Options of a group end where the name of its command begins; the command reads the others itself.
  if (isGroup) command.enablePositionalOptions().hook('preAction', (_, called) => inherit(called))
}

const REMOTE = [
  { flags: '--profile <name>', words: 'the gateway of this profile, by its API (login makes it; or PORTARIA_PROFILE)' },
  { flags: '--api <url>', words: 'the gateway of this API, https://HOST:PORT; with --token-file' },
  { flags: '--token-file <file>', words: 'with --api: file with the bearer token' },
  { flags: '--api-ca <file>', words: 'with --api: authorities of its certificate, PEM (default: the public ones)' },
  { flags: '--api-cert <file>', words: 'with --api: client certificate, PEM, full chain' },
  { flags: '--api-key <file>', words: 'with --api: private key of the client certificate, PEM' },
] as const

/** Groups whose commands read none: they must not share the gateway's. */
const NEEDS_NO_CONFIGURATION = ['simulator', 'conformance']

/** @throws PortariaError `request_invalid` for two different files: neither is the right one for sure */
function inherit(called: Command): void {
  const levels: Command[] = []
  for (let level: Command | null = called; level !== null; level = level.parent) levels.push(level)
  const values = levels.map((level) => level.opts<{ config?: string; verbose?: boolean }>())
  const files = values.flatMap(({ config }) => (config === undefined ? [] : [config])).reverse()
  if (new Set(files.map((file) => resolve(file))).size > 1)
    throw new PortariaError(
      'request_invalid',
      say`--config is given as ${{ files: files.join(' and as ') }}: give one of them`,
    )
  if (files[0] !== undefined) called.setOptionValue('config', files[0])
  if (values.some(({ verbose }) => verbose === true)) called.setOptionValue('verbose', true)
  if (OWN_PROFILES.includes(called.name())) return
  const config = { option: files[0] !== undefined, any: files[0] !== undefined || !!process.env.PORTARIA_CONFIG }
  giveRemote(remoteOptionsOf(levels), config)
  if (!isRemote(called)) refuseRemoteOptions(USES_CONFIGURATION.has(called))
}

/** Whose `--config` counts. */
const USES_CONFIGURATION = new WeakSet<Command>()

/** Their options of these names are about the profile itself. */
const OWN_PROFILES = ['login', 'logout']

/** That of the command itself goes first. */
function remoteOptionsOf(levels: readonly Command[]): RemoteOptions {
  const names = ['profile', 'api', 'tokenFile', 'apiCa', 'apiCert', 'apiKey'] as const
  const found = names.flatMap((name) => {
    const value = levels.map((level) => level.opts<RemoteOptions>()[name]).find((one) => one !== undefined)
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(found)
}

/** The first word that is neither an option of this program nor its value. */
export function commandNameIn(args: readonly string[]): string {
  const [first = '', ...rest] = args
  if (!first.startsWith('-')) return first
  const hasValue = ['--config', '--lang'].includes(first) || REMOTE.some(({ flags }) => flags.startsWith(`${first} `))
  return commandNameIn(hasValue ? rest.slice(1) : rest)
}
