import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { PortariaError, systemWords } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { wrongUsage } from '../output.ts'

export interface LogSource {
  /** `-`: standard input. Left out: the journal of the unit portaria. */
  readonly file?: string | undefined
  /** Of the journal: its first moment, in ms since 1970. */
  readonly since: number
  /** Whether new lines are awaited until SIGINT or SIGTERM; of standard input they always are. */
  readonly follow: boolean
}

/** @throws PortariaError where the source cannot be read */
export async function* logLines({ file, since, follow }: LogSource): AsyncGenerator<string> {
  if (file === '-') yield* createInterface({ input: process.stdin })
  else if (file !== undefined && follow) yield* linesOf('tail', ['--lines=+1', '--follow=name', '--retry', '--', file])
  else if (file !== undefined) yield* linesOfFile(file)
  else yield* linesOf('journalctl', journalArguments(since, follow))
}

function journalArguments(since: number, follow: boolean): string[] {
  const entries = ['--unit=portaria', `--since=@${Math.floor(since / 1000)}`, ...(follow ? ['--follow'] : [])]
  return ['--output=cat', '--quiet', '--no-pager', ...entries]
}

async function* linesOfFile(file: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: createReadStream(file) })
  } catch (error) {
    throw wrongUsage(say`--file ${{ file }} cannot be read: ${{ error: systemWords(error) }}`, error)
  }
}

/** The program says on our standard error why it fails. */
async function* linesOf(program: string, args: readonly string[]): AsyncGenerator<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const problem = once(child, 'close').then(
    ([code]) => (code === 0 || code === null ? null : `ended with exit code ${code}`),
    (error: unknown) => `cannot be started: ${systemWords(error)}`,
  )
  const end = () => child.kill()
  // Also where our own reader is gone: it would wait for its next line.
  for (const event of ['SIGINT', 'SIGTERM', 'exit']) process.once(event, end)
  yield* createInterface({ input: child.stdout })
  const words = await problem
  if (words !== null)
    throw new PortariaError('store_unavailable', say`${{ program }} ${{ problem: words }}; --file names another source`)
}
