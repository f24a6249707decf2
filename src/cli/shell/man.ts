import { Command } from 'commander'
import { VERSION } from '../../platform/version.ts'
import { action, print } from '../output.ts'
import { type CommandNode, type OptionNode, treeOf, withDescendants } from '../program/command-tree.ts'

export function manCommand(): Command {
  return new Command('man').action(action((_options: object, command: Command) => print(manualOf(treeOf(command)))))
}

/** portaria(1) in roff, with the macros of man(7). */
function manualOf(program: CommandNode): string {
  const [, ...commands] = withDescendants(program)
  return [
    `.TH PORTARIA 1 "" "portaria ${VERSION}" "Portaria"`,
    // A hyphen at the end of a line would be copied.
    '.nh',
    '.SH NAME',
    `portaria \\- ${escaped('gateway for the callbacks of a payment institution')}`,
    '.SH SYNOPSIS',
    `.B portaria`,
    `[\\fIoptions\\fR] \\fIcommand\\fR`,
    '.SH DESCRIPTION',
    escaped(program.description),
    ...entriesOf(program.options),
    '.SH COMMANDS',
    ...commands.flatMap((node) => sectionOf(node, program.options)),
    '.SH EXIT STATUS',
    ...entry('0', 'Success.'),
    ...entry('1', 'The answer is no, or a failure.'),
    ...entry('2', 'Wrong usage.'),
    '.SH ENVIRONMENT',
    ...entry('PORTARIA_CONFIG', 'The configuration file, where no option names one.'),
    ...entry('NO_COLOR', 'No colors in a terminal.'),
    ...entry('COLUMNS', 'The width of tables in a terminal.'),
    ...entry('TZ', 'The time zone of times without an offset.'),
    '',
  ].join('\n')
}

/** @param common options of every command, described once */
function sectionOf({ example, ...node }: CommandNode, common: readonly OptionNode[]): string[] {
  return [
    `.SS ${escaped(node.usage)}`,
    escaped(node.description),
    ...node.arguments
      .filter(({ description }) => description !== '')
      .flatMap((one) => entry(one.name, one.description)),
    ...entriesOf(node.options.filter(({ long }) => !common.some((one) => one.long === long))),
    ...(example === null ? [] : ['.PP', 'Example:', '.PP', '.nf', escaped(`  portaria ${example}`), '.fi']),
  ]
}

function entriesOf(options: readonly OptionNode[]): string[] {
  return options.flatMap(({ flags, description }) => entry(flags, description))
}

function entry(term: string, description: string): string[] {
  return ['.TP', `\\fB${escaped(term)}\\fR`, escaped(description)]
}

/** Characters that roff reads as commands, or prints as others: a copied option must keep its signs. */
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\(rs',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '"': '\\(dq',
}

function escaped(text: string): string {
  const signs = text.replaceAll(/[\\'`^~"-]/g, (sign) => ESCAPES[sign] ?? sign)
  return signs.startsWith('.') ? `\\&${signs}` : signs
}
