import type { Command } from 'commander'
import { packageFile } from '../messages/program-files.ts'
import { conformanceCommand, simulatorCommand, triggerCommand } from './command.ts'
import { translated } from './command-names.ts'
import { inLanguage, speakCommander } from './help-language.ts'

const EXAMPLES = [
  ['portaria-simulator', 'start the simulated service'],
  ['portaria-simulator conformance https://HOST:PORT/PATH', 'judge my receiver'],
  ['portaria-simulator trigger payment LIQUIDADO --to https://HOST:PORT/PATH', 'send it one callback'],
] as const

/** The program without a gateway: the simulated service, and the commands that call any receiver. */
export function standaloneCommand(): Command {
  const { version } = JSON.parse(packageFile('package.json')) as { version: string }
  const examples = EXAMPLES.map(([line, what]) => `  ${line}\n      ${translated(what)}`)
  const command = simulatorCommand()
    .name('portaria-simulator')
    .version(version, '--version', 'output the version number')
    .description(
      'A payment service, simulated, to write software without a contract, and a judge of receivers of its callbacks; never for production',
    )
    .addCommand(conformanceCommand())
    .addCommand(triggerCommand(null))
    .addHelpText('after', `\n${translated('Examples:')}\n${examples.join('\n')}`)
  speakCommander(inLanguage(command))
  return command
}
