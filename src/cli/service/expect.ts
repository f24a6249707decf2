import { Command } from 'commander'
import { MOST_SUBJECTS } from '../../api/reconcile/schema.ts'
import type { ReconcileView } from '../../api/reconcile/view.ts'
import { realmOf } from '../../domain/realm.ts'
import { PortariaError } from '../../platform/errors.ts'
import { type ApiCall, withChanges } from '../control-client.ts'
import { readOptionFile } from '../option-files.ts'
import { type ChangeOption, withReason } from '../options.ts'
import { action, printResult } from '../output.ts'
import { progressUnless } from '../progress.ts'
import { expectedIn, requestsFor } from './expected-file.ts'

interface ExpectFlags extends ChangeOption {
  readonly file: string
}

interface Taken {
  readonly expected: number
  readonly added: number
}

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
  const taken = await withChanges(flags, (call) => takeAll(call, text, flags))
  await printResult(flags, taken, wordsFor(taken))
}

/** Every line is checked before the first one is sent. */
async function takeAll(call: ApiCall, text: string, { file, json = false }: ExpectFlags): Promise<Taken> {
  const { kinds } = await call<ReconcileView>('GET', '/v1/service/reconcile')
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
    const next = await call<Taken>('POST', '/v1/service/expected', request).catch((error: unknown) => {
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
