import type { CertainClock, TimeWindow } from '../../rules/certain-clock.ts'
import type { HandOver } from '../../storing/hand-over.ts'

/** What the writing methods of one store share. */
export interface WriterParts {
  readonly clock: CertainClock
  readonly window: TimeWindow
  readonly firstWaitMs: number
  readonly writerEpoch: number
  readonly handOver: HandOver
}
