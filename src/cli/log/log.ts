import pino from 'pino'
import type { LogLevel } from '../../config/config.ts'
import { printableJson } from '../../platform/control-characters.ts'
import type { Log } from '../../platform/log.ts'
import { severityPrefix } from './journal.ts'
import { type LogSink, standardErrorSink } from './log-sink.ts'
import { readableLine } from './readable-log.ts'

/** Lines are written in batches: one write per line would cost more than the line itself. */
const WRITE_LENGTH = 32 * 1024
const WRITE_INTERVAL_MS = 100

/** json: for programs. text: for a person at a terminal. */
export const LOG_FORMATS = ['json', 'text'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

export interface ProcessLog extends Log {
  /** Lines lost because the reader was too slow or the disk full. */
  dropped(): number
  /** Writes waiting lines and calls back: at once, or with a slow reader after half a second at most. */
  flush(done: () => void): void
}

/**
 * Lines on standard error, text in a terminal and JSON elsewhere, asynchronous: a stuck pipe loses lines, which are counted, and blocks neither requests
 * nor the end of the process.
 */
export function createProcessLog(
  level: LogLevel,
  format: LogFormat = process.stderr.isTTY ? 'text' : 'json',
): ProcessLog {
  const sink = standardErrorSink()
  const lines = gatherFor(sink, format)
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
  // The last lines explain why the process ended.
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

function gatherFor(sink: LogSink, format: LogFormat): { write(line: string): void; pass(): void; take(): string } {
  let lines: string[] = []
  let length = 0
  const prefixOf = severityPrefix()
  const hasColors = process.stderr.isTTY && process.stderr.hasColors()
  let timer: NodeJS.Timeout | undefined
  function take(): string {
    clearTimeout(timer)
    timer = undefined
    // Names in certificates come from outside, and a log is read in a terminal: no control characters.
    const text = printableJson(lines.join(''))
    lines = []
    length = 0
    return text
  }
  function pass(): void {
    if (lines.length > 0) sink.write(take())
  }
  return {
    write(json) {
      const text = format === 'text' ? readableLine(json, hasColors) : json
      const line = prefixOf === null ? text : `${prefixOf(levelOf(json))}${text}`
      // If the sink drops a line that is too long, it drops no other line with it.
      if (length + line.length > WRITE_LENGTH) pass()
      lines.push(line)
      length += line.length
      timer ??= setTimeout(pass, WRITE_INTERVAL_MS).unref()
    },
    pass,
    take,
  }
}

/** pino writes the level first. */
function levelOf(line: string): string {
  return /^\{"level":"(\w+)"/.exec(line)?.[1] ?? 'info'
}
