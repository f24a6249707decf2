/** The possible faults of the audit chain. */
export type AuditFault = 'removed' | 'altered' | 'inserted' | 'payload' | 'cut'

interface PositionRange {
  readonly fault: AuditFault
  readonly from: number
  to: number
}

export interface AuditFaults {
  /** Both ends inclusive, and in ascending order per fault. */
  report(fault: AuditFault, from: number, to: number): void
  /** Texts in the order of positions; of many faults only the first. */
  words(): string[]
}

/** The most ranges with a text of their own. */
const NAMED = 20

/** Joins neighbours with the same fault to one range. */
export function collectFaults(): AuditFaults {
  const named: PositionRange[] = []
  const last = new Map<AuditFault, PositionRange>()
  let more = 0

  return {
    report(fault, from, to) {
      const open = last.get(fault)
      if (open !== undefined && from <= open.to + 1) {
        open.to = Math.max(open.to, to)
        return
      }
      const range = { fault, from, to }
      last.set(fault, range)
      if (named.length < NAMED) named.push(range)
      else more++
    },

    words() {
      const texts = named.toSorted((a, b) => a.from - b.from).map(wordsOf)
      return more === 0 ? texts : [...texts, `and ${more} more places`]
    },
  }
}

function wordsOf({ fault, from, to }: PositionRange): string {
  const isOne = from === to
  const events = isOne ? `event ${from}` : `events ${from} to ${to}`
  const were = isOne ? `${events} was` : `${events} were`
  switch (fault) {
    case 'removed':
      return `${were} removed, and not by retention`
    case 'altered':
      return `${were} altered, or moved to another position: ${isOne ? 'it does' : 'they do'} not fit the hash`
    case 'inserted':
      return `${were} inserted: retention had removed the event at this position, or there was none`
    case 'payload':
      return `the payload of ${were} altered`
    case 'cut':
      return `${were} cut off from the end: ${isOne ? 'it was' : 'they were'} stored, and nothing of ${isOne ? 'it' : 'them'} is left`
  }
}
