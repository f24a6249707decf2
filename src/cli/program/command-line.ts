import { Command, CommanderError } from 'commander'
import { PortariaError, systemWords } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { VERSION } from '../../platform/version.ts'
import { styled, turnColorsOff } from '../colors.ts'
import { HELP } from '../language/help.ts'
import { helpLines, languageIn, speak, translated, translatedLines } from '../language/language.ts'
import { severityPrefix } from '../log/journal.ts'
import { EXIT, fail } from '../output.ts'
import { loadCommands } from './commands.ts'
import { addExample } from './examples.ts'
import { commandNameIn, takeGlobalOptions } from './global-options.ts'

/** Packages contain what these print: the locale of who builds them must not matter. */
const ENGLISH = ['completion', 'man', 'compile']

/** Runs the command that `process.argv` names. Its result is `process.exitCode`. */
export async function runCommandLine(): Promise<void> {
  // Before anything is printed, also by the parser itself.
  if (process.argv.includes('--no-color')) turnColorsOff()

  const program = new Command('portaria')
    .description(
      'Receives the callbacks of a payment institution over mutual TLS, stores them durably, and forwards them.',
    )
    .version(VERSION)

  const name = commandNameIn(process.argv.slice(2))
  if (!ENGLISH.includes(name)) await speak(languageIn(process.argv))
  leaveRemovedFolder()
  // For ps, top and journalctl, which would all say "node".
  process.title = 'portaria'
  for (const command of await loadCommands(name)) program.addCommand(command)
  settle(program)

  // A closed pipe (head, less) is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The gateway runs whether its standard output is read or not.
    if (name === 'serve') return
    if (error.code === 'EPIPE') process.exit(EXIT.good)
    fail(
      new PortariaError('store_unavailable', say`standard output cannot be written: ${{ error: systemWords(error) }}`),
    )
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
}

/** commander does not pass settings on to subcommands. */
function settle(command: Command): void {
  takeGlobalOptions(command)
  addExample(command)
  command.configureHelp(HELP)
  const prefix = severityPrefix()?.('error') ?? ''
  command.exitOverride().showHelpAfterError(prefix + translated('(--help lists commands and options)'))
  command.configureOutput({
    writeOut: (text) => process.stdout.write(helpLines(text)),
    outputError: (text, write) =>
      write(
        translatedLines(text)
          .replace(/^\w+:/, (word) => styled('red', word, process.stderr))
          .replaceAll(/^(?=.)/gm, prefix),
      ),
  })
  for (const child of command.commands) settle(child)
}

/** No thread starts in a folder that was removed. */
function leaveRemovedFolder(): void {
  try {
    process.cwd()
  } catch {
    process.chdir('/')
  }
}
