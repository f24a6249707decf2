import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { TEXTS as SIMULATOR_TEXTS } from '../../../simulator/src/messages/pt/texts.ts'
import { HELP_ENDINGS } from '../../../src/messages/pt/cli/help/endings.ts'
import { TEXTS } from '../../../src/messages/pt/cli/texts.ts'
import { createTranslator } from '../../../src/messages/translator.ts'
import { everyCommand, nameOf } from '../../cli/every-command.ts'

/** The commands of the simulator have texts of their own. */
const translate = createTranslator({ ...SIMULATOR_TEXTS, ...TEXTS })

/** Texts of the help, each with the command that has it. */
async function helpTexts(): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const command of withGroups(await everyCommand())) {
    const described = [command, ...command.registeredArguments, ...command.options]
    const descriptions = described.map((one) =>
      typeof one.description === 'function' ? one.description() : one.description,
    )
    for (const text of [...descriptions, ...endingsOf(command)]) if (text !== '') texts.set(text, nameOf(command))
  }
  return texts
}

function withGroups(commands: readonly Command[]): Set<Command> {
  const all = new Set<Command>()
  for (let command of commands) {
    all.add(command)
    while (command.parent !== null) {
      command = command.parent
      all.add(command)
    }
  }
  return all
}

/** What the help shows below the options, without commands to copy. */
function endingsOf(command: Command): string[] {
  let help = ''
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
  const lines = help.slice(command.helpInformation().length).split('\n')
  const end = lines.indexOf('Example:')
  return lines
    .slice(0, end === -1 ? undefined : end)
    .filter((line) => line.trim() !== '' && !/^( {2}|fish )/.test(line))
}

it('every text of the help is there in Portuguese, and no other', async () => {
  const texts = await helpTexts()
  expect(texts.size).toBeGreaterThan(400)
  expect(
    [...texts].filter(([text]) => translate(text) === text).map(([text, command]) => `${command}: ${text}`),
  ).toEqual([])
  const all = [...texts.keys()].join('\n')
  expect(Object.keys(HELP_ENDINGS).filter((text) => !all.includes(text))).toEqual([])
})
