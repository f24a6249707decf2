import { COMMAND } from '../../platform/installation.ts'
import { IS_PACKAGE } from '../../platform/program-files.ts'
import { translated } from '../language/language.ts'
import { print, printable, printLine, printText } from '../output.ts'

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

const NEXT_COMMANDS = [
  // A package has no configuration for development.
  ...(IS_PACKAGE ? [] : [{ command: 'serve', words: 'a gateway for development; it shows commands that call it' }]),
  { command: 'init my-portaria', words: 'the configuration of a gateway of your own' },
  { command: 'simulator', words: 'a simulated service that calls it' },
  { command: '--help', words: 'every command' },
]
const LONGEST = `${COMMAND} init my-portaria`.length

function nextCommands(): string {
  const lineOf = ({ command, words }: { readonly command: string; readonly words: string }) =>
    `  ${`${COMMAND} ${command}`.padEnd(LONGEST)}   ${translated(words)}\n`
  return NEXT_COMMANDS.map(lineOf).join('')
}

const ROWS: readonly { readonly name: keyof Counts; readonly words: string }[] = [
  {
    name: 'sent',
    words: 'callbacks sent with a certificate, including those without a response and one that was sent twice',
  },
  { name: 'acknowledged', words: 'different callbacks that the gateway answered with 200' },
  { name: 'stored', words: 'of these, stored' },
  { name: 'delivered', words: 'of these, received with a valid signature' },
  { name: 'lost', words: 'acknowledged and not delivered' },
]

export type Narration = ReturnType<typeof createNarration>

/** Reports the tour as it happens: in prose, or as one object per step and then one with the counts. */
export function createNarration(isJson: boolean) {
  const write = async (text: string) => (isJson ? undefined : print(text))
  return {
    open: async () => (isJson ? undefined : printText(INTRODUCTION)),
    begin: (step: number, title: string) => write(`\n${step}. ${translated(title)}\n`),
    /** An action. */
    did: (text: string) => write(`   - ${printable(translated(text))}\n`),
    /** An observation. */
    saw: (text: string) => write(`     ${printable(translated(text))}\n`),
    /** What the service or the receiver got, as it is. */
    quote: (text: string) => write(`       ${printable(text)}\n`),
    end({ step, title, ok, error, details, durationMs }: StepEnd) {
      if (isJson) return printLine({ step, title, ok, ...(error !== null && { error }), ...details, durationMs })
      const seconds = `(${(durationMs / 1000).toFixed(1)} s)`
      return print(`   ${translated(ok ? `✓ passed ${seconds}` : `✗ failed ${seconds}: ${error}`)}\n`)
    },
    async finish(ok: boolean, counts: Counts) {
      if (isJson) return printLine({ ok, ...counts })
      const rows = ROWS.map(
        ({ name, words }) => `${name.padEnd(13)}${String(counts[name] ?? '-').padStart(6)}  ${translated(words)}\n`,
      )
      await print(`\n${rows.join('')}`)
      if (!ok) return
      await printText('\nEverything that this tour created is removed. What to try next:\n\n')
      await print(nextCommands())
      await print('\n')
    },
  }
}
