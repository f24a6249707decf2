import { Command } from 'commander'
import { type ChainFile, chainFilesOf, moveChain } from '../../certificates/trust/chain-folder.ts'
import { activeChains, chainsIn, consequencesOf, type ProposedChain } from '../../certificates/trust/trust-change.ts'
import type { Config } from '../../config/config.ts'
import { realmNamed } from '../../config/institutions.ts'
import { type Realm, trustKeyOf } from '../../domain/realm.ts'
import { problemText } from '../../domain/unused-files.ts'
import { PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { say } from '../../platform/said.ts'
import { readConfig } from '../config-file.ts'
import { reloadGateway } from '../control-client.ts'
import { type ConfigOption, withConfig } from '../options.ts'
import { action, printHint, printText } from '../output.ts'
import { changesText, entryOf, questionOf, type RealmOptions, refusedText, seenPeers, withRealm } from './trust-view.ts'

interface ChangeOptions extends ConfigOption, RealmOptions {
  readonly replace?: boolean
  readonly yes?: boolean
}

const YES = 'proceed even if callers seen in the last 30 days would be refused'

export function activateCommand(): Command {
  return withRealm(withConfig(new Command('activate')))
    .description('Trust a staged or retired chain, in addition to the active chains or instead of them')
    .argument('<name>', 'name of the chain in "trust list"')
    .option('--replace', 'retire all other chains of the environment')
    .option('--yes', YES)
    .action(action(activate))
}

export function retireCommand(): Command {
  return withRealm(withConfig(new Command('retire')))
    .description('Stop trusting a chain and close its callers’ connections; the file is kept under retired/')
    .argument('<name>', 'name of the chain in "trust list"')
    .option('--yes', YES)
    .action(action(retire))
}

async function activate(name: string, options: ChangeOptions): Promise<void> {
  const config = readConfig(options)
  const realm = realmNamed(config, options)
  const { chain } = entryOf(config, realm)
  const waiting = chainToActivate(chain, name)
  const active = chainsIn(chain, 'active')
  const retired = options.replace === true ? active : []
  await announce(config, { realm, ...options }, (staying) => [
    ...(options.replace === true ? [] : staying),
    { file: waiting.file },
  ])
  const moved = moveChain(chain, name, { from: waiting.state, to: 'active' })
  for (const old of retired) moveChain(chain, old.name, { from: 'active', to: 'retired' })
  await reloadAndReport(
    config,
    `the chain ${moved.name} is active${retired.length > 0 ? `; retired: ${retired.map((old) => old.name).join(', ')}` : ''}`,
    { file: moved.file },
  )
}

/** Prefers a staged chain to a retired one. @throws PortariaError if there is neither, or if a chain of that name is active */
function chainToActivate(chain: string, name: string): ChainFile {
  const named = chainFilesOf(chain).filter((file) => file.name === name)
  const found = ['staged', 'active', 'retired'].map((state) => named.find((file) => file.state === state))
  const first = found.find((file) => file !== undefined)
  if (first === undefined)
    throw new PortariaError(
      'not_found',
      say`there is no chain ${{ name }}: "${{ command: COMMAND }} certs trust list" lists them`,
    )
  if (first.state === 'active') throw new PortariaError('conflict', say`the chain ${{ name }} is active already`)
  return first
}

async function retire(name: string, options: ChangeOptions): Promise<void> {
  const config = readConfig(options)
  const realm = realmNamed(config, options)
  const entry = entryOf(config, realm)
  const active = chainsIn(entry.chain, 'active')
  const isStaged = chainsIn(entry.chain, 'staged').some((file) => file.name === name)
  const leaving = active.find((file) => file.name === name)
  if (leaving === undefined) {
    moveChain(entry.chain, name, { from: isStaged ? 'staged' : 'active', to: 'retired' })
    return printText(say`${{ name }} was staged and is retired; the trusted chains did not change`)
  }
  await announce(config, { realm, ...options }, (chains) => {
    const after = chains.filter(({ file }) => file !== leaving.file)
    if (after.length > 0) return after
    throw new PortariaError(
      'conflict',
      say`${{ name }} is the only active chain of ${{ options: realm }}: activate another one first, or remove the entry from ${{ realm: trustKeyOf(realm) }}`,
    )
  })
  moveChain(entry.chain, name, { from: 'active', to: 'retired' })
  await reloadAndReport(config, `the chain ${name} is retired`)
}

/** Prints the changes. @param afterOf the chains that follow the active ones @throws PortariaError if callers would be refused and --yes was not given */
async function announce(
  config: Config,
  { realm, yes = false }: ChangeOptions & { readonly realm: Realm },
  afterOf: (active: readonly ProposedChain[]) => readonly ProposedChain[],
): Promise<void> {
  const now = Date.now()
  const question = await questionOf(config, realm)
  const consequences = consequencesOf(question, afterOf(activeChains(question)), {
    peers: await seenPeers(config, now),
    now,
  })
  await printText(`${changesText(consequences.changes)}\n${refusedText(consequences)}\n`)
  if (consequences.refused.length > 0 && !yes) {
    throw new PortariaError(
      'conflict',
      say`nothing was changed: callers that were seen recently would be refused; add --yes to proceed`,
    )
  }
}

/**
 * Reloads a running gateway, then prints what was done. What is wrong with other files is said, and is no failure of this change.
 * @param file the chain that is to be in use now
 * @throws PortariaError if the gateway could not apply it
 */
export async function reloadAndReport(
  config: Config,
  done: string,
  { file = null, isQuiet = false }: { readonly file?: string | null; readonly isQuiet?: boolean | undefined } = {},
): Promise<void> {
  const reloaded = await reloadGateway(config, done).catch((error: unknown) => {
    if (!(error instanceof PortariaError)) throw error
    throw new PortariaError(error.code, say`${{ done }}; but the running gateway: ${{ message: error.message }}`, {
      cause: error,
      details: error.details,
    })
  })
  const problems = reloaded?.problems ?? []
  const own = problems.filter((one) => one.file !== null && one.file === file)
  if (own.length > 0)
    throw new PortariaError('certificate_invalid', say`${{ done }}; but the running gateway does not use it`, {
      details: own.map(({ problem }) => problem),
    })
  if (isQuiet) return
  await printText(
    `${done}. ${reloaded === null ? 'No gateway is running; it applies at the next start' : 'The running gateway has applied it'}.\n`,
  )
  for (const one of problems) printHint(say`not taken up: ${{ words: problemText(one) }}`)
}
