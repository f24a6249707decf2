import { COMMAND } from '../../platform/installation.ts'
import { IS_PACKAGE } from '../../platform/program-files.ts'
import { print, printable, printLine } from '../output.ts'

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

/** The final counts; null if the tour ended earlier. */
export interface Counts {
  /** Callbacks sent with a certificate, including those without a response, without the calls of the probe and the tests of addresses. */
  readonly sent: number
  /** Different callbacks that got 200. */
  readonly acknowledged: number
  /** Different events in the store for those acknowledged. */
  readonly stored: number | null
  /** Of these, the ones that reached the receiver with a valid signature. */
  readonly delivered: number | null
  readonly lost: number | null
}

const INTRODUCTION = `
Portaria receives the callbacks of a payment service over mutual TLS, stores them, and forwards them
to your system. This tour runs a real gateway between a simulated service and a simulated system of yours,
on this machine only, for some seconds.
`

const FIRST_STEP = IS_PACKAGE
  ? ['init my-portaria', 'the configuration of a gateway of your own']
  : ['serve', 'a gateway for development; it shows commands that call it']
const LONGEST = `${COMMAND} init my-portaria`.length

const NEXT = `
Everything that this tour created is removed. What to try next:

${[FIRST_STEP, ['simulator', 'a simulated service that calls it'], ['--help', 'every command']].map(lineOf).join('')}
README.md says how to set up your own.

`

function lineOf([command, purpose]: readonly string[]): string {
  return `  ${`${COMMAND} ${command}`.padEnd(LONGEST)}   ${purpose}\n`
}

const ROWS: readonly (readonly [keyof Counts, string])[] = [
  ['sent', 'callbacks sent with a certificate, including those without a response and one that was sent twice'],
  ['acknowledged', 'different callbacks that the gateway answered with 200'],
  ['stored', 'of these, stored'],
  ['delivered', 'of these, received with a valid signature'],
  ['lost', 'acknowledged and not delivered'],
]

export type Narration = ReturnType<typeof createNarration>

/** Reports the tour as it happens: in prose, or as one object per step and then one with the counts. */
export function createNarration(isJson: boolean) {
  const say = async (text: string) => (isJson ? undefined : print(text))
  return {
    open: () => say(INTRODUCTION),
    begin: (step: number, title: string) => say(`\n${step}. ${title}\n`),
    /** An action. */
    did: (text: string) => say(`   - ${printable(text)}\n`),
    /** An observation. */
    saw: (text: string) => say(`     ${printable(text)}\n`),
    end({ step, title, ok, error, details, durationMs }: StepEnd) {
      if (isJson) return printLine({ step, title, ok, ...(error !== null && { error }), ...details, durationMs })
      const seconds = `(${(durationMs / 1000).toFixed(1)} s)`
      return print(ok ? `   ✓ passed ${seconds}\n` : `   ✗ failed ${seconds}: ${error}\n`)
    },
    finish(ok: boolean, counts: Counts) {
      if (isJson) return printLine({ ok, ...counts })
      const rows = ROWS.map(([name, meaning]) => {
        return `${name.padEnd(13)}${String(counts[name] ?? '-').padStart(6)}  ${meaning}\n`
      })
      return print(`\n${rows.join('')}${ok ? NEXT : ''}`)
    },
  }
}
