import type { CertainClock, TimeWindow } from '../../rules/certain-clock.ts'
import type { HandOver } from '../../storing/hand-over.ts'
import type { OwnCommits } from '../changes/own-commits.ts'

/** What the writing methods of one store share. */
export interface WriterParts {
  readonly clock: CertainClock
  readonly window: TimeWindow
  readonly firstWaitMs: number
  /** This node among those that use the database, and how many of them are living. null: it has not signed on. */
  readonly node: { id: number | null; living: number }
  /** A lease ends so long after its last renewal, and a node counts as living so long after its last sign of life. */
  readonly leaseMs: number
  readonly own: OwnCommits
  readonly handOver: HandOver
}
