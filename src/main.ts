import { Command, CommanderError } from 'commander'
import { certsCommand } from './cli/certs.ts'
import { checkCommand } from './cli/check.ts'
import { deliveriesCommand } from './cli/deliveries.ts'
import { demoCommand } from './cli/demo.ts'
import { destinationsCommand } from './cli/destinations.ts'
import { eventsCommand } from './cli/events.ts'
import { initCommand } from './cli/init.ts'
import { EXIT, fail } from './cli/output.ts'
import { probeCommand } from './cli/probe.ts'
import { refusalsCommand } from './cli/refusals.ts'
import { serveCommand } from './cli/serve.ts'
import { versionCommand } from './cli/version.ts'
import { VERSION } from './domain/version.ts'

const program = new Command('portaria')
  .description('Takes a payment institution’s callbacks over mutual TLS, keeps them, and forwards them.')
  .version(VERSION)

for (const command of [
  serveCommand(),
  initCommand(),
  demoCommand(),
  probeCommand(),
  certsCommand(),
  checkCommand(),
  eventsCommand(),
  deliveriesCommand(),
  destinationsCommand(),
  refusalsCommand(),
  versionCommand(),
]) {
  program.addCommand(command)
}
settle(program)

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

/** commander hands neither of these down to commands that were added. */
function settle(command: Command): void {
  command.exitOverride().showHelpAfterError('(--help shows what there is)')
  for (const child of command.commands) settle(child)
}
