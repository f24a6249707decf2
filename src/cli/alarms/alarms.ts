import { Argument, Command, InvalidArgumentError } from 'commander'
import { ALARM_CHANGES, ALARM_READS } from '../../api/alarms/contract.ts'
import { ALARM_CODES } from '../../api/alarms/schema.ts'
import type { AlarmFailureView, AlarmMuteView, AlarmsView } from '../../api/alarms/view.ts'
import { preciseLocalText, readLocalTime } from '../../platform/local-time.ts'
import { say } from '../../platform/said.ts'
import { readDuration } from '../../platform/units.ts'
import { withCaller, withChanger } from '../caller.ts'
import { translated } from '../language/language.ts'
import { type Listing, printList } from '../listing/listing.ts'
import { type ChangeOption, type ConfigOption, remoteGroup, withConfig, withReason } from '../options.ts'
import { action, EXIT, print, printable, printLine, printResult, printText } from '../output.ts'

export function alarmsCommand(): Command {
  return remoteGroup('alarms', [listCommand(), testCommand(), muteCommand(), unmuteCommand()])
}

const CHANNELS: Listing<AlarmsView['channels'][number]> = {
  columns: [
    { name: 'channel', of: 'name' },
    'kind',
    { name: 'failing since', of: 'failingSince' },
    { name: 'error', of: ({ error }) => error && translated(error.text), cut: 'right' },
  ],
  none: 'no channels: the section alarms of the configuration has none',
}

type AlarmView = AlarmsView['alarms'][number]

const ALARMS: Listing<AlarmView> = {
  columns: [
    { name: 'began', of: 'beganAt' },
    { name: 'alarm', of: 'code' },
    'subject',
    { name: 'severity', leftOut: 2 },
    { name: 'ended', of: 'endedAt', leftOut: 1 },
    { name: 'payments', of: ({ waiting }) => waiting && `${waiting.payments}${waiting.more ? '+' : ''}` },
    { name: 'amount', of: ({ waiting }) => waiting?.amount ?? null },
    { name: 'last answer', of: answerText, cut: 'right', leftOut: 3 },
    { name: 'channels', of: ({ channels }) => channels.map(({ name, state }) => `${name}: ${state}`).join(', ') },
  ],
  none: 'no alarms',
}

function answerText({ lastAnswer }: AlarmView): string | null {
  return lastAnswer && (lastAnswer.error === null ? `HTTP ${lastAnswer.status}` : translated(lastAnswer.error))
}

const MUTES: Listing<AlarmMuteView> = {
  columns: [
    { name: 'until', isTime: true },
    'id',
    { name: 'muted', of: 'code' },
    'subject',
    { name: 'by', leftOut: 1 },
    'note',
  ],
  none: 'no mutes',
}

function listCommand(): Command {
  return withConfig(new Command('list'))
    .description('List channels, alarms with what each channel has sent of them, and mutes')
    .option('--json', 'print one JSON object')
    .action(action(list))
}

async function list(options: ConfigOption): Promise<void> {
  const view = await withCaller(options, ({ ask }) => ask(ALARM_READS.listAlarms))
  if (options.json === true) return printLine(view)
  await printList(view.channels, CHANNELS, {})
  for (const { name, error } of view.channels)
    if (error !== null) await printText(`${name}: ${printable(error.nextStep)}\n`)
  await print('\n')
  await printList(view.alarms, ALARMS, {})
  await print('\n')
  await printList(view.mutes, MUTES, {})
}

function testCommand(): Command {
  return withReason(new Command('test'))
    .description('Send a test message now, and say what came of it; the exit code is 1 if a channel failed')
    .argument('[channel]', 'only this channel (default: every one)')
    .option('--json', 'print one JSON object')
    .action(action(test))
}

async function test(channel: string | undefined, options: ChangeOption): Promise<void> {
  const body = channel === undefined ? undefined : { channel }
  const tested = await withChanger(options, ({ ask }) => ask(ALARM_CHANGES.testAlarms, { body }))
  process.exitCode = tested.channels.every(({ sent }) => sent) ? EXIT.good : EXIT.no
  const lines = tested.channels.map(
    ({ name, error }) => `${name}: ${error === null ? translated('sent') : failureText(error)}`,
  )
  await printResult(options, tested, lines.map((line) => `${printable(line)}\n`).join(''))
}

function failureText({ text, nextStep }: AlarmFailureView): string {
  return `${translated('not sent')}: ${translated(text)}; ${translated(nextStep)}`
}

interface MuteOptions extends ChangeOption {
  readonly subject?: string
  readonly until: number
  readonly note?: string
}

function muteCommand(): Command {
  return withReason(new Command('mute'))
    .description('Send nothing of some alarms for a time; the overview shows them nevertheless')
    .addArgument(new Argument('<alarm>', 'code of the alarms, such as circuit_open; all: every one').argParser(aCode))
    .option('--subject <name>', 'only of this destination, kind or the like, as the list shows it')
    .requiredOption(
      '--until <time>',
      'when the mute ends: a time such as "2026-11-22 10:00" (local time), or in how long, such as 2h',
      timeOrSpan,
    )
    .option('--note <text>', 'why, for all who see the mute; no personal data')
    .option('--json', 'print one JSON object')
    .action(action(mute))
}

async function mute(code: string, { subject, until, note, ...options }: MuteOptions): Promise<void> {
  const body = { code, subject, until: new Date(until).toISOString(), note }
  const made = await withChanger(options, ({ ask }) => ask(ALARM_CHANGES.muteAlarms, { body }))
  const what = [made.code, ...(made.subject === null ? [] : [made.subject])].join(' ')
  const ends = preciseLocalText(Date.parse(made.until))
  await printResult(options, made, `${printable(`${made.id}: ${what} is muted until ${ends}`)}\n`)
}

function aCode(text: string): string {
  if (text === 'all' || (ALARM_CODES as readonly string[]).includes(text)) return text
  throw new InvalidArgumentError(`It must be all, or one of: ${ALARM_CODES.join(', ')}.`)
}

function timeOrSpan(text: string): number {
  const span = readDuration(text)
  if ('value' in span) return Date.now() + span.value
  const time = readLocalTime(text)
  if ('value' in time) return time.value
  throw new InvalidArgumentError(`It ${time.problem}, or a span such as 2h.`)
}

function unmuteCommand(): Command {
  return withReason(new Command('unmute'))
    .description('End mutes early: what they have held back and is still open is sent')
    .argument('<id...>', 'one or more mutes, mut_…; stops at the first error')
    .option('--json', 'print one JSON object per line')
    .action(
      action((ids: string[], options: ChangeOption) =>
        withChanger(options, async ({ ask }) => {
          for (const id of ids) {
            await ask(ALARM_CHANGES.unmuteAlarms, { segments: { id } })
            await printResult(options, { unmuted: id }, say`${{ id: printable(id) }} is ended`)
          }
        }),
      ),
    )
}
