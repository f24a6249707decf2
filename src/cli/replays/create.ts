import { Command, Option } from 'commander'
import { NEW_REPLAYS, REPLAY_READS } from '../../api/replays/contract.ts'
import type { replayCountView, replayView } from '../../api/replays/view.ts'
import type { RealmFilter } from '../../domain/realm.ts'
import { REPLAY_MODES, type ReplayMode } from '../../domain/replay.ts'
import { given } from '../../platform/given.ts'
import { type Asker, askerOver } from '../asking.ts'
import { withChanger, withLiveCaller } from '../caller.ts'
import { type PeriodOptions, withPeriod } from '../listing/period.ts'
import { type ChangeOption, collect, withRealm, withReason } from '../options.ts'
import { action, EXIT, printResult } from '../output.ts'
import { chosenRemote } from '../remote/chosen.ts'

type View = ReturnType<typeof replayView>
type CountView = ReturnType<typeof replayCountView>

interface CreateOptions extends ChangeOption, PeriodOptions, RealmFilter {
  readonly destination: string
  readonly mode: ReplayMode
  readonly kind?: string[]
  readonly subject?: string
  readonly status?: string
  readonly dryRun?: boolean
  readonly wait: boolean
}

export function createCommand(): Command {
  const command = withPeriod(withReason(new Command('create')), 'received')
    .description(
      'Deliver events again, with their old webhook-ids and after all new events; Ctrl-C does not stop the replay',
    )
    .requiredOption('--destination <name>', 'destination (its filters still apply)')
    .addOption(
      new Option(
        '--mode <mode>',
        'all: every matching event; failed: those whose delivery failed; missing: those that were never delivered',
      )
        .choices(REPLAY_MODES)
        .default('missing'),
    )
    .option('--kind <name>', 'only this kind; may be repeated', collect)
  return withRealm(command)
    .option('--subject <id>', 'only this subject')
    .option('--status <status>', 'only this status')
    .option('--dry-run', 'only count, change nothing')
    .option('--no-wait', 'do not wait until all deliveries are created')
    .option('--json', 'print one JSON object, without progress')
    .action(action(create))
}

async function create(options: CreateOptions): Promise<void> {
  const { destination, mode } = options
  const body = { destination, mode, filter: filterOf(options) }
  if (options.dryRun === true) {
    const counted = await countFor(options, body)
    return printResult(options, counted, textOfCount(counted))
  }
  const { view, isLeft } = await (chosenRemote() === null ? createHere(options, body) : createRemotely(options, body))
  await printResult(options, view, textOf(view, isLeft))
  if (view.state === 'failed' || view.state === 'canceled') process.exitCode = EXIT.no
}

/** @property isLeft to the next start of the gateway, which does not run */
interface Made {
  readonly view: View
  readonly isLeft: boolean
}

async function createHere(options: CreateOptions, body: object): Promise<Made> {
  const made = (await withChanger(options, ({ ask }) => ask(NEW_REPLAYS.createReplay, { body }))) as View
  const { readConfig } = await import('../config-file.ts')
  const { isGatewayRunning, overGateway } = await import('../control-client.ts')
  const config = readConfig(options)
  const isLeft = !(await isGatewayRunning(config))
  const look = async () => {
    const call = await overGateway(config)
    return call && lookWith(askerOver(call), made)
  }
  return { view: isLeft ? made : await followed(made, look, options), isLeft }
}

function createRemotely(options: CreateOptions, body: object): Promise<Made> {
  return withChanger(options, async (changer) => {
    const made = (await changer.ask(NEW_REPLAYS.createReplay, { body })) as View
    return { view: await followed(made, () => lookWith(changer, made), options), isLeft: false }
  })
}

function lookWith({ ask }: Asker, { id }: View): Promise<View> {
  return ask(REPLAY_READS.showReplay, { segments: { id } })
}

async function followed(made: View, look: () => Promise<View | null>, { wait, json }: CreateOptions): Promise<View> {
  if (!wait) return made
  const { followReplay } = await import('./progress.ts')
  return followReplay(made, look, { isQuiet: json === true })
}

function countFor(options: CreateOptions, body: object): Promise<CountView> {
  const asked = { body: { ...body, dryRun: true } }
  return withLiveCaller(options, ({ ask }) => ask(NEW_REPLAYS.createReplay, asked) as Promise<CountView>)
}

function textOfCount({ matched, destinationName, leftOut }: CountView): string {
  const events = matched === 1 ? '1 event' : `${matched} events`
  return `${events} for ${destinationName}\n${textOfLeftOut(leftOut)}`
}

function textOfLeftOut(count: number): string {
  return count === 0 ? '' : `events left out, because their deliveries still wait or are being recorded: ${count}\n`
}

function textOf(view: View, isLeft: boolean): string {
  return `${textOfState(view, isLeft)}${textOfLeftOut(view.leftOut)}`
}

function textOfState({ id, destinationName, state, reason, matched, created }: View, isLeft: boolean): string {
  const events = matched === 1 ? '1 event' : `${matched} events`
  if (isLeft) return `${id}: ${events} for ${destinationName}; it starts with the gateway, which is not running\n`
  if (state === 'running') return `${id}: ${events} for ${destinationName}, in the background\n`
  const made =
    created === 1 ? `1 delivery to ${destinationName} was` : `${created} deliveries to ${destinationName} were`
  return `${id} is ${state}${reason === null ? '' : ` (${reason})`}: ${made} created\n`
}

function filterOf({ kind: kinds, institution, environment, subject, status, from, to }: CreateOptions): object {
  const isoOf = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString())
  return given({ kinds, institution, environment, subject, status, from: isoOf(from), to: isoOf(to) })
}
