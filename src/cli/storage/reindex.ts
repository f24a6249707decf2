import { setTimeout as wait } from 'node:timers/promises'
import { Command } from 'commander'
import { SEARCH_CHANGES, SEARCH_READS } from '../../api/search/contract.ts'
import type { SearchStateView } from '../../api/search/endpoints.ts'
import { PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { say } from '../../platform/said.ts'
import type { Asker } from '../asking.ts'
import { withChanger } from '../caller.ts'
import { readConfig } from '../config-file.ts'
import { isGatewayRunning } from '../control-client.ts'
import { type ChangeOption, withReason } from '../options.ts'
import { action, EXIT, printLine, printText, sizeInWords } from '../output.ts'
import { createProgress, type Screen } from '../progress.ts'
import { chosenRemote } from '../remote/chosen.ts'

const LOOK_EVERY_MS = 200

export function reindexCommand(): Command {
  return withReason(new Command('reindex'))
    .description('Make the search index again from the stored events; after Ctrl-C a running gateway continues with it')
    .option('--json', 'print one JSON object, without progress')
    .action(action(reindex))
}

async function reindex(options: ChangeOption): Promise<void> {
  const isQuiet = options.json === true
  const interruption = untilInterrupted()
  const { state, isDone } = await withChanger(options, (changer) =>
    followToItsEnd(changer, isQuiet, interruption.signal),
  )
  interruption.stop()
  if (isQuiet) await printLine(state)
  else await printText(isDone ? doneWords(state) : interruptedWords(state, await isRunning(options)))
  if (!isDone) process.exitCode = EXIT.no
}

async function isRunning(options: ChangeOption): Promise<boolean> {
  return chosenRemote() !== null || isGatewayRunning(readConfig(options))
}

interface Followed {
  readonly state: SearchStateView
  /** false: interrupted. */
  readonly isDone: boolean
}

/** @throws PortariaError while the index cannot be made */
async function followToItsEnd({ ask }: Asker, isQuiet: boolean, signal: AbortSignal): Promise<Followed> {
  const show = isQuiet ? () => undefined : reindexProgress(process.stderr)
  let state = await ask(SEARCH_CHANGES.reindex)
  const { latest } = state
  const isDone = () => !state.isRebuilding && state.indexedThrough >= latest
  for (;;) {
    show(state, isDone())
    if (isDone() || signal.aborted) return { state, isDone: isDone() }
    if (state.problem !== null)
      throw new PortariaError(
        'store_unavailable',
        say`the search index cannot be made now: ${{ problem: state.problem }}`,
      )
    await wait(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined)
    state = await ask(SEARCH_READS.showSearch)
  }
}

export function reindexProgress(screen: Screen): (state: SearchStateView, isEnded: boolean) => void {
  const show = createProgress(screen)
  return function showState({ rebuiltThrough, indexedThrough, latest }, isEnded) {
    const through = rebuiltThrough ?? indexedThrough
    const share = isEnded || latest === 0 ? 1 : Math.min(through / latest, 1)
    show({ share, words: `indexed up to position ${isEnded ? indexedThrough : through} of ${latest}`, isEnded })
  }
}

/** In place of the end of the process, so that its last state is printed. */
function untilInterrupted(): { readonly signal: AbortSignal; stop(): void } {
  const interruption = new AbortController()
  const interrupt = () => interruption.abort()
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const name of names) process.once(name, interrupt)
  return {
    signal: interruption.signal,
    stop() {
      for (const name of names) process.off(name, interrupt)
    },
  }
}

function interruptedWords({ rebuiltThrough, indexedThrough, latest }: SearchStateView, isRunning: boolean): string {
  const next = isRunning
    ? 'the gateway continues in the background'
    : `the gateway continues with it when it starts (${COMMAND} serve)`
  return `interrupted at position ${rebuiltThrough ?? indexedThrough} of ${latest}: ${next}\n`
}

function doneWords({ indexedThrough, indexBytes }: SearchStateView): string {
  return `the search index is made again: ${sizeInWords(indexBytes)}, events up to position ${indexedThrough}\n`
}
