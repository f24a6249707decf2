import { Command } from 'commander'
import { findDestination } from '../api/deliveries/destination-lookup.ts'
import { backlogView, statsView, destinationView as view } from '../api/destinations/view.ts'
import type { Config } from '../config/config.ts'
import type { Backlog } from '../domain/delivery.ts'
import { type Destination, signingSecrets } from '../domain/destination.ts'
import { shownUrl } from '../domain/masking/shown-url.ts'
import { numberedId } from '../domain/public-id.ts'
import { PortariaError } from '../platform/errors.ts'
import { COMMAND } from '../platform/installation.ts'
import { queryOf } from './asking.ts'
import { confirm } from './confirm.ts'
import { type ApiCall, askOrRead, getFromGateway, withChanges } from './control-client.ts'
import { rotateCommand, updateCommand } from './destinations/changes.ts'
import { type SettingOptions, secretOf, settingsOf, withSettings } from './destinations/settings.ts'
import { fieldsOf, pathOf } from './destinations/view.ts'
import { type Listing, printList } from './listing/listing.ts'
import { type ChangeOption, group, type ListOptions, withConfig, withListing, withReason } from './options.ts'
import { action, EXIT, printable, printResult } from './output.ts'
import { allOf } from './remote/lists.ts'

type View = ReturnType<typeof view>

export function destinationsCommand(): Command {
  return group('destinations', [
    createCommand(),
    listCommand(),
    showCommand(),
    updateCommand(),
    rotateCommand(),
    changeCommand('pause', 'Stop sending to a destination; its deliveries wait', 'POST', '/pause'),
    changeCommand(
      'resume',
      'Start sending again: new deliveries at once, the backlog at forwarding.catchUpRate',
      'POST',
      '/resume',
    ),
    deleteCommand(),
    testCommand(),
    statsCommand(),
  ])
}

interface CreateOptions extends SettingOptions {
  readonly secretFile?: string
}

function createCommand(): Command {
  const command = withReason(new Command('create'))
    .description('Create a destination; it receives events that are stored from now on')
    .argument('<url>', 'https://… (http only into forwarding.allowedNetworks)')
    .option('--name <name>', 'name of the destination (default: the host of the URL)')
    .option('--secret-file <file>', 'file with the signing secret, whsec_… (default: generated and shown once)')
  return withSettings(command).action(action(create))
}

async function create(url: string, options: CreateOptions): Promise<void> {
  const body = { url, ...settingsOf(options), secret: secretOf(options.secretFile) }
  const made = await withChanges(options, (call) => call<View & { secret: string }>('POST', '/v1/destinations', body))
  const { secret, ...destination } = made
  await printResult(
    options,
    made,
    `${fieldsOf(destination)}\nSigning secret, for verifying signatures (Standard Webhooks):\n\n  ${secret}\n\nTry it: ${COMMAND} destinations test ${destination.name}\n`,
  )
}

function listCommand(): Command {
  return withListing(new Command('list'), 500).description('List destinations').action(action(list))
}

async function list(options: ListOptions): Promise<void> {
  const { limit } = options
  const views = await askOrRead(options, {
    ask: async (call) => {
      const all = await allOf<ListedView>(call, '/v1/destinations', { query: queryOf({}), limit })
      return all.map(masked)
    },
    read: async (reader) => {
      const [destinations, backlog] = await Promise.all([reader.listDestinations(), reader.countBacklog()])
      return destinations.slice(0, limit).map((d) => ({ ...view(d, shownUrl(d.url)), ...backlogView(backlog, d.id) }))
    },
  })
  await printList(views, LISTING, options)
}

type ListedView = View & ReturnType<typeof backlogView>

const LISTING: Listing<ListedView> = {
  header: [
    ...['id', 'name'],
    { name: 'owner', leftOut: 3 },
    ...['state', 'waiting'],
    { name: 'kinds', cut: 'right', leftOut: 5 },
    { name: 'environments', leftOut: 4 },
    { name: 'blocked', leftOut: 2 },
    { name: 'circuit', leftOut: 6 },
    { name: 'origin', leftOut: 1 },
    { name: 'url', cut: 'right' },
    { name: 'why paused', cut: 'right', leftOut: 7 },
  ],
  rowOf: (d) => [
    ...[d.id, d.name, d.owner ?? 'operator', d.state, d.waiting, d.kinds?.join(',') ?? 'all'],
    ...[realmsText(d), d.blocked, d.circuit, d.origin, d.url, d.pauseReason],
  ],
  none: `no destinations; create one with: ${COMMAND} destinations create URL`,
}

/** Such as `sandbox`, `bank-a`, `bank-a/production`. */
function realmsText({ institutions, environments }: View): string {
  if (institutions === null) return environments?.join(',') ?? 'both'
  return institutions.flatMap((name) => environments?.map((one) => `${name}/${one}`) ?? name).join(',')
}

function showCommand(): Command {
  return withConfig(new Command('show'))
    .description('Show one destination')
    .argument('<name>', 'name or id')
    .option('--secret', 'also show the signing secrets, and the values in the query of the URL')
    .option('--json', 'print one JSON object')
    .action(
      action(async (name: string, options: ChangeOption & { secret?: boolean }) => {
        const shown = await askOrRead(options, {
          ask: (call) => askForOne(call, name, options.secret === true),
          read: async (reader) => {
            const destination = await findDestination(reader, name)
            if (options.secret !== true) return view(destination, shownUrl(destination.url))
            const secrets = signingSecrets(destination, Date.now())
            return { ...view(destination, destination.url), secrets }
          },
        })
        await printResult(options, shown, fieldsOf(shown))
      }),
    )
}

async function askForOne(call: ApiCall, name: string, hasSecrets: boolean): Promise<View> {
  const found = await call<View>('GET', pathOf(name))
  if (!hasSecrets) return masked(found)
  return Object.assign(found, await call<object>('GET', `${pathOf(name)}/secret`))
}

/** The API answers who may change the destination with its whole URL. */
function masked<T extends View>(destination: T): T {
  return { ...destination, url: shownUrl(destination.url) }
}

function changeCommand(verb: string, description: string, method: string, suffix: string): Command {
  return withReason(new Command(verb))
    .description(description)
    .argument('<name>', 'name or id')
    .option('--json', 'print one JSON object')
    .action(
      action(async (name: string, options: ChangeOption) => {
        const changed = await withChanges(options, (call: ApiCall) => call<View>(method, `${pathOf(name)}${suffix}`))
        await printResult(options, changed, `${changed.name} is ${changed.state}\n`)
      }),
    )
}

function deleteCommand(): Command {
  return withReason(new Command('delete'))
    .description('Delete a destination and cancel its pending deliveries; a terminal asks first')
    .argument('<name>', 'name or id')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print one JSON object')
    .action(
      action(async (name: string, { yes, ...options }: ChangeOption & { yes?: boolean }) => {
        // A script has no terminal, and has named the destination.
        const isAsked = yes !== true && process.stdin.isTTY
        if (isAsked && !(await confirm(`Delete the destination ${name} and cancel its pending deliveries?`)))
          throw new PortariaError('conflict', 'nothing was changed')
        await withChanges(options, (call: ApiCall) => call<undefined>('DELETE', pathOf(name)))
        await printResult(options, { deleted: name }, `deleted ${name}\n`)
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
  return withReason(new Command('test'))
    .description('Send a signed test event now and show the response')
    .argument('<name>', 'name or id')
    .option('--kind <kind>', 'kind of the event, of those that the destination receives (default: operator)')
    .option('--json', 'print one JSON object')
    .action(
      action(async (name: string, options: ChangeOption & { kind?: string }) => {
        const body = options.kind === undefined ? undefined : { kind: options.kind }
        const tested = await withChanges(options, (call) => call<Tested>('POST', `${pathOf(name)}/test`, body))
        process.exitCode = tested.ok ? EXIT.good : EXIT.no
        const { ok, durationMs, error, status, answer } = tested
        const outcome = `${ok ? 'accepted' : 'failed'} after ${durationMs} ms: ${error ?? `HTTP ${status}`}`
        const lines = answer === '' ? [outcome] : [outcome, answer]
        await printResult(options, tested, lines.map((line) => `${printable(line)}\n`).join(''))
      }),
    )
}

type Stats = ReturnType<typeof statsView>

const STATS: Listing<Stats> = {
  header: [
    ...['name', 'state', 'circuit', 'waiting'],
    { name: 'blocked', leftOut: 4 },
    { name: 'oldest', isTime: true, leftOut: 5 },
    ...['attempts', 'success'],
    { name: 'p50 ms', leftOut: 3 },
    { name: 'p95 ms', leftOut: 1 },
    { name: 'p99 ms', leftOut: 2 },
  ],
  rowOf: ({ name, state, circuit, waiting, blocked, oldestWaitingSince, attempts, successRate, latencyMs }) => {
    const success = successRate === null ? null : `${Math.round(successRate * 1000) / 10} %`
    const { p50, p95, p99 } = latencyMs
    return [name, state, circuit, waiting, blocked, oldestWaitingSince, attempts, success, p50, p95, p99]
  },
  none: 'no destinations',
}

function statsCommand(): Command {
  return withListing(new Command('stats'), 500)
    .description('Show state, backlog and its age, success rate and latency of the last 1,000 attempts')
    .argument('[name]', 'only this destination, by name or id')
    .action(action(stats))
}

async function stats(name: string | undefined, options: ListOptions): Promise<void> {
  const { limit } = options
  const all = await askOrRead(options, {
    async ask(call) {
      const listed = () => allOf<View>(call, '/v1/destinations', { query: queryOf({}), limit })
      const paths = name === undefined ? (await listed()).map(({ id }) => pathOf(id)) : [pathOf(name)]
      return Promise.all(paths.map((path) => call<Stats>('GET', `${path}/stats`)))
    },
    async read(reader, config) {
      const backlog = await reader.countBacklog()
      const destinations =
        name === undefined ? (await reader.listDestinations()).slice(0, limit) : [await findDestination(reader, name)]
      return Promise.all(destinations.map((destination) => statsOf(config, destination, backlog)))
    },
  })
  await printList(all, STATS, options)
}

/** Only a running gateway knows the latest attempts; without one, none are counted. */
async function statsOf(config: Config, destination: Destination, backlog: readonly Backlog[]): Promise<Stats> {
  const path = `${pathOf(numberedId('dst', destination.id))}/stats`
  return (
    (await getFromGateway<Stats>(config, path)) ??
    statsView(destination, { stats: null, node: null, nextProbeAt: null }, backlog)
  )
}
