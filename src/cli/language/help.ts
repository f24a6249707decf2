import { type Argument, type Command, Help, type HelpConfiguration, type Option } from 'commander'
import { translated } from './language.ts'

const plain = new Help()

/** The help of every command, in the language of the command line. */
export const HELP: HelpConfiguration = {
  commandDescription: (command: Command) => translated(plain.commandDescription(command)),
  subcommandDescription: (command: Command) => translated(plain.subcommandDescription(command)),
  argumentDescription: (argument: Argument) => described(argument, plain.argumentDescription(argument)),
  optionDescription: (option: Option) => {
    const text = described(option, plain.optionDescription(option))
    return option.mandatory ? `${text} ${translated('(required)')}` : text
  },
  styleTitle: translated,
  styleUsage: withWords,
  styleSubcommandTerm: withWords,
}

/** What commander adds in parentheses is no part of the description. */
function described({ description }: Argument | Option, text: string): string {
  const added = text.slice(description.length).replace(/\b(choices|default|preset): /g, (word) => translated(word))
  return translated(description) + added
}

function withWords(usage: string): string {
  return usage.replace(/\[options\]|\[command\]/g, (word) => translated(word))
}
