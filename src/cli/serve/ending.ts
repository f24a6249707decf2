import { EXIT } from '../output.ts'
import type { ProcessLog } from '../log/log.ts'

/** The end of the process, from whatever cause. A stuck reader of the log does not prevent it. */
export interface Ending {
  /** `logSums` logs what is still summed up. It runs before the last line. */
  sumUpWith(logSums: () => void): void
  end(code: number): void
  /** @param logReason logs the last line */
  fail(logReason: () => void): void
}

export function createEnding(log: Pick<ProcessLog, 'flush'>, exit: (code: number) => void = process.exit): Ending {
  let logSums = () => {}

  function end(code: number): void {
    log.flush(() => exit(code))
  }

  return {
    sumUpWith(run) {
      logSums = run
    },
    end,
    fail(logReason) {
      logSums()
      logReason()
      end(EXIT.no)
    },
  }
}
