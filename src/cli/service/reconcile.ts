import { setTimeout as wait } from 'node:timers/promises'
import { Command } from 'commander'
import { RECONCILE_READS, RECONCILE_RUNS } from '../../api/reconcile/contract.ts'
import type { ReconcileRunView } from '../../api/reconcile/view.ts'
import type { Config } from '../../config/config.ts'
import { isInRealm, type RealmFilter, realmOf } from '../../domain/realm.ts'
import { PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { nameOfDatabase } from '../../platform/postgres/postgres-address.ts'
import { say } from '../../platform/said.ts'
import { iso } from '../../platform/time.ts'
import { type Asker, askerOver } from '../asking.ts'
import { withChanger } from '../caller.ts'
import { readConfig } from '../config-file.ts'
import { overGateway, withReasonOf } from '../control-client.ts'
import { translated } from '../language/language.ts'
import { timeOrAge } from '../listing/period.ts'
import { type ChangeOption, withRealm, withReason } from '../options.ts'
import { action, EXIT, printHint, printResult, sectionOf } from '../output.ts'
import { createProgress, type Screen } from '../progress.ts'
import { chosenRemote } from '../remote/chosen.ts'

interface ReconcileFlags extends ChangeOption, RealmFilter {
  readonly since?: number
  readonly dryRun?: boolean
}

const LOOK_EVERY_MS = 500

export function reconcileCommand(): Command {
  const command = withReason(new Command('reconcile'))
    .description('Make the running gateway ask the service for what callbacks did not tell')
    .option(
      '--since <time>',
      'ask only for subjects that became known since then: a date such as 2026-11-22, or an age such as 7d',
      timeOrAge,
    )
  return withRealm(command)
    .option('--dry-run', 'ask, and spend budget, but store nothing')
    .option('--json', 'print one JSON object, without progress')
    .addHelpText(
      'after',
      '\nExit code: 0 every question was answered, ids that the service does not know included; 1 a question failed.',
    )
    .action(action(reconcile))
}

async function reconcile(flags: ReconcileFlags): Promise<void> {
  const { since, institution, environment, dryRun = false, json = false } = flags
  const wanted = { institution, environment, dryRun, ...(since !== undefined && { since: iso(since) }) }
  const run = await withRunning(flags, async (asker) => {
    const started = await asker.ask(RECONCILE_RUNS.startReconcile, { body: wanted })
    if (!isAsWanted(started, wanted))
      printHint(say`another run goes on since ${{ time: started.beganAt }}: this is its outcome`)
    return follow(asker, started, json ? () => undefined : runProgress(process.stderr))
  })
  await printResult(flags, run, run.environments.map(sectionFor).join('\n') || `${NOTHING}\n`)
  for (const hint of hintsFor(run)) printHint(hint)
  if (run.state !== 'done' || run.environments.some(({ failed }) => failed > 0)) process.exitCode = EXIT.no
}

const NOTHING = 'nothing is reconciled: config/portaria.yaml shows service[].reconcile'

type Wanted = RealmFilter & { readonly since?: string; readonly dryRun: boolean }

function isAsWanted(run: ReconcileRunView, { since, dryRun, ...realms }: Wanted): boolean {
  const isWithin = run.environments.every((one) => isInRealm(realms, realmOf(one.institution, one.environment)))
  return run.dryRun === dryRun && run.since === (since ?? null) && isWithin
}

/** With the running gateway of this machine, or the API of another. @throws PortariaError `conflict` where none runs */
function withRunning<T>(flags: ReconcileFlags, use: (asker: Asker) => Promise<T>): Promise<T> {
  if (chosenRemote() !== null) return withChanger(flags, use)
  const config = readConfig(flags)
  const ask = withReasonOf(flags.reason, async (...request) => {
    const call = await overGateway(config)
    if (call === null) throw notRunning(config)
    return call(...request)
  })
  return use(askerOver(ask))
}

/** Until the run ends. @throws PortariaError `conflict` where the gateway stops before it */
async function follow(
  { ask }: Asker,
  started: ReconcileRunView,
  show: (run: ReconcileRunView) => void,
): Promise<ReconcileRunView> {
  let run = started
  show(run)
  while (run.state === 'running') {
    await wait(LOOK_EVERY_MS)
    const next = (await ask(RECONCILE_READS.showReconcile)).run
    if (next?.id !== run.id)
      throw new PortariaError(
        'conflict',
        say`the gateway stopped, or began another run: the outcome of this one is unknown`,
      )
    run = next
    show(run)
  }
  return run
}

function notRunning({ storage }: Config): PortariaError {
  return new PortariaError(
    'conflict',
    say`no gateway runs with the database ${{ database: nameOfDatabase(storage.database) }}, and only a running one asks the service: start it (${{ command: COMMAND }} serve)`,
  )
}

function runProgress(screen: Screen): (run: ReconcileRunView) => void {
  const show = createProgress(screen)
  return function showRun({ state, environments }) {
    const sum = (name: 'asked' | 'planned' | 'found') => environments.reduce((all, one) => all + one[name], 0)
    const [asked, planned] = [sum('asked'), sum('planned')]
    const share = planned === 0 ? 0 : Math.min(asked / planned, 1)
    show({ share, words: `${asked} of ${planned} questions, ${sum('found')} found`, isEnded: state !== 'running' })
  }
}

function sectionFor(one: ReconcileRunView['environments'][number]): string {
  return sectionOf(realmOf(one.institution, one.environment), [
    ['subjects', String(one.subjects)],
    ['questions', translated(say`${{ seen: one.asked }} of ${{ total: one.planned }}`)],
    ['missed states', String(one.found)],
    ['unknown ids', String(one.unknown)],
    ['openings', translated(say`${{ count: one.undecided }} that wait or were refused`)],
    ['not named', String(one.unnamed)],
    ['failed', String(one.failed)],
  ])
}

function hintsFor({ dryRun, state, environments }: ReconcileRunView): string[] {
  const failures = environments.flatMap(({ institution, environment, problem }) =>
    problem === null ? [] : [`${realmOf(institution, environment)}: ${problem}`],
  )
  const left = environments.reduce((all, one) => all + one.left, 0)
  return [
    ...failures,
    ...(left === 0 ? [] : [`${left} questions are left: a budget is used up, or the service is away`]),
    ...(state === 'failed' ? ['the run could not go on: the log of the gateway has the reason'] : []),
    ...(dryRun ? ['only asked: nothing was stored'] : []),
  ]
}
