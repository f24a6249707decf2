import { setTimeout as wait } from 'node:timers/promises'
import type { replayView } from '../../api/replays/view.ts'
import { createProgress, type Screen } from '../progress.ts'

type View = ReturnType<typeof replayView>

const LOOK_EVERY_MS = 200

/** Shows the progress of a replay on stderr until it ends or `look` gives null, because no gateway runs; returns its last known state. */
export async function followReplay(
  made: View,
  look: () => Promise<View | null>,
  { isQuiet }: { isQuiet: boolean },
): Promise<View> {
  const show = isQuiet ? () => undefined : replayProgress(process.stderr)
  let view = made
  show(view)
  while (view.state === 'running') {
    await wait(LOOK_EVERY_MS)
    const next = await look()
    if (next === null) break
    view = next
    show(view)
  }
  return view
}

export function replayProgress(screen: Screen): (view: View) => void {
  const show = createProgress(screen)
  return function showView(view) {
    const { state, matched, created } = view
    // `matched` was counted earlier, so `created` may end below or above it.
    const share = state === 'done' || matched === 0 ? 1 : Math.min(created / matched, 1)
    show({ share, words: wordsOf(view), isEnded: state !== 'running' })
  }
}

function wordsOf({ id, matched, created, waiting }: View): string {
  return `${id}: ${created} of ${matched} deliveries created, ${waiting} waiting`
}
