import type { Argument, Command, Help, Option } from 'commander'
import { exampleOf } from './examples.ts'

/** A command as its help shows it, for texts that are made from all of them. */
export interface CommandNode {
  /** Behind `portaria`; empty: the program itself. */
  readonly words: readonly string[]
  readonly description: string
  readonly usage: string
  readonly arguments: readonly (ValueNode & { readonly description: string })[]
  readonly options: readonly OptionNode[]
  readonly children: readonly CommandNode[]
  /** Without the word that starts the program; null: a group has none of its own. */
  readonly example: string | null
}

export interface OptionNode {
  readonly flags: string
  /** Such as `--limit`. */
  readonly long: string
  readonly description: string
  /** null: it takes none. */
  readonly value: ValueNode | null
}

interface ValueNode {
  readonly name: string
  /** Empty: anything. */
  readonly choices: readonly string[]
  readonly isFile: boolean
}

const FILES = ['file', 'folder', 'dir']

/** The whole tree of which the command is a part. `loadCommands` must have loaded all of it. */
export function treeOf(command: Command): CommandNode {
  return command.parent === null ? nodeOf(command, []) : treeOf(command.parent)
}

function nodeOf(command: Command, words: readonly string[]): CommandNode {
  const help = command.createHelp()
  return {
    words,
    description: command.description(),
    usage: help.commandUsage(command),
    arguments: help.visibleArguments(command).map((argument) => argumentOf(argument, help)),
    options: help.visibleOptions(command).map((option) => optionOf(option, help)),
    // commander adds `help` to each group, beside --help.
    children: command.commands.map((child) => nodeOf(child, [...words, child.name()])),
    example: exampleOf(command),
  }
}

function argumentOf(argument: Argument, help: Help): CommandNode['arguments'][number] {
  const { argChoices: choices = [] } = argument
  const description = help.argumentDescription(argument)
  return { name: argument.name(), choices, isFile: FILES.includes(argument.name()), description }
}

function optionOf(option: Option, help: Help): OptionNode {
  const { flags, argChoices: choices = [] } = option
  const name = /[<[](.+)[>\]]/.exec(flags)?.[1] ?? null
  const value = name === null ? null : { name, choices, isFile: FILES.includes(name) }
  return { flags, long: option.long ?? flags, description: help.optionDescription(option), value }
}

/** The command and all below it. */
export function withDescendants(node: CommandNode): CommandNode[] {
  return [node, ...node.children.flatMap(withDescendants)]
}
