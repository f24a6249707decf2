import type { Command } from 'commander'
import { AREAS } from '../../../src/cli/check/finding.ts'
import { FINDING_CODES } from '../../../src/config/finding-codes.ts'
import { ALARM_FAILURE_CODES, ALARM_FAILURES } from '../../../src/domain/alarms/failure.ts'
import { FORWARDING_TEXTS } from '../../../src/domain/forwarding/forwarding-texts.ts'
import { REASON_CODES, REASON_TEXTS } from '../../../src/domain/overview/reasons.ts'
import { REFUSAL_REASONS } from '../../../src/domain/refusal.ts'
import { CHECK_STEPS } from '../../../src/messages/en/check-steps.ts'
import { LOG_EVENTS, type LogEventWords } from '../../../src/messages/en/log-events.ts'
import { COMMAND } from '../../../src/platform/installation.ts'
import { everyCommand, nameOf } from '../../cli/every-command.ts'
import { type SaidText, saidTexts } from './said-texts.ts'

/** The texts of the program that are looked up as they are: those of `say` and of tables. */
export function exactTexts(): SaidText[] {
  return [...saidTexts(), ...textsOfTables()]
}

function textsOfTables(): SaidText[] {
  const tables: Readonly<Record<string, readonly string[]>> = {
    AREAS,
    REFUSAL_REASONS: Object.values(REFUSAL_REASONS),
    ALARM_FAILURES: ALARM_FAILURE_CODES.flatMap((code) => [ALARM_FAILURES[code].text, ALARM_FAILURES[code].nextStep]),
    FORWARDING_TEXTS: Object.values(FORWARDING_TEXTS),
    REASON_TEXTS: REASON_CODES.flatMap((code) => [...formsOf(REASON_TEXTS[code].text), REASON_TEXTS[code].nextStep]),
  }
  return [
    ...Object.entries(tables).flatMap(([place, texts]) =>
      texts.map((text) => ({ text: text.replaceAll(COMMAND, '{command}'), place })),
    ),
    ...Object.entries(CHECK_STEPS).map(([context, text]) => ({ text, place: 'CHECK_STEPS', context })),
    ...Object.entries<LogEventWords>(LOG_EVENTS).flatMap(([event, { fields, meaning, action = '' }]) =>
      [fields, meaning, action].filter(isText).map((text) => ({ text, place: event })),
    ),
    ...FINDING_CODES.map((text) => ({ text, place: 'FINDING_CODES', context: 'finding' })),
  ].filter(({ text }) => text !== '{detail}')
}

/** Names of fields alone are the same in every language. */
function isText(text: string): boolean {
  return /[a-z]/i.test(text.replaceAll(/`[^`]*`/g, ''))
}

/** What is in brackets is left out where no time is known. */
function formsOf(text: string): string[] {
  return [text.replace(/\[.*\]/, ''), text.replace(/\[(.*)\]/, '$1')]
}

/** Few of them have values. */
export async function helpTexts(): Promise<SaidText[]> {
  return [...withGroups(await everyCommand())].flatMap((command) => {
    const described = [command, ...command.registeredArguments, ...command.options].map((one) =>
      typeof one.description === 'function' ? one.description() : one.description,
    )
    const texts = [...described, ...endingsOf(command)].filter((text) => text !== '')
    return texts.map((text) => ({ text, place: `portaria ${nameOf(command)} --help` }))
  })
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
