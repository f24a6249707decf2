import { translated } from './language/language.ts'

const BAR_WIDTH = 30

export interface Screen {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

export interface Progress {
  /** 0 to 1. */
  readonly share: number
  readonly words: string
  readonly isEnded: boolean
}

/** Progress: a bar on a terminal, elsewhere a line for each tenth and one for the end. */
export function createProgress(screen: Screen): (progress: Progress) => void {
  let shownTenth = -1
  return function show({ share, words: english, isEnded }) {
    const words = translated(english)
    if (screen.isTTY === true) {
      // A line that wraps could not be erased.
      const line = `${barOf(share)} ${words}`.slice(0, (screen.columns ?? Number.POSITIVE_INFINITY) - 1)
      screen.write(`\r\x1b[K${line}${isEnded ? '\n' : ''}`)
      return
    }
    const tenth = Math.floor(share * 10)
    if (tenth === shownTenth && !isEnded) return
    shownTenth = tenth
    screen.write(`${words}\n`)
  }
}

/** On standard error, unless `isQuiet`. */
export function progressUnless(isQuiet: boolean): (progress: Progress) => void {
  return isQuiet ? () => undefined : createProgress(process.stderr)
}

const ELAPSED_EVERY_MS = 2000

/** Shows how much of its time limit a job has used, from its third second on. */
export async function withElapsed<T>(
  { show, words, limitMs }: { show: (progress: Progress) => void; words: string; limitMs: number },
  job: Promise<T>,
): Promise<T> {
  const startedAt = performance.now()
  let isShown = false
  const shown = setInterval(() => {
    isShown = true
    const doneMs = Math.min(performance.now() - startedAt, limitMs)
    const seconds = `${Math.round(doneMs / 1000)} s of at most ${limitMs / 1000} s`
    show({ share: doneMs / limitMs, words: `${words}: ${seconds}`, isEnded: false })
  }, ELAPSED_EVERY_MS)
  try {
    return await job
  } finally {
    clearInterval(shown)
    if (isShown) show({ share: 1, words, isEnded: true })
  }
}

function barOf(share: number): string {
  const filled = Math.round(share * BAR_WIDTH)
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${Math.floor(share * 100)} %`
}
