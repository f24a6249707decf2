/**
 * A log reader may block. Pipes, sockets and terminals go through Node's stream; a file gets one write after the other
 * beside the main thread. Beyond 4 MiB, lines are dropped and counted.
 */

import { write, writeSync } from 'node:fs'
import { Socket } from 'node:net'

/** The destination of log text. It never fails and never waits for its reader: lines that cannot be written are lost and counted. */
export interface LogSink {
  /** Whole lines. */
  write(text: string): void
  /** Lines that were lost. */
  dropped(): number
  /** For the end of the process: writes waiting text and this text before it returns, unless that would block on a reader. */
  writeLast(text: string): void
  /** Calls back once waiting text is written, at the latest after FLUSH_LIMIT_MS. */
  flush(done: () => void): void
}

/** How much text may wait for a slow reader. */
const WAITING_LENGTH = 4 * 1024 * 1024
const FLUSH_LIMIT_MS = 500
const STANDARD_ERROR = 2

export function standardErrorSink(): LogSink {
  return process.stderr instanceof Socket ? streamSink(process.stderr) : fileSink(STANDARD_ERROR)
}

/** A pipe, a socket or a terminal: Node writes without blocking and buffers what the reader does not take. */
function streamSink(stream: Socket): LogSink {
  let dropped = 0
  let isGone = false
  stream.on('error', () => {
    isGone = true
  })
  return {
    write(text) {
      if (isGone || stream.writableLength + text.length > WAITING_LENGTH) dropped += linesIn(text)
      else stream.write(text)
    },
    dropped: () => dropped,
    writeLast(text) {
      if (!isGone && text !== '') stream.write(text)
    },
    flush(done) {
      if (isGone || stream.writableLength === 0) return done()
      const limit = setTimeout(done, FLUSH_LIMIT_MS)
      stream.write('', () => {
        clearTimeout(limit)
        done()
      })
    },
  }
}

/** A file or a device: one write at a time, off the main thread. On a full disk, lines are lost until there is space again. */
function fileSink(fd: number): LogSink {
  let waiting = ''
  let dropped = 0
  let isWriting = false
  let onIdle = () => {}

  function writeNext(): void {
    const text = waiting
    waiting = ''
    isWriting = text !== ''
    if (isWriting) writeOut(Buffer.from(text))
    else onIdle()
  }
  function writeOut(bytes: Buffer): void {
    write(fd, bytes, (error, written) => {
      if (error !== null) dropped += linesIn(bytes.toString())
      else if (written < bytes.length) return writeOut(bytes.subarray(written))
      writeNext()
    })
  }

  return {
    write(text) {
      if (waiting.length + text.length > WAITING_LENGTH) dropped += linesIn(text)
      else waiting += text
      if (!isWriting) writeNext()
    },
    dropped: () => dropped,
    writeLast(text) {
      const bytes = Buffer.from(waiting + text)
      waiting = ''
      try {
        for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
      } catch {
        // The process ends, and this was its log: the failure cannot be reported.
      }
    },
    flush(done) {
      if (isWriting) onIdle = done
      else done()
    },
  }
}

function linesIn(text: string): number {
  return text.split('\n').length - 1
}
