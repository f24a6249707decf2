import { createInterface } from 'node:readline/promises'
import { type Said, say } from '../platform/said.ts'
import { translated } from './language/language.ts'
import { wrongUsage } from './output.ts'

/**
 * Asks on the terminal, on standard error.
 * @throws PortariaError `request_invalid` without a terminal: scripts add --yes
 */
export async function confirm(question: Said | string): Promise<boolean> {
  requireTerminal(question)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // Ctrl-D and Ctrl-C count as no.
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
  try {
    const answer = await Promise.race([terminal.question(`${translated(question)} ${translated('[y/N]')} `), closed])
    return /^(y(es)?|s(im)?)$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}

/** @throws PortariaError `request_invalid` without a terminal */
export function requireTerminal(question: Said | string): void {
  if (!process.stdin.isTTY) throw wrongUsage(say`${{ question }} There is no terminal for an answer: add --yes`)
}
