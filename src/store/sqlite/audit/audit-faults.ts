/** What can be wrong with the chain at some positions. */
export type AuditFault = 'removed' | 'altered' | 'inserted' | 'payload' | 'cut'

interface PositionRange {
  readonly fault: AuditFault
  readonly from: number
  to: number
}

export interface AuditFaults {
  /** Both inclusive, and never before what was told of the same fault. */
  tell(fault: AuditFault, from: number, to: number): void
  /** In the order of their positions; of many only the first. */
  words(): string[]
}

/** Ranges that are named; of more only their number is given. */
const NAMED = 20

/** What is wrong with neighbours is told once for all of them. */
export function collectFaults(): AuditFaults {
  const named: PositionRange[] = []
  const last = new Map<AuditFault, PositionRange>()
  let more = 0

  return {
    tell(fault, from, to) {
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
      return `${were} altered, or stored in another place: ${isOne ? 'it does' : 'they do'} not fit the hash`
    case 'inserted':
      return `${were} inserted: retention had removed what stood there, or nothing ever did`
    case 'payload':
      return `the payload of ${were} altered`
    case 'cut':
      return `${were} cut off from the end: ${isOne ? 'it was' : 'they were'} stored, and nothing of ${isOne ? 'it' : 'them'} is left`
  }
}
