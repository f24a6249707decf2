import { print, printable, printLine } from '../output.ts'
import type { Counts } from './tour.ts'

/** The result of a step, for programs. */
export type Details = Readonly<Record<string, unknown>>

export interface StepEnd {
  readonly step: number
  readonly title: string
  readonly ok: boolean
  /** Why it failed; null: it did not. */
  readonly error: string | null
  readonly details: Details
  readonly durationMs: number
}

/** Reports the tour as it happens. */
export interface Narration {
  open(): Promise<void>
  begin(step: number, title: string): Promise<void>
  /** An action. */
  did(text: string): Promise<void>
  /** An observation. */
  saw(text: string): Promise<void>
  end(step: StepEnd): Promise<void>
  finish(ok: boolean, counts: Counts): Promise<void>
}

/** One object per step, then one with the counts. */
export const jsonNarration: Narration = {
  async open() {},
  async begin() {},
  async did() {},
  async saw() {},
  end: ({ step, title, ok, error, details, durationMs }) =>
    printLine({ step, title, ok, ...(error !== null && { error }), ...details, durationMs }),
  finish: (ok, counts) => printLine({ ok, ...counts }),
}

const INTRODUCTION = `
Portaria receives the callbacks of a payment service over mutual TLS, stores them, and forwards them
to your system. This tour runs a real gateway between a simulated service and a simulated system of yours,
on this machine only, for some seconds.
`

const NEXT = `
Everything that this tour created is removed. What to try next:

  npm start                        a gateway for development; it shows commands that call it
  npm run portaria -- simulator    a simulated service that calls it
  npm run portaria -- --help       every command
  README.md                        how to set up your own

`

export const proseNarration: Narration = {
  open: () => print(INTRODUCTION),
  begin: (step, title) => print(`\n${step}. ${title}\n`),
  did: (text) => print(`   - ${printable(text)}\n`),
  saw: (text) => print(`     ${printable(text)}\n`),
  end: ({ ok, error, durationMs }) => {
    const seconds = `(${(durationMs / 1000).toFixed(1)} s)`
    return print(ok ? `   ✓ passed ${seconds}\n` : `   ✗ failed ${seconds}: ${error}\n`)
  },
  async finish(ok, counts) {
    await print(`\n${countsText(counts)}\n`)
    if (ok) await print(NEXT)
  },
}

const ROWS: readonly (readonly [keyof Counts, string])[] = [
  ['sent', 'callbacks sent with a certificate, including those without a response and one that was sent twice'],
  ['acknowledged', 'different callbacks that the gateway answered with 200'],
  ['stored', 'of these, stored'],
  ['delivered', 'of these, received with a valid signature'],
  ['lost', 'acknowledged and not delivered'],
]

function countsText(counts: Counts): string {
  return ROWS.map(([name, meaning]) => `${name.padEnd(13)}${String(counts[name] ?? '-').padStart(6)}  ${meaning}`).join(
    '\n',
  )
}
