import { localText, preciseLocalText } from '../../platform/local-time.ts'
import { styled } from '../colors.ts'
import { translated } from '../language/language.ts'
import { headOf, layoutFor, lineOf, screenWidth } from '../listing/table.ts'
import { print, printable, printLine, tell } from '../output.ts'
import type { Attempt } from './loop.ts'

/** What a listener says while it runs. */
export interface Display {
  attempt(attempt: Attempt): void | Promise<void>
  /** A sentence about the connection, or about an event. */
  note(text: string): void
  /** Gives the terminal back. */
  end(): void
}

/** One JSON object for each attempt; sentences go to standard error. */
export function jsonDisplay(): Display {
  return { attempt: (attempt) => printLine(viewOf(attempt)), note: tell, end() {} }
}

function viewOf({ at, event, attempt, answer, retryMs, isReplay }: Attempt): object {
  const { id, kind, institution, environment, subject, status } = event
  const sent = { at: new Date(at).toISOString(), event: id, kind, institution, environment, subject, status }
  const answered = { answer: answer.status, error: answer.error, durationMs: answer.durationMs }
  return Object.assign(sent, { url: answer.url, attempt, replay: isReplay }, answered, { retryMs })
}

/** A line for each attempt, for pipes and logs. */
export function lineDisplay(): Display {
  return { attempt: (attempt) => print(`${lineFor(attempt)}\n`), note: tell, end() {} }
}

function lineFor(attempt: Attempt): string {
  const { at, event, answer } = attempt
  const what = [event.id, event.kind, event.status ?? '-', event.subject ?? '-'].map(printable).join('  ')
  return `${preciseLocalText(at)}  ${what}  ${answerOf(attempt)}  ${answer.durationMs} ms  ${printable(answer.url)}`
}

/** Such as `200`, or `connection refused; again in 2 s`. */
function answerOf({ answer, retryMs, isReplay, attempt }: Attempt): string {
  const said = printable(answer.error ?? String(answer.status))
  const nth = attempt > 1 ? ` (attempt ${attempt})` : ''
  const text = `${said}${isReplay ? ' (sent again)' : nth}${retryMs === null ? '' : `; again in ${retryMs / 1000} s`}`
  return translated(text)
}

export interface ScreenParts {
  readonly address: string
  /** Of the event that is marked. */
  readonly onAgain: (event: string) => void
  readonly onOpen: (event: string) => void
  readonly onQuit: () => void
}

const HEADER = [
  { name: 'time', isTime: true },
  { name: 'event', leftOut: 2 },
  { name: 'kind', leftOut: 3 },
  { name: 'status', cut: 'right' as const, leftOut: 4 },
  { name: 'subject', cut: 'left' as const, leftOut: 1 },
  { name: 'answer', cut: 'right' as const },
  'ms',
]
/** Those that the loop can send again, besides the one under way. */
const KEPT = 199
/** An arrow is several bytes. */
const KEY = /\u001b\[[A-Z]|[\s\S]/g
const HELP = 'r: send again · o: open the page · ↑ ↓: choose · Ctrl-C: end'

/** A live table: one row for each event, the newest at the end. Keys act on the marked row. */
export function screenDisplay({ onAgain, onOpen, onQuit }: ScreenParts): Display {
  const { stdout, stdin } = process
  const rows: Attempt[] = []
  /** Index of the marked row; null: the newest. */
  let marked: number | null = null
  let drawn = 0
  let note = 'waiting for events'

  function draw(): void {
    const most = Math.max(1, (stdout.rows || 24) - 4)
    const at = marked ?? rows.length - 1
    const first = Math.max(0, Math.min(rows.length - most, at - Math.floor(most / 2)))
    const visible = rows.slice(first, first + most)
    const width = screenWidth()
    const cells = visible.map(cellsOf)
    const layout = layoutFor(HEADER, cells, width === null ? null : width - 2)
    const lines = cells.map(
      (cell, index) => `${first + index === at ? '›' : ' '} ${colored(visible[index], lineOf(layout, cell))}`,
    )
    const text = [
      `  ${headOf(layout)}`,
      ...lines,
      `${fitted(translated(note), width)}\n`,
      `${fitted(translated(HELP), width)}\n`,
    ].join('')
    stdout.write(`${drawn === 0 ? '' : `\u001b[${drawn}A\u001b[J`}${text}`)
    drawn = visible.length + 3
  }

  /** Keys that were pressed quickly come together. */
  function onKeys(bytes: Buffer): void {
    for (const key of bytes.toString().match(KEY) ?? []) onKey(key)
    draw()
  }

  function onKey(key: string): void {
    const chosen = rows[marked ?? rows.length - 1]
    if (key === '\u0003' || key === 'q') return onQuit()
    if (key === 'r' && chosen !== undefined) onAgain(chosen.event.id)
    if (key === 'o' && chosen !== undefined) onOpen(chosen.event.id)
    if (key === '\u001b[A') marked = Math.max(0, (marked ?? rows.length - 1) - 1)
    if (key === '\u001b[B') marked = marked === null || marked + 1 >= rows.length - 1 ? null : marked + 1
  }

  stdin.setRawMode(true)
  stdin.resume()
  stdin.on('data', onKeys)
  stdout.on('resize', draw)
  draw()
  return {
    attempt(attempt) {
      const same = rows.findIndex(({ event }) => event.id === attempt.event.id)
      if (same === -1) rows.push(attempt)
      else rows[same] = attempt
      if (rows.length > KEPT) {
        rows.shift()
        if (marked !== null) marked = Math.max(0, marked - 1)
      }
      draw()
    },
    note(text) {
      note = `${localText(Date.now())}  ${printable(text)}`
      draw()
    },
    end() {
      stdin.off('data', onKeys)
      stdin.setRawMode(false)
      stdin.pause()
      stdout.off('resize', draw)
    },
  }
}

function cellsOf(attempt: Attempt) {
  const { at, event, answer } = attempt
  return [
    new Date(at).toISOString(),
    event.id,
    event.kind,
    event.status,
    event.subject,
    answerOf(attempt),
    answer.durationMs,
  ]
}

function colored(attempt: Attempt | undefined, line: string): string {
  return styled(attempt?.answer.error == null ? 'green' : 'red', line)
}

function fitted(text: string, width: number | null): string {
  return width === null ? text : text.slice(0, width - 1)
}
