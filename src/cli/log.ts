import pino from 'pino'
import type { LogLevel } from '../config/config.ts'
import { printableJson } from '../platform/control-characters.ts'
import type { Log } from '../platform/log.ts'
import { type LogSink, standardErrorSink } from './log-sink.ts'

/** Lines are written together: a write for each would cost more than the line itself. */
const WRITE_LENGTH = 32 * 1024
const WRITE_INTERVAL_MS = 100

export interface ProcessLog extends Log {
  /** Lines that were lost because their reader was too slow, or their disk full. */
  dropped(): number
  /** Writes down what is waiting and calls back: at once, or where its reader is slow after half a second at most. */
  flush(done: () => void): void
}

/** JSON lines on standard error, asynchronous: a stuck pipe drops lines, counted, and stops neither TLS nor the end of the process. */
export function createProcessLog(level: LogLevel): ProcessLog {
  const sink = standardErrorSink()
  const lines = gatherFor(sink)
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
  function flush(done: () => void): void {
    if (sink.dropped() > 0) logger.warn({ dropped: sink.dropped() }, 'log.dropped')
    lines.pass()
    sink.flush(done)
  }
  // However it ends, what was said last is what counts.
  process.on('exit', () => sink.writeLast(lines.take()))
  return {
    debug: (fields, event) => logger.debug(fields, event),
    info: (fields, event) => logger.info(fields, event),
    warn: (fields, event) => logger.warn(fields, event),
    error: (fields, event) => logger.error(fields, event),
    dropped: sink.dropped,
    flush,
  }
}

function gatherFor(sink: LogSink): { write(line: string): void; pass(): void; take(): string } {
  let lines: string[] = []
  let length = 0
  let timer: NodeJS.Timeout | undefined
  function take(): string {
    clearTimeout(timer)
    timer = undefined
    // Names of certificates and servers are what strangers made them: a log is read in a terminal.
    const text = printableJson(lines.join(''))
    lines = []
    length = 0
    return text
  }
  function pass(): void {
    if (lines.length > 0) sink.write(take())
  }
  return {
    write(line) {
      // A line that is too long for the sink takes no other one with it.
      if (length + line.length > WRITE_LENGTH) pass()
      lines.push(line)
      length += line.length
      timer ??= setTimeout(pass, WRITE_INTERVAL_MS).unref()
    },
    pass,
    take,
  }
}
