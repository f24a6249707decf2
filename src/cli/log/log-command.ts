import { Command, Option } from 'commander'
import { languageInUse } from '../language/language.ts'
import { withFrom } from '../listing/period.ts'
import { action, print, printable, printLine } from '../output.ts'
import { logLines } from './log-lines.ts'
import { readMeanings } from './meanings.ts'
import { explainedEvent, type LoggedEvent } from './readable-log.ts'

/** The most severe one first. */
const LEVELS = ['error', 'warn', 'info', 'debug'] as const
const DAY_MS = 86_400_000

interface LogOptions {
  readonly file?: string
  readonly from?: number
  readonly follow?: boolean
  readonly level: (typeof LEVELS)[number]
  readonly json?: boolean
}

export function logCommand(): Command {
  const command = new Command('log')
    .option('--file <file>', 'read the lines of this file, or of standard input (-), not those of the journal')
    .option('--follow', 'wait for new lines, until Ctrl-C')
    .addOption(new Option('--level <level>', 'only events that are as severe as this').choices(LEVELS).default('debug'))
    .option('--json', 'print one JSON object per line')
  return withFrom(command, 'only events from this time on, or an age such as 2h (default: 1d, of a file all)').action(
    action(readLog),
  )
}

async function readLog({ file, from, follow = false, level, json = false }: LogOptions): Promise<void> {
  // Programs get the English ones.
  const meanings = readMeanings(json ? 'en' : languageInUse())
  const wanted: readonly string[] = LEVELS.slice(0, LEVELS.indexOf(level) + 1)
  const hasColors = process.stdout.isTTY && process.stdout.hasColors()
  for await (const line of logLines({ file, since: from ?? Date.now() - DAY_MS, follow })) {
    const logged = eventIn(line)
    // Also of a file with the output of others: such a line may be why the gateway ended.
    if (logged === null) await (json ? printLine({ text: line }) : print(`${printable(line)}\n`))
    else if (wanted.includes(logged.level) && Date.parse(logged.time) >= (from ?? 0)) {
      const meaning = meanings.get(logged.event) ?? null
      await (json ? printLine({ ...logged, meaning }) : print(explainedEvent(logged, meaning, hasColors)))
    }
  }
}

/** null: the line is no event of the gateway */
function eventIn(line: string): LoggedEvent | null {
  if (!line.startsWith('{')) return null
  try {
    const logged = JSON.parse(line) as Partial<LoggedEvent>
    const { time, level, event } = logged
    const isEvent =
      [time, level, event].every((text) => typeof text === 'string') && !Number.isNaN(Date.parse(time ?? ''))
    return isEvent ? (logged as LoggedEvent) : null
  } catch {
    return null
  }
}
