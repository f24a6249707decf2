import pino from 'pino'
import type { LogLevel } from '../config/config.ts'
import type { Log } from '../domain/log.ts'

const BUFFER_BYTES = 4 * 1024 * 1024
/** Lines are written together: a write for each would cost more than the line itself. */
const WRITE_BYTES = 32 * 1024
const WRITE_INTERVAL_MS = 100

export interface ProcessLog extends Log {
  /** Lines that were lost because their reader was too slow. */
  dropped(): number
  /** Writes down what is waiting. */
  flush(): void
}

/** JSON lines on standard error, asynchronous: a stuck pipe drops lines, counted, and never stops TLS. */
export function createProcessLog(level: LogLevel): ProcessLog {
  const destination = pino.destination({
    dest: 2,
    sync: false,
    minLength: WRITE_BYTES,
    maxWrite: 2 * WRITE_BYTES,
    periodicFlush: WRITE_INTERVAL_MS,
    maxLength: BUFFER_BYTES,
  })
  let dropped = 0
  destination.on('drop', () => dropped++)
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'event',
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
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
        destination.flushSync()
      } catch {
        // Standard error is gone, and with it whoever could be told.
      }
    },
  }
}
