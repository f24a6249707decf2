import type { Command } from 'commander'
import { PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'

/** Options of every command that reach a gateway of another machine through its API. */
export interface RemoteOptions {
  readonly profile?: string
  readonly api?: string
  readonly tokenFile?: string
  readonly apiCa?: string
  readonly apiCert?: string
  readonly apiKey?: string
}

const REMOTE = new WeakSet<Command>()

/** A command, or a group of them, that works with a gateway of another machine. */
export function remotely(command: Command): Command {
  REMOTE.add(command)
  return command
}

export function isRemote(command: Command): boolean {
  return REMOTE.has(command) || (command.parent !== null && isRemote(command.parent))
}

/** Set once, before the action of the command: its options are known by then. */
let given: { readonly options: RemoteOptions; readonly namesConfig: boolean } = { options: {}, namesConfig: false }

/** @param namesConfig whether --config or PORTARIA_CONFIG names a file @throws PortariaError `request_invalid` for options that exclude each other */
export function giveRemote(
  options: RemoteOptions,
  namesConfig: { readonly option: boolean; readonly any: boolean },
): void {
  const { profile, api, ...rest } = options
  const named = profile !== undefined ? '--profile' : api !== undefined ? '--api' : null
  if (profile !== undefined && api !== undefined)
    throw wrong('--profile and --api exclude each other: a profile has its own address')
  if (named !== null && namesConfig.option)
    throw wrong(`${named} is a gateway of another machine, and --config one of this machine: leave one of them out`)
  if (api === undefined && Object.values(rest).some((value) => value !== undefined))
    throw wrong('--token-file, --api-ca, --api-cert and --api-key are for --api URL: add it, or leave them out')
  given = { options, namesConfig: namesConfig.any }
}

/** Which gateway of another machine the command line names, or else PORTARIA_PROFILE; null: that of the configuration file. */
export function chosenRemote(): RemoteOptions | null {
  const { options, namesConfig } = given
  if (options.profile !== undefined || options.api !== undefined) return options
  const { PORTARIA_PROFILE: profile = '' } = process.env
  return profile === '' || namesConfig ? null : { profile }
}

/** For a command that works only on the gateway's machine. @throws PortariaError `request_invalid` if another machine is chosen */
export function requireThisMachine(): void {
  const remote = chosenRemote()
  if (remote === null) return
  const name =
    given.options.api !== undefined ? '--api' : given.options.profile !== undefined ? '--profile' : 'PORTARIA_PROFILE'
  const advice = name === 'PORTARIA_PROFILE' ? 'name its file with --config' : `leave ${name} out`
  throw wrong(
    `this command works only on the gateway's machine, and ${name} names a gateway by its API: run it there (${COMMAND} on that machine), or ${advice}`,
  )
}

/** For a command that uses no API. @throws PortariaError `request_invalid` if the command line names one */
export function refuseRemoteOptions(usesConfiguration: boolean): void {
  const { api, profile } = given.options
  const name = api !== undefined ? '--api' : profile !== undefined ? '--profile' : null
  if (name === null) return
  if (usesConfiguration) requireThisMachine()
  throw wrong(`this command asks no gateway, and ${name} names one: leave ${name} out`)
}

function wrong(message: string): PortariaError {
  return new PortariaError('request_invalid', message)
}
