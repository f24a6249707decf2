import { Command, InvalidArgumentError, Option } from 'commander'
import { DESTINATION_CHANGES } from '../../api/destinations/contract.ts'
import type { destinationView } from '../../api/destinations/view.ts'
import { preciseLocalText } from '../../platform/local-time.ts'
import { say } from '../../platform/said.ts'
import { withChanger, withChanges } from '../caller.ts'
import { type ChangeOption, collect, withReason } from '../options.ts'
import { action, printResult, wrongUsage } from '../output.ts'
import { type SettingOptions, secretOf, settingsOf, withSettings } from './settings.ts'
import { fieldsOf } from './view.ts'

type View = ReturnType<typeof destinationView>

/** Settings with a default, by the options that set them. */
const RESETTABLE = {
  kind: 'kinds',
  institution: 'institutions',
  environment: 'environments',
  subject: 'subjects',
  authentication: 'authentication',
  format: 'format',
  timeout: 'timeoutMs',
  concurrency: 'concurrency',
  'rate-limit': 'rateLimit',
  schedule: 'scheduleMs',
  order: 'order',
  'on-exhausted': 'onExhausted',
  ca: 'authorities',
  header: 'headers',
} as const
type Resettable = keyof typeof RESETTABLE

interface UpdateOptions extends SettingOptions {
  readonly url?: string
  readonly removeHeader?: string[]
  readonly reset?: Resettable[]
}

export function updateCommand(): Command {
  const command = withReason(new Command('update'))
    .description('Change settings of a destination; the others stay as they are')
    .argument('<name>', 'name or id')
    .option('--url <url>', 'new URL')
    .option('--name <name>', 'new name')
  return withSettings(command)
    .option('--remove-header <name>', 'stop sending this header; may be repeated', collect)
    .addOption(
      new Option('--reset <setting>', 'restore the default of this setting; may be repeated')
        .choices(Object.keys(RESETTABLE))
        .argParser(collectKnown),
    )
    .action(action(update))
}

/** Checks the choices itself, because a custom parser replaces the check of `choices`. */
function collectKnown(value: string, earlier: string[] = []): string[] {
  if (Object.hasOwn(RESETTABLE, value)) return collect(value, earlier)
  throw new InvalidArgumentError(`Known are ${Object.keys(RESETTABLE).join(', ')}.`)
}

async function update(name: string, options: UpdateOptions): Promise<void> {
  const changes = changesOf(options, await settingsOf(options))
  if (Object.values(changes).every((value) => value === undefined))
    throw wrongUsage(say`nothing to change: give a setting, such as --url or --timeout`)
  const changed = await withChanges(options, (call) =>
    call<View>('PATCH', `/v1/destinations/${encodeURIComponent(name)}`, changes),
  )
  await printResult(options, changed, fieldsOf(changed))
}

function changesOf(options: UpdateOptions, given: Awaited<ReturnType<typeof settingsOf>>): Record<string, unknown> {
  const { removeHeader = [], reset = [] } = options
  const settings = { url: options.url, ...given }
  const removed = Object.fromEntries(removeHeader.map((header) => [header, null]))
  const headers = removeHeader.length === 0 ? settings.headers : { ...removed, ...settings.headers }
  const resets = Object.fromEntries(reset.map((option) => [RESETTABLE[option], null]))
  const both = reset.find((option) => (settings as Record<string, unknown>)[RESETTABLE[option] ?? ''] !== undefined)
  if (both !== undefined)
    throw wrongUsage(say`--reset ${{ option: both }} contradicts --${{ option: both }}: leave one of them out`)
  return { ...settings, headers, ...resets }
}

interface RotateOptions extends ChangeOption {
  readonly overlap?: string
  readonly secretFile?: string
}

export function rotateCommand(): Command {
  return withReason(new Command('rotate-secret'))
    .description(
      'Replace the signing secret; during the overlap, deliveries carry signatures of the old and the new one',
    )
    .argument('<name>', 'name or id')
    .option('--overlap <time>', 'how long the old secret still signs, such as 24h; 0s: it stops at once (default: 24h)')
    .option('--secret-file <file>', 'file with the new secret, whsec_… (default: generated and shown once)')
    .option('--json', 'print one JSON object')
    .action(action(rotate))
}

async function rotate(name: string, options: RotateOptions): Promise<void> {
  const body = { overlap: options.overlap, secret: secretOf(options.secretFile) }
  const asked = { segments: { id: name }, body }
  const rotated = await withChanger(options, ({ ask }) => ask(DESTINATION_CHANGES.rotateDestinationSecret, asked))
  await printResult(
    options,
    rotated,
    `the new signing secret of ${rotated.name}, for verifying signatures (Standard Webhooks):\n\n  ${rotated.secret}\n\n` +
      `The old secret also signs until ${signsUntil(rotated)}\n`,
  )
}

function signsUntil({ previousSecretUntil }: View): string {
  return previousSecretUntil === null ? 'now' : preciseLocalText(Date.parse(previousSecretUntil))
}
