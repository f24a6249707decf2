import { Command, CommanderError, Help, type Option } from 'commander'
import { severityPrefix } from './cli/log/journal.ts'
import { EXIT, fail } from './cli/output.ts'
import { addExample } from './cli/program/examples.ts'
import { commandNameIn, takeGlobalOptions } from './cli/program/global-options.ts'
import { PortariaError } from './platform/errors.ts'
import { VERSION } from './platform/version.ts'

/** In the order of the help. Each is loaded on demand: a reading command then starts in a third of the time. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./cli/serve.ts')).serveCommand(),
  reload: async () => (await import('./cli/reload.ts')).reloadCommand(),
  init: async () => (await import('./cli/init.ts')).initCommand(),
  demo: async () => (await import('./cli/demo.ts')).demoCommand(),
  probe: async () => (await import('./cli/probe.ts')).probeCommand(),
  certs: async () => (await import('./cli/certs.ts')).certsCommand(),
  check: async () => (await import('./cli/check.ts')).checkCommand(),
  config: async () => (await import('./cli/config.ts')).configCommand(),
  events: async () => (await import('./cli/events.ts')).eventsCommand(),
  consumers: async () => (await import('./cli/consumers.ts')).consumersCommand(),
  deliveries: async () => (await import('./cli/deliveries.ts')).deliveriesCommand(),
  replays: async () => (await import('./cli/replays.ts')).replaysCommand(),
  destinations: async () => (await import('./cli/destinations.ts')).destinationsCommand(),
  clients: async () => (await import('./cli/clients.ts')).clientsCommand(),
  quarantine: async () => (await import('./cli/quarantine.ts')).quarantineCommand(),
  refusals: async () => (await import('./cli/refusals.ts')).refusalsCommand(),
  audit: async () => (await import('./cli/audit/audit.ts')).auditCommand(),
  storage: async () => (await import('./cli/storage.ts')).storageCommand(),
  service: async () => (await import('./cli/service.ts')).serviceCommand(),
  simulator: async () => (await import('./cli/simulator.ts')).simulatorCommand(),
  version: async () => (await import('./cli/version.ts')).versionCommand(),
}

const program = new Command('portaria')
  .description(
    'Receives the callbacks of a payment institution over mutual TLS, stores them durably, and forwards them.',
  )
  .version(VERSION)

const name = commandNameIn(process.argv.slice(2))
// For ps, top and journalctl, which would all say "node".
process.title = 'portaria'
const load = Object.hasOwn(COMMANDS, name) ? [COMMANDS[name]] : Object.values(COMMANDS)
for (const command of await Promise.all(load.map((loadCommand) => loadCommand?.()))) {
  if (command !== undefined) program.addCommand(command)
}
settle(program)

// A closed pipe (head, less) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The gateway runs whether its standard output is read or not.
  if (name === 'serve') return
  if (error.code === 'EPIPE') process.exit(EXIT.good)
  fail(new PortariaError('store_unavailable', `standard output cannot be written: ${error.message}`))
  process.exit()
})
// A command finishes even if its terminal or pipe is gone.
process.stderr.on('error', () => undefined)

try {
  await program.parseAsync()
} catch (error) {
  // Help and version end with 0; every other error of commander is wrong usage.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.good : EXIT.usage
  else fail(error)
}

/** commander does not pass settings on to subcommands. */
function settle(command: Command): void {
  takeGlobalOptions(command)
  addExample(command)
  command.configureHelp({ optionDescription: describeOption })
  const prefix = severityPrefix()?.('error') ?? ''
  command.exitOverride().showHelpAfterError(`${prefix}(--help lists commands and options)`)
  command.configureOutput({ outputError: (text, write) => write(text.replaceAll(/^(?=.)/gm, prefix)) })
  for (const child of command.commands) settle(child)
}

function describeOption(option: Option): string {
  const text = new Help().optionDescription(option)
  return option.mandatory ? `${text} (required)` : text
}
