import { parse } from 'node:path'
import { Command } from 'commander'
import { chainFilesOf, stageChain } from '../../certificates/trust/chain-folder.ts'
import {
  certificatesOf,
  consequencesOfActivation,
  consequencesView,
  type ProposedChain,
} from '../../certificates/trust/trust-change.ts'
import type { Config } from '../../config/config.ts'
import { realmNamed } from '../../config/institutions.ts'
import { optionsOf, partsOf, type Realm } from '../../domain/realm.ts'
import type { Activation } from '../../domain/trust.ts'
import { COMMAND } from '../../platform/installation.ts'
import { readConfig } from '../config-file.ts'
import { translated } from '../language/language.ts'
import { type ConfigOption, withConfig } from '../options.ts'
import { action, printResult } from '../output.ts'
import { changesText, entryOf, questionOf, type RealmOptions, refusedText, seenPeers, withRealm } from './trust-view.ts'

interface StagingOptions extends ConfigOption, RealmOptions {
  readonly name?: string
}

export function stageCommand(): Command {
  return withRealm(withConfig(new Command('stage')))
    .description(
      'Check a chain, store it as staged, and list the callers that would be refused if it replaced the active chains',
    )
    .argument('<file...>', 'the chain up to its root, PEM: one file, or several in any order')
    .option('--name <name>', 'name of the chain (default: the first file’s name)')
    .option('--json', 'print one JSON object')
    .action(action(stage))
}

export function diffCommand(): Command {
  return withRealm(withConfig(new Command('diff')))
    .description(
      'Show what would change if a chain replaced the active chains, and which callers would be refused; changes nothing',
    )
    .argument('<chain>', 'a PEM file, or the name of a chain in "trust list"')
    .option('--json', 'print one JSON object')
    .action(action(diff))
}

async function stage(files: string[], options: StagingOptions): Promise<void> {
  const config = readConfig(options)
  const realm = realmNamed(config, options)
  const name = options.name ?? parse(files[0] ?? '').name
  const pem = files.map((file) => chainText({ file })).join('')
  const difference = await differenceOf(config, realm, { file: files.join(', '), pem }, 'instead')
  const staged = stageChain(entryOf(config, realm).chain, name, pem)
  await printResult(
    options,
    { ...staged, ...partsOf(realm), ...difference.view },
    `${difference.text}\nStaged as ${staged.name} (${staged.file}); nothing is trusted yet. Next:\n\n` +
      `  ${COMMAND} certs trust activate ${name} ${optionsOf(realm)}             # ${translated('in addition to the active chains')}\n` +
      `  ${COMMAND} certs trust activate ${name} ${optionsOf(realm)} --replace   # ${translated('instead of them')}\n`,
  )
}

async function diff(chain: string, options: StagingOptions): Promise<void> {
  const config = readConfig(options)
  const realm = realmNamed(config, options)
  const named = chainFilesOf(entryOf(config, realm).chain).find(({ name }) => name === chain)
  const file = named?.file ?? chain
  const difference = await differenceOf(config, realm, { file }, 'instead')
  await printResult(options, { ...partsOf(realm), ...difference.view }, difference.text)
}

/** Only the certificates: other content of the file, such as a private key, is not copied. */
export function chainText(chain: ProposedChain): string {
  return certificatesOf([chain]).map(String).join('')
}

function comparedWith(active: number, realm: Realm, activation: Activation): string {
  if (active === 0) return `No chain of ${realm} can be used yet; with this one:`
  const chains = `the active ${active === 1 ? 'chain' : `${active} chains`} of ${realm}`
  return activation === 'instead'
    ? `Instead of ${chains}:`
    : `Beside ${chains}, which stay${active === 1 ? 's' : ''} active:`
}

/** The certificates that the chain adds or removes, and the callers that would be refused. */
export async function differenceOf(config: Config, realm: Realm, chain: ProposedChain, activation: Activation) {
  const now = Date.now()
  const seen = { activation, peers: await seenPeers(config, now), now }
  const consequences = consequencesOfActivation(await questionOf(config, realm), chain, seen)
  const compared = comparedWith(consequences.compared, realm, activation)
  return {
    view: consequencesView(consequences),
    text: `${compared}\n\n${changesText(consequences.changes)}\n${refusedText(consequences)}`,
  }
}
