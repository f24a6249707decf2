import type { ProcessLog } from '../log/log.ts'
import { EXIT } from '../output.ts'

/** The end of the process, from whatever cause. A stuck reader of the log does not prevent it. */
export interface Ending {
  /** `logSums` logs what is still summed up, before the last line of a failure. */
  sumUpWith(logSums: () => void): void
  end(code: number): void
  /** @param logReason logs the last line */
  fail(logReason: () => void): void
}

export function createEnding(log: Pick<ProcessLog, 'flush'>, exit: (code: number) => void = process.exit): Ending {
  const sums: (() => void)[] = []

  function end(code: number): void {
    log.flush(() => exit(code))
  }

  return {
    sumUpWith(logSums) {
      sums.push(logSums)
    },
    end,
    fail(logReason) {
      for (const logSums of sums) logSums()
      logReason()
      end(EXIT.no)
    },
  }
}
