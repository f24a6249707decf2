import { Command, CommanderError } from 'commander'
import { deliveriesCommand } from './cli/deliveries.ts'
import { demoCommand } from './cli/demo.ts'
import { destinationsCommand } from './cli/destinations.ts'
import { eventsCommand } from './cli/events.ts'
import { EXIT, fail } from './cli/output.ts'
import { probeCommand } from './cli/probe.ts'
import { serveCommand } from './cli/serve.ts'
import { versionCommand } from './cli/version.ts'
import { VERSION } from './domain/version.ts'

const program = new Command('portaria')
  .description('Takes a payment institution’s callbacks over mutual TLS, keeps them, and forwards them.')
  .version(VERSION)
  .showHelpAfterError('(--help shows what there is)')

for (const command of [
  serveCommand(),
  demoCommand(),
  probeCommand(),
  eventsCommand(),
  deliveriesCommand(),
  destinationsCommand(),
  versionCommand(),
]) {
  program.addCommand(command)
}
overrideExits(program)

// A reader that has seen enough (head, less) closes the pipe: no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.good)
  throw error
})

try {
  await program.parseAsync()
} catch (error) {
  // Help and version end with 0; everything else that commander says is about usage.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.good : EXIT.usage
  else fail(error)
}

function overrideExits(command: Command): void {
  command.exitOverride()
  for (const child of command.commands) overrideExits(child)
}
