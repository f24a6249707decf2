import { createInterface } from 'node:readline/promises'
import { PortariaError } from '../platform/errors.ts'

/**
 * Asks on the terminal, on standard error.
 * @throws PortariaError `request_invalid` where there is nobody to ask: scripts say --yes
 */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new PortariaError('request_invalid', `${question} There is no terminal to ask on: say yes with --yes`)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // Ctrl-D and Ctrl-C are no answer, and so a no.
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
  try {
    const answer = await Promise.race([terminal.question(`${question} [y/N] `), closed])
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}
