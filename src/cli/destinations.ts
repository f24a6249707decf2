import { readFileSync } from 'node:fs'
import { Command, InvalidArgumentError, Option } from 'commander'
import { backlogView, destinationView as view } from '../api/destination-routes.ts'
import { readDuration } from '../config/units.ts'
import { DELIVERY_ORDERS, ON_EXHAUSTED } from '../domain/destination.ts'
import { messageOf, PortariaError } from '../domain/errors.ts'
import { openStoreReader } from '../store/open-store.ts'
import { type Ask, withControl } from './control-client.ts'
import {
  type ConfigOption,
  collect,
  group,
  type ListOptions,
  readConfig,
  wholeNumber,
  withConfig,
  withListing,
} from './options.ts'
import { action, EXIT, print, printable, printLine, tableOf } from './output.ts'

type View = ReturnType<typeof view>
type JsonOption = ConfigOption & { readonly json?: boolean }

export function destinationsCommand(): Command {
  return group('destinations', 'Say where events are forwarded to', [
    createCommand(),
    listCommand(),
    showCommand(),
    changeCommand('pause', 'Stop sending to it; what comes meanwhile is kept for it', 'POST', '/pause'),
    changeCommand('resume', 'Send to it again, what was kept first', 'POST', '/resume'),
    changeCommand('delete', 'Remove it; what it is still owed is canceled', 'DELETE', ''),
    testCommand(),
    statsCommand(),
  ])
}

interface CreateOptions extends JsonOption {
  readonly name?: string
  readonly kind?: string[]
  readonly environment?: string[]
  readonly secretFile?: string
  readonly timeout?: number
  readonly concurrency?: number
  readonly rate?: number
  readonly schedule?: number[]
  readonly order?: string
  readonly onExhausted?: string
  readonly ca?: string
  readonly header?: string[]
}

function createCommand(): Command {
  return withConfig(new Command('create'))
    .description('Make a destination; it gets what comes from now on')
    .argument('<url>', 'https://… (http only into forwarding.allowedNetworks)')
    .option('--name <name>', 'what it is called (default: its host)')
    .option('--kind <name>', 'only this kind; may be repeated (default: every kind but probe and operator)', collect)
    .option('--environment <name>', 'only this environment; may be repeated (default: both)', collect)
    .option('--secret-file <file>', 'file with its secret, whsec_… (default: one is made and shown once)')
    .option('--timeout <ms>', 'time limit of an attempt, in milliseconds', wholeNumber)
    .option('--concurrency <n>', 'attempts at the same time', wholeNumber)
    .option('--rate <n>', 'at most so many deliveries a second', wholeNumber)
    .option('--schedule <waits>', 'waits of its retry schedule, such as 0s,5s,1m (default: forwarding.schedule)', waits)
    .addOption(
      new Option('--order <order>', 'subject: the deliveries of one subject one after the other').choices(
        DELIVERY_ORDERS,
      ),
    )
    .addOption(
      new Option(
        '--on-exhausted <what>',
        'with --order subject: what an exhausted delivery does to its subject',
      ).choices(ON_EXHAUSTED),
    )
    .option('--ca <file>', 'PEM of the authorities that its certificate comes from, in place of the public ones')
    .option('--header <name: value>', 'extra request header; may be repeated', collect)
    .option('--json', 'as one JSON object')
    .action(action(create))
}

async function create(url: string, options: CreateOptions): Promise<void> {
  const body = {
    url,
    name: options.name,
    kinds: options.kind,
    environments: options.environment,
    secret: options.secretFile === undefined ? undefined : readText('--secret-file', options.secretFile).trim(),
    timeoutMs: options.timeout,
    concurrency: options.concurrency,
    rate: options.rate,
    scheduleMs: options.schedule,
    order: options.order,
    onExhausted: options.onExhausted,
    authorities: options.ca === undefined ? undefined : readText('--ca', options.ca),
    headers: options.header === undefined ? undefined : Object.fromEntries(options.header.map(headerOf)),
  }
  const made = await withControl(readConfig(options), (ask) =>
    ask<View & { secret: string }>('POST', '/v1/destinations', body),
  )
  if (options.json === true) return printLine(made)
  const { secret, ...destination } = made
  await print(fieldsOf(destination))
  await print(
    `\nIts secret, to verify signatures with (Standard Webhooks):\n\n  ${secret}\n\nTry it: portaria destinations test ${destination.name}\n`,
  )
}

function readText(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new PortariaError('request_invalid', `${option} ${file} cannot be read: ${messageOf(error)}`, {
      cause: error,
    })
  }
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
  if (colon < 1)
    throw new PortariaError('request_invalid', `--header "${text}" is no header: write it as "name: value"`)
  return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()]
}

function listCommand(): Command {
  return withListing(new Command('list'), 500).description('List destinations').action(action(list))
}

async function list(options: ListOptions): Promise<void> {
  const reader = await openStoreReader(readConfig(options).storage.file)
  try {
    const [destinations, backlog] = await Promise.all([reader.listDestinations(), reader.countBacklog()])
    const views = destinations.slice(0, options.limit).map((d) => ({ ...view(d), ...backlogView(backlog, d.id) }))
    if (options.json === true) {
      for (const destination of views) await printLine(destination)
      return
    }
    const rows = views.map((d) => [
      d.id,
      d.name,
      d.state,
      d.waiting,
      d.kinds?.join(',') ?? 'all',
      d.environments?.join(',') ?? 'both',
      d.blocked,
      d.circuit,
      d.url,
      d.pauseReason,
    ])
    await print(
      rows.length === 0
        ? 'no destinations: make one with portaria destinations create URL\n'
        : tableOf(
            ['id', 'name', 'state', 'waiting', 'kinds', 'environments', 'blocked', 'circuit', 'url', 'why paused'],
            rows,
          ),
    )
  } finally {
    await reader.close()
  }
}

function showCommand(): Command {
  return withConfig(new Command('show'))
    .description('Show one destination')
    .argument('<name>', 'its name or id')
    .option('--secret', 'show its secrets too')
    .option('--json', 'as one JSON object')
    .action(
      action(async (name: string, options: JsonOption & { secret?: boolean }) => {
        const shown = await withControl(readConfig(options), async (ask) => {
          const destination = await ask<View>('GET', pathOf(name))
          const secrets =
            options.secret === true ? await ask<{ secrets: string[] }>('GET', `${pathOf(name)}/secret`) : {}
          return { ...destination, ...secrets }
        })
        await (options.json === true ? printLine(shown) : print(fieldsOf(shown)))
      }),
    )
}

function changeCommand(verb: string, description: string, method: string, suffix: string): Command {
  return withConfig(new Command(verb))
    .description(description)
    .argument('<name>', 'its name or id')
    .option('--json', 'as one JSON object')
    .action(
      action(async (name: string, options: JsonOption) => {
        const changed = await withControl(readConfig(options), (ask: Ask) =>
          ask<View | undefined>(method, `${pathOf(name)}${suffix}`),
        )
        if (options.json === true) await printLine(changed ?? { deleted: name })
        else await print(changed === undefined ? `deleted ${name}\n` : `${changed.name} is ${changed.state}\n`)
      }),
    )
}

interface Tested {
  readonly ok: boolean
  readonly status: number | null
  readonly error: string | null
  readonly durationMs: number
  readonly answer: string
}

function testCommand(): Command {
  return withConfig(new Command('test'))
    .description('Send it a signed test event now, and show its answer')
    .argument('<name>', 'its name or id')
    .option('--json', 'as one JSON object')
    .action(
      action(async (name: string, options: JsonOption) => {
        const tested = await withControl(readConfig(options), (ask) => ask<Tested>('POST', `${pathOf(name)}/test`))
        process.exitCode = tested.ok ? EXIT.good : EXIT.no
        if (options.json === true) return printLine(tested)
        await print(
          `${tested.ok ? 'accepted' : 'failed'}: ${printable(tested.error ?? `HTTP ${tested.status}`)} after ${tested.durationMs} ms\n`,
        )
        if (tested.answer !== '') await print(`${printable(tested.answer.slice(0, 500))}\n`)
      }),
    )
}

function pathOf(name: string): string {
  return `/v1/destinations/${encodeURIComponent(name)}`
}

function fieldsOf(fields: object): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `${name.padEnd(16)}${printable(Array.isArray(value) ? value.join(', ') : String(value))}\n`)
    .join('')
}

interface Stats {
  readonly name: string
  readonly state: string
  readonly circuit: string
  readonly waiting: number
  readonly blocked: number
  readonly oldestWaitingSince: string | null
  readonly attempts: number
  readonly successRate: number | null
  readonly latencyMs: { readonly p50: number | null; readonly p95: number | null; readonly p99: number | null }
}

const STATS_HEADER = [
  'name',
  'state',
  'circuit',
  'waiting',
  'blocked',
  'oldest',
  'attempts',
  'success',
  'p50 ms',
  'p95 ms',
  'p99 ms',
]

function statsCommand(): Command {
  return withListing(new Command('stats'), 500)
    .description(
      'Show how sending goes: state, backlog and its age, success rate and latency of the last 1,000 attempts',
    )
    .argument('[name]', 'only this destination, by name or id')
    .action(action(stats))
}

async function stats(name: string | undefined, options: ListOptions): Promise<void> {
  const all = await withControl(readConfig(options), async (ask) => {
    const listed =
      name === undefined ? (await ask<{ data: View[] }>('GET', '/v1/destinations')).data.map((d) => d.id) : [name]
    return Promise.all(listed.slice(0, options.limit).map((id) => ask<Stats>('GET', `${pathOf(id)}/stats`)))
  })
  if (options.json === true) {
    for (const one of all) await printLine(one)
    return
  }
  const rows = all.map((s) => {
    const success = s.successRate === null ? null : `${Math.round(s.successRate * 1000) / 10} %`
    return [
      s.name,
      s.state,
      s.circuit,
      s.waiting,
      s.blocked,
      s.oldestWaitingSince,
      s.attempts,
      success,
      s.latencyMs.p50,
      s.latencyMs.p95,
      s.latencyMs.p99,
    ]
  })
  await print(rows.length === 0 ? 'no destinations\n' : tableOf(STATS_HEADER, rows))
}
