import { Command } from 'commander'
import { DESTINATION_CHANGES, DESTINATION_READS } from '../api/destinations/contract.ts'
import type { AnswerOf } from '../api/http/contract.ts'
import { shownUrl } from '../domain/masking/shown-url.ts'
import { PortariaError } from '../platform/errors.ts'
import { COMMAND } from '../platform/installation.ts'
import { say } from '../platform/said.ts'
import type { Asker } from './asking.ts'
import { withCaller, withChanger, withChanges, withLiveCaller } from './caller.ts'
import { rotateCommand, updateCommand } from './destinations/changes.ts'
import { type SettingOptions, secretOf, settingsOf, withSettings } from './destinations/settings.ts'
import { fieldsOf } from './destinations/view.ts'
import { type Listing, printList } from './listing/listing.ts'
import { type ChangeOption, type ListOptions, remoteGroup, withConfig, withListing, withReason } from './options.ts'
import { action, EXIT, printable, printResult } from './output.ts'
import { changes } from './plain-actions.ts'
import { allListed, type ItemOf } from './remote/lists.ts'

type View = AnswerOf<typeof DESTINATION_READS.showDestination>

export function destinationsCommand(): Command {
  return remoteGroup('destinations', [
    createCommand(),
    listCommand(),
    showCommand(),
    updateCommand(),
    rotateCommand(),
    changeCommand('pause', 'Stop sending to a destination; its deliveries wait'),
    changeCommand('resume', 'Start sending again: new deliveries at once, the backlog at forwarding.catchUpRate'),
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
  const body = { url, ...(await settingsOf(options)), secret: secretOf(options.secretFile) }
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
  await withCaller(options, async (caller) => {
    const views = await allListed(caller, DESTINATION_READS.listDestinations, options)
    await printList(views.map(masked), LISTING, options)
  })
}

type ListedView = ItemOf<typeof DESTINATION_READS.listDestinations>

const LISTING: Listing<ListedView> = {
  columns: [
    ...(['id', 'name'] as const),
    { name: 'owner', of: ({ owner }) => owner ?? 'operator', leftOut: 3 },
    ...(['state', 'waiting'] as const),
    { name: 'kinds', of: ({ kinds }) => kinds?.join(',') ?? 'all', cut: 'right', leftOut: 5 },
    { name: 'environments', of: realmsText, leftOut: 4 },
    { name: 'blocked', leftOut: 2 },
    { name: 'circuit', leftOut: 6 },
    { name: 'origin', leftOut: 1 },
    { name: 'url', cut: 'right' },
    { name: 'why paused', of: 'pauseReason', cut: 'right', leftOut: 7 },
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
        const shown = await withCaller(options, (caller) => askForOne(caller, name, options.secret === true))
        await printResult(options, shown, fieldsOf(shown))
      }),
    )
}

async function askForOne({ ask }: Asker, name: string, hasSecrets: boolean): Promise<View> {
  const one = { segments: { id: name } }
  const found = await ask(DESTINATION_READS.showDestination, one)
  if (!hasSecrets) return masked(found)
  return Object.assign({ ...found }, await ask(DESTINATION_READS.showDestinationSecret, one))
}

/** The API answers who may change the destination with its whole URL. */
function masked<T extends View>(destination: T): T {
  return { ...destination, url: shownUrl(destination.url) }
}

function changeCommand(verb: 'pause' | 'resume', description: string): Command {
  const contract = DESTINATION_CHANGES[`${verb}Destination`]
  return withReason(new Command(verb))
    .description(description)
    .argument('<name>', 'name or id')
    .option('--json', 'print one JSON object')
    .action(changes(contract, ({ name, state }) => `${name} is ${state}\n`))
}

function deleteCommand(): Command {
  return withReason(new Command('delete'))
    .description('Delete a destination and cancel its pending deliveries; a terminal asks first')
    .argument('<name>', 'name or id')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print one JSON object')
    .action(
      action(async (name: string, { yes, ...options }: ChangeOption & { yes?: boolean }) => {
        const { confirm } = await import('./confirm.ts')
        // A script has no terminal, and has named the destination.
        const isAsked = yes !== true && process.stdin.isTTY
        if (isAsked && !(await confirm(say`Delete the destination ${{ name }} and cancel its pending deliveries?`)))
          throw new PortariaError('conflict', say`nothing was changed`)
        await withChanger(options, ({ ask }) => ask(DESTINATION_CHANGES.deleteDestination, { segments: { id: name } }))
        await printResult(options, { deleted: name }, say`deleted ${{ name }}`)
      }),
    )
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
        const asked = { segments: { id: name }, body }
        const tested = await withChanger(options, ({ ask }) => ask(DESTINATION_CHANGES.testDestination, asked))
        process.exitCode = tested.ok ? EXIT.good : EXIT.no
        const { ok, durationMs, error, status, answer } = tested
        const outcome = `${ok ? 'accepted' : 'failed'} after ${durationMs} ms: ${error ?? `HTTP ${status}`}`
        const lines = answer === '' ? [outcome] : [outcome, answer]
        await printResult(options, tested, lines.map((line) => `${printable(line)}\n`).join(''))
      }),
    )
}

type Stats = AnswerOf<typeof DESTINATION_READS.showDestinationStats>

const STATS: Listing<Stats> = {
  columns: [
    ...(['name', 'state', 'circuit', 'waiting'] as const),
    { name: 'blocked', leftOut: 4 },
    { name: 'oldest', of: 'oldestWaitingSince', leftOut: 5 },
    'attempts',
    { name: 'success', of: successText },
    { name: 'p50 ms', of: ({ latencyMs }) => latencyMs.p50, leftOut: 3 },
    { name: 'p95 ms', of: ({ latencyMs }) => latencyMs.p95, leftOut: 1 },
    { name: 'p99 ms', of: ({ latencyMs }) => latencyMs.p99, leftOut: 2 },
  ],
  none: 'no destinations',
}

function successText({ successRate }: Stats): string | null {
  return successRate === null ? null : `${Math.round(successRate * 1000) / 10} %`
}

function statsCommand(): Command {
  return withListing(new Command('stats'), 500)
    .description('Show state, backlog and its age, success rate and latency of the last 1,000 attempts')
    .argument('[name]', 'only this destination, by name or id')
    .action(action(stats))
}

async function stats(name: string | undefined, options: ListOptions): Promise<void> {
  const all = await withLiveCaller(options, async (asker) => {
    const { listDestinations, showDestinationStats } = DESTINATION_READS
    const ids = name === undefined ? (await allListed(asker, listDestinations, options)).map(({ id }) => id) : [name]
    return Promise.all(ids.map((id) => asker.ask(showDestinationStats, { segments: { id } })))
  })
  await printList(all, STATS, options)
}
