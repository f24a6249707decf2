import { type Argument, type Command, Help, type Option } from 'commander'
import { translated } from './command-names.ts'

/** The descriptions of a command and of those below it, in the language of the command line. */
export function inLanguage(command: Command): Command {
  command.description(translated(command.description()))
  for (const one of [...command.options, ...command.registeredArguments]) one.description = translated(one.description)
  for (const child of command.commands) inLanguage(child)
  return command
}

/** What commander itself says, in the language of the command line. It does not pass settings on to subcommands. */
export function speakCommander(command: Command): void {
  command
    .exitOverride()
    .helpOption('-h, --help', translated('display help for command'))
    .showHelpAfterError(translated('(--help lists commands and options)'))
    .configureHelp({
      styleTitle: translated,
      styleUsage: withWords,
      styleSubcommandTerm: withWords,
      optionDescription: (option: Option) => withWords(plain.optionDescription(option)),
      argumentDescription: (argument: Argument) => withWords(plain.argumentDescription(argument)),
    })
    .configureOutput({ outputError: (text, write) => write(translated(text)) })
  for (const child of command.commands) speakCommander(child)
}

const plain = new Help()

function withWords(text: string): string {
  return text.replace(/\[options\]|\[command\]|\b(?:choices|default): /g, (word) => translated(word))
}
