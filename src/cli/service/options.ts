import { type Command, Option } from 'commander'
import type { Environment } from '../../domain/realm.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { ServiceFailure } from '../../service/failure.ts'
import { WEBHOOK_INTERFACES, type WebhookInterface } from '../../service/webhooks.ts'
import { confirm } from '../confirm.ts'
import { type ConfigOption, environmentOption, institutionOption, withConfig } from '../options.ts'
import { action, EXIT, tell } from '../output.ts'

/** Options of every command that calls the service. */
export interface ServiceOptions extends ConfigOption {
  readonly environment: Environment
  /** Left out: as `realmNamed` reads it. */
  readonly institution?: string
}

export interface WebhookOptions extends ServiceOptions {
  readonly interface: WebhookInterface
}

/** Options of every command that changes something at the service. */
export interface ChangeOptions {
  readonly dryRun?: boolean
  readonly yes?: boolean
}

export function withService(command: Command): Command {
  return withConfig(command)
    .addOption(environmentOption('environment of the service: ').makeOptionMandatory())
    .addOption(institutionOption())
}

export function withWebhooks(command: Command): Command {
  const on = new Option('--interface <name>', 'interface of the service').choices(WEBHOOK_INTERFACES)
  return withService(command).addOption(on.makeOptionMandatory())
}

export function withChange(command: Command): Command {
  return command
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--yes', 'do not ask for confirmation')
}

/** Options of `check --url`. */
export function withAddressCheck(command: Command): Command {
  return command
    .option('--cert <file>', 'client certificate to check the address with, PEM, as for check --url')
    .option('--key <file>', 'private key of the client certificate, PEM')
    .option('--ca <file>', 'CA certificates that callers trust, PEM (default: the public ones)')
    .option('--timeout <seconds>', 'time limit of each request of the check', '10')
}

/** A command's action: failures of the service are printed like other errors, with exit code 1. */
export function serviceAction<A extends unknown[]>(run: (...args: A) => Promise<void>): (...args: A) => Promise<void> {
  return action(async (...args: A) => {
    try {
      await run(...args)
    } catch (error) {
      throw error instanceof ServiceFailure ? inWords(error) : error
    }
  })
}

function inWords(failure: ServiceFailure): PortariaError {
  const unknown = failure.isOutcomeUnknown
    ? '. It is unknown whether the service has made the change: ask it (list or show), or repeat the command'
    : ''
  return new PortariaError('conflict', `${failure.message}${unknown}`, { cause: failure })
}

/** Whether the change may be made; otherwise says that it was not, and sets the exit code. */
export async function mayChange({ yes = false }: ChangeOptions, question: string): Promise<boolean> {
  if (yes || (await confirm(question))) return true
  tell(say`nothing was changed at the service`)
  process.exitCode = EXIT.no
  return false
}
