import type { Command } from 'commander'
import { ACTION_WORDS } from '../../../src/api/contracts.ts'
import { AREAS } from '../../../src/cli/check/finding.ts'
import { FINDING_CODES } from '../../../src/config/finding-codes.ts'
import { PRESETS, readPreset } from '../../../src/config/presets.ts'
import { ALARM_FAILURE_CODES, ALARM_FAILURES } from '../../../src/domain/alarms/failure.ts'
import { NOTICE_TEXTS } from '../../../src/domain/alarms/notices.ts'
import { FORWARDING_TEXTS } from '../../../src/domain/forwarding/forwarding-texts.ts'
import { REASON_CODES, REASON_TEXTS } from '../../../src/domain/overview/reasons.ts'
import { UNPARSED_REASONS } from '../../../src/domain/quarantine.ts'
import { REFUSAL_REASONS } from '../../../src/domain/refusal.ts'
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
    ACTION_WORDS: Object.values(ACTION_WORDS),
    NOTICE_TEXTS: Object.values(NOTICE_TEXTS).flatMap(({ text, nextStep }) => [text, nextStep]),
    UNPARSED_REASONS: Object.values(UNPARSED_REASONS),
    PRESETS: PRESETS.map((name) => readPreset(name).about.chain),
    REFUSAL_REASONS: Object.values(REFUSAL_REASONS),
    ALARM_FAILURES: ALARM_FAILURE_CODES.flatMap((code) => [ALARM_FAILURES[code].text, ALARM_FAILURES[code].nextStep]),
    FORWARDING_TEXTS: Object.values(FORWARDING_TEXTS),
    REASON_TEXTS: REASON_CODES.flatMap((code) => [...formsOf(REASON_TEXTS[code].text), REASON_TEXTS[code].nextStep]),
  }
  return [
    ...Object.entries(tables).flatMap(([place, texts]) =>
      texts.map((text) => ({ text: text.replaceAll(COMMAND, '{command}'), place })),
    ),
    ...Object.entries<LogEventWords>(LOG_EVENTS).flatMap(([event, { fields, meaning, action = '' }]) =>
      [fields, meaning, action].filter(isText).map((text) => ({ text, place: event })),
    ),
    ...REASON_CODES.map((code) => ({ text: REASON_TEXTS[code].text, place: 'REASON_TEXTS', context: 'overview' })),
    { text: 'the clock is not plausible', place: 'src/messages/reasons.ts', context: 'overview' },
    ...['listener', 'writer', 'migrations'].map((context) => ({ text: '{words}', place: 'DETAIL_TEXTS', context })),
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
