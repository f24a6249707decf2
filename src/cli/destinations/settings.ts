import { type Command, InvalidArgumentError, Option } from 'commander'
import { AUTHENTICATION_FILTERS, DELIVERY_FORMATS, DELIVERY_ORDERS, ON_EXHAUSTED } from '../../domain/destination.ts'
import { say } from '../../platform/said.ts'
import { readDuration } from '../../platform/units.ts'
import { readOptionText } from '../option-files.ts'
import { type ChangeOption, collect, environments, wholeNumber } from '../options.ts'
import { wrongUsage } from '../output.ts'

/** Settings as the options of `create` and `update` give them. */
export interface SettingOptions extends ChangeOption {
  readonly name?: string
  readonly kind?: string[]
  readonly institution?: string[]
  readonly environment?: string[]
  readonly subject?: string[]
  readonly subjectPrefix?: string[]
  readonly authentication?: string
  readonly format?: string
  readonly timeout?: number
  readonly concurrency?: number
  readonly rateLimit?: number
  readonly schedule?: number[]
  readonly order?: string
  readonly onExhausted?: string
  readonly ca?: string
  readonly header?: string[]
}

export function withSettings(command: Command): Command {
  return command
    .option('--kind <name>', 'only this kind; may be repeated (default: every kind except probe and operator)', collect)
    .option('--institution <name>', 'only this institution; may be repeated (default: all)', collect)
    .option('--environment <name>', 'only this environment; may be repeated (default: both)', environments)
    .option('--subject <subject>', 'only events with this subject; may be repeated (default: every event)', collect)
    .option('--subject-prefix <text>', 'only events whose subject begins with this text; may be repeated', collect)
    .addOption(
      new Option(
        '--authentication <method>',
        'mutual-tls: no events of callbacks that came with a path token (default: any)',
      ).choices(AUTHENTICATION_FILTERS),
    )
    .addOption(
      new Option(
        '--format <format>',
        'original: the request body as received; event: wrapped in JSON of our own',
      ).choices(DELIVERY_FORMATS),
    )
    .option('--timeout <ms>', 'time limit of an attempt, in milliseconds', wholeNumber)
    .option('--concurrency <n>', 'maximum number of attempts at the same time', wholeNumber)
    .option(
      '--rate-limit <n>',
      'maximum deliveries per second; a pause allows a burst of one second’s worth',
      wholeNumber,
    )
    .option('--schedule <waits>', 'waits before each attempt, such as 0s,5s,1m (default: forwarding.schedule)', waits)
    .addOption(
      new Option('--order <order>', 'subject: deliveries of one subject are sent one after the other').choices(
        DELIVERY_ORDERS,
      ),
    )
    .addOption(
      new Option(
        '--on-exhausted <what>',
        'with --order subject: whether an exhausted delivery holds the next ones of its subject',
      ).choices(ON_EXHAUSTED),
    )
    .option('--ca <file>', 'CA certificates for checking its server certificate, PEM (default: the public ones)')
    .option('--header <name: value>', 'extra request header; may be repeated', collect)
    .option('--json', 'print one JSON object')
}

/** Members of a request body; options that were not given are undefined and so left out of the JSON. */
export async function settingsOf(options: SettingOptions) {
  const { readAuthorities } = await import('../caller-files.ts')
  return {
    name: options.name,
    kinds: options.kind,
    institutions: options.institution,
    environments: options.environment,
    subjects: subjectsOf(options),
    authentication: options.authentication,
    format: options.format,
    timeoutMs: options.timeout,
    concurrency: options.concurrency,
    rateLimit: options.rateLimit,
    scheduleMs: options.schedule,
    order: options.order,
    onExhausted: options.onExhausted,
    authorities: options.ca === undefined ? undefined : readAuthorities(options.ca).join(''),
    headers: options.header === undefined ? undefined : Object.fromEntries(options.header.map(headerOf)),
  }
}

function subjectsOf({ subject, subjectPrefix }: SettingOptions) {
  return subject === undefined && subjectPrefix === undefined ? undefined : { exact: subject, prefix: subjectPrefix }
}

export function secretOf(file: string | undefined): string | undefined {
  return file === undefined ? undefined : readOptionText('--secret-file', file).trim()
}

/** `0s,5s,1m` in ms. */
function waits(text: string): number[] {
  return text.split(',').map((wait) => {
    const reading = readDuration(wait.trim())
    if ('problem' in reading) throw new InvalidArgumentError(`${wait} ${reading.problem}.`)
    return reading.value
  })
}

function headerOf(text: string): [string, string] {
  const colon = text.indexOf(':')
  if (colon < 1) throw wrongUsage(say`--header "${{ text }}" is not a header: write it as "name: value"`)
  return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()]
}
