import { CommanderError } from 'commander'
import { languageOfEnvironment, speak } from './cli/command-names.ts'
import { standaloneCommand } from './cli/standalone.ts'

await speak(languageOfEnvironment(process.env))
const program = standaloneCommand()
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
