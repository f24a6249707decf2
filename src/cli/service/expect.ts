import { Command } from 'commander'
import type { AnswerOf } from '../../api/http/contract.ts'
import { EXPECTATIONS, RECONCILE_READS } from '../../api/reconcile/contract.ts'
import { MOST_SUBJECTS } from '../../api/reconcile/schema.ts'
import { realmOf } from '../../domain/realm.ts'
import { PortariaError } from '../../platform/errors.ts'
import type { Asker } from '../asking.ts'
import { withChanger } from '../caller.ts'
import { readOptionFile } from '../option-files.ts'
import { type ChangeOption, withReason } from '../options.ts'
import { action, printResult } from '../output.ts'
import { progressUnless } from '../progress.ts'
import { expectedIn, requestsFor } from './expected-file.ts'

interface ExpectFlags extends ChangeOption {
  readonly file: string
}

type Taken = AnswerOf<typeof EXPECTATIONS.expectSubjects>

const LARGEST_FILE = 64 * 1024 * 1024
/** Of a request; the API takes 64 KiB. */
const MOST = { subjects: MOST_SUBJECTS, bytes: 60_000 }

export function expectCommand(): Command {
  return withReason(new Command('expect'))
    .description('Tell the gateway of ids that apps created, so that the service is asked for those that stay silent')
    .requiredOption('--file <file>', 'CSV with the header kind,environment,subject, and optional type and institution')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nA wrong line is named with its number, and no line is taken: exit code 1.')
    .action(action(expect))
}

async function expect(flags: ExpectFlags): Promise<void> {
  const text = readOptionFile('--file', flags.file, LARGEST_FILE).toString('utf8')
  const taken = await withChanger(flags, (changer) => takeAll(changer, text, flags))
  await printResult(flags, taken, wordsFor(taken))
}

/** Every line is checked before the first one is sent. */
async function takeAll({ ask }: Asker, text: string, { file, json = false }: ExpectFlags): Promise<Taken> {
  const { kinds } = await ask(RECONCILE_READS.showReconcile)
  const reconciled = kinds.map(({ institution, environment, ...names }) => ({
    environment: realmOf(institution, environment),
    ...names,
  }))
  const groups = expectedIn(text, file, reconciled)
  const requests = groups.flatMap((group) => requestsFor(group, MOST))
  const total = groups.reduce((sum, { subjects }) => sum + subjects.size, 0)
  const show = progressUnless(json || requests.length < 2)
  let taken: Taken = { expected: 0, added: 0 }
  for (const request of requests) {
    const next = await ask(EXPECTATIONS.expectSubjects, { body: request }).catch((error: unknown) => {
      throw withRest(error, taken, total)
    })
    taken = { expected: taken.expected + next.expected, added: taken.added + next.added }
    const words = `${taken.expected} of ${total}`
    show({ share: taken.expected / total, words, isEnded: taken.expected === total })
  }
  return taken
}

function withRest(error: unknown, { expected }: Taken, total: number): unknown {
  if (!(error instanceof PortariaError)) return error
  const rest = `${expected} of ${total} were taken: run the command again, it takes each once`
  return new PortariaError(error.code, `${error.message}; ${rest}`, { cause: error })
}

function wordsFor({ expected, added }: Taken): string {
  const earlier = expected === added ? '' : `, ${expected - added} of them since earlier`
  return `${expected} ${expected === 1 ? 'id is' : 'ids are'} expected${earlier}\n`
}
