import pino from 'pino'
import type { LogLevel } from '../config/config.ts'
import type { Log } from '../domain/log.ts'

const BUFFER_BYTES = 4 * 1024 * 1024
/** Lines are written together: a write for each would cost more than the line itself. */
const WRITE_LENGTH = 32 * 1024
const WRITE_INTERVAL_MS = 100

export interface ProcessLog extends Log {
  /** Lines that were lost because their reader was too slow. */
  dropped(): number
  /** Writes down what is waiting. */
  flush(): void
}

/** JSON lines on standard error, asynchronous: a stuck pipe drops lines, counted, and never stops TLS. */
export function createProcessLog(level: LogLevel): ProcessLog {
  const destination = pino.destination({ dest: 2, sync: false, maxWrite: 2 * WRITE_LENGTH, maxLength: BUFFER_BYTES })
  let dropped = 0
  destination.on('drop', (lines: string) => {
    dropped += lines.split('\n').length - 1
  })
  const lines = gather((text) => destination.write(text))
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'event',
      formatters: { level: (label) => ({ level: label }) },
    },
    lines,
  )
  return {
    debug: (fields, event) => logger.debug(fields, event),
    info: (fields, event) => logger.info(fields, event),
    warn: (fields, event) => logger.warn(fields, event),
    error: (fields, event) => logger.error(fields, event),
    dropped: () => dropped,
    flush() {
      if (dropped > 0) logger.warn({ dropped }, 'log.dropped')
      try {
        lines.pass()
        destination.flushSync()
      } catch {
        // Standard error is gone, and with it whoever could be told.
      }
    },
  }
}

/** Here and not by the destination's `minLength`, which counts all that it has gathered anew at every line. */
function gather(pass: (text: string) => void): { write(line: string): void; pass(): void } {
  let lines: string[] = []
  let length = 0
  let timer: NodeJS.Timeout | undefined
  function passAll(): void {
    clearTimeout(timer)
    timer = undefined
    if (lines.length === 0) return
    const text = lines.join('')
    lines = []
    length = 0
    pass(text)
  }
  return {
    write(line) {
      lines.push(line)
      length += line.length
      if (length >= WRITE_LENGTH) passAll()
      else timer ??= setTimeout(passAll, WRITE_INTERVAL_MS).unref()
    },
    pass: passAll,
  }
}
