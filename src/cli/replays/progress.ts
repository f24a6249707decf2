import { setTimeout as wait } from 'node:timers/promises'
import type { replayView } from '../../api/replay-view.ts'
import type { Config } from '../../config/config.ts'
import { askGateway } from '../control-client.ts'

type View = ReturnType<typeof replayView>

const LOOK_EVERY_MS = 200
const BAR_WIDTH = 30

/** Shows on stderr how far a replay is, until it has ended or no gateway runs any more; returns what was known last. */
export async function followReplay(config: Config, made: View, { isQuiet }: { isQuiet: boolean }): Promise<View> {
  const show = isQuiet ? () => undefined : progressOn(process.stderr)
  let view = made
  show(view)
  while (view.state === 'running') {
    await wait(LOOK_EVERY_MS)
    const next = await askGateway<View>(config, `/v1/replays/${view.id}`)
    if (next === null) break
    view = next
    show(view)
  }
  return view
}

export interface Screen {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** A bar on a terminal; elsewhere a line for each tenth. */
export function progressOn(screen: Screen): (view: View) => void {
  let shownTenth = -1
  return function show(view) {
    const { state, matched, owed } = view
    // What matched was counted before: there may be fewer now, or more.
    const share = state === 'done' || matched === 0 ? 1 : Math.min(owed / matched, 1)
    if (screen.isTTY === true) {
      screen.write(`\r\x1b[K${barOf(share)} ${wordsOf(view)}${state === 'running' ? '' : '\n'}`)
      return
    }
    const tenth = Math.floor(share * 10)
    if (tenth === shownTenth) return
    shownTenth = tenth
    screen.write(`${wordsOf(view)}\n`)
  }
}

function barOf(share: number): string {
  const filled = Math.round(share * BAR_WIDTH)
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${Math.floor(share * 100)} %`
}

function wordsOf({ id, matched, owed, waiting }: View): string {
  return `${id}: ${owed} of ${matched} owed, ${waiting} waiting`
}
