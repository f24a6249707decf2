import { commandNames, errorPrefix, translated } from './command-names.ts'

/** What a receiver needs for the callers of the test CA. */
export function adviseTestCa(): void {
  advise(
    `does the receiver trust the test CA? "${commandNames.program} conformance chain --folder chains" writes the chains: install one, and restart the receiver`,
  )
}

export function adviseReceiverCa(): void {
  advise("no public authority issued the receiver's certificate: name the file of its authority with --ca")
}

function advise(text: string): void {
  process.stderr.write(`${errorPrefix()}${translated(text)}\n`)
}
