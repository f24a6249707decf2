import { CommanderError } from 'commander'
import { simulatorCommand } from './cli/command.ts'

const program = simulatorCommand().name('portaria-simulator').exitOverride()
for (const command of program.commands) command.exitOverride()
process.title = 'portaria-simulator'
// A closed pipe (head, less) is not an error.
process.stdout.on('error', () => process.exit())
try {
  await program.parseAsync()
} catch (error) {
  // Help ends with 0; every other error of commander is wrong usage.
  if (!(error instanceof CommanderError)) throw error
  process.exitCode = error.exitCode === 0 ? 0 : 2
}
