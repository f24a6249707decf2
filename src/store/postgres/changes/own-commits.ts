import type { Notice } from './notice.ts'

/**
 * The commits of this process. It does not know of one whose answer was lost with the connection: the notice of it counts as that of another node, so
 * that what it made is taken up here, too.
 */
export interface OwnCommits {
  /** Of this process, in its notices. */
  readonly origin: string
  /** @param number as `Notice.number` */
  confirmed(number: number): void
  heard(notice: Notice): void
  /** What was heard before the last call of this, and is not confirmed yet. */
  takeUnconfirmed(): Notice[]
}

/** Where no notice comes, confirmed ones are not kept for ever. */
const MOST = 10_000

export function createOwnCommits(origin: string): OwnCommits {
  /** Before their notices. */
  const confirmed = new Set<number>()
  /** Heard before and after the last look. */
  let [earlier, later] = [new Map<number, Notice>(), new Map<number, Notice>()]

  return {
    origin,
    confirmed(number) {
      const wasHeard = earlier.delete(number) || later.delete(number)
      if (confirmed.size >= MOST) confirmed.clear()
      if (!wasHeard) confirmed.add(number)
    },
    heard(notice) {
      if (!confirmed.delete(notice.number)) later.set(notice.number, notice)
    },
    takeUnconfirmed() {
      const taken = [...earlier.values()]
      earlier = later
      later = new Map()
      return taken
    },
  }
}
