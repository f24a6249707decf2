import { setTimeout as wait } from 'node:timers/promises'
import { Command } from 'commander'
import type { AnswerOf } from '../../api/http/contract.ts'
import { REMOVALS, STORAGE_STATES } from '../../api/retention/contract.ts'
import type { RemovalCount } from '../../domain/retention.ts'
import type { Asker } from '../asking.ts'
import { withChanger, withLiveCaller } from '../caller.ts'
import { tableOf } from '../listing/table.ts'
import { type ChangeOption, withReason } from '../options.ts'
import { action, EXIT, print, printLine, sizeInWords } from '../output.ts'

type Removal = AnswerOf<typeof STORAGE_STATES.showRemoval>

interface PruneOptions extends ChangeOption {
  readonly dryRun?: boolean
}

const LOOK_EVERY_MS = 200

export function pruneCommand(): Command {
  return withReason(new Command('prune'))
    .description('Remove now what storage.retention no longer keeps; a running gateway does so continuously')
    .option('--dry-run', 'only count, change nothing')
    .option('--json', 'print one JSON object, without progress')
    .action(action(prune))
}

async function prune(options: PruneOptions): Promise<void> {
  const isQuiet = options.json === true
  if (options.dryRun === true) return printCount(options, isQuiet)
  const removed = await withChanger(options, (changer) => pruneToItsEnd(changer, isQuiet))
  await (isQuiet ? printLine(removed) : print(wordsFor(removed)))
  if (removed.state !== 'done') process.exitCode = EXIT.no
}

async function printCount(options: PruneOptions, isQuiet: boolean): Promise<void> {
  const count = await withLiveCaller(options, ({ ask }) => ask(REMOVALS.prune, { body: { dryRun: true } }))
  await (isQuiet ? printLine(count) : print(`${totalOf(count)}only counted, nothing was removed\n`))
}

/** Shows no share of the total: counting first would take as long as pruning. */
async function pruneToItsEnd({ ask }: Asker, isQuiet: boolean): Promise<Removal> {
  let progress = (await ask(REMOVALS.prune, { body: {} })) as Removal
  let shown = ''
  while (progress.state === 'running') {
    await wait(LOOK_EVERY_MS)
    progress = await ask(STORAGE_STATES.showRemoval)
    const words = countWords(progress)
    if (!isQuiet && process.stderr.isTTY && words !== shown) process.stderr.write(`\r\x1b[K${words}`)
    shown = words
  }
  if (!isQuiet && process.stderr.isTTY && shown !== '') process.stderr.write('\r\x1b[K')
  return progress
}

function countWords({ payloads, events }: RemovalCount): string {
  return `the data of ${payloads} events, and ${events} whole events`
}

/** A callback or event that is removed completely is counted for its data too, unless that was removed earlier. */
function totalOf({ payloads, bytes, events, callbacks, kept }: RemovalCount): string {
  const table = tableOf(
    ['', 'rows', 'request bodies'],
    [
      ['data of events', payloads, bytesInWords(bytes)],
      ['whole events', events, null],
      ['whole callbacks', callbacks, null],
      ['total', payloads + events + callbacks, bytesInWords(bytes)],
    ],
  )
  const waiting = `${kept} callbacks are old enough but stay, because a part of them is not finished\n`
  return kept === 0 ? table : `${table}${waiting}`
}

/** Exact below 0.1 MiB, which would be shown as 0.0. */
function bytesInWords(bytes: number): string {
  return bytes < 100_000 ? `${bytes} bytes` : sizeInWords(bytes)
}

function wordsFor(removed: Removal): string {
  if (removed.state === 'done') return `${totalOf(removed)}removed\n`
  const reason = removed.problem ?? 'the gateway is stopping'
  return `${totalOf(removed)}removed so far; then it stopped: ${reason}; the rest is removed later, or by the next prune\n`
}
