import { entryModule } from '../platform/program-files.ts'
import { type ChildOptions, runInChild } from './child-process.ts'
import type { DatabaseJobs } from './database-process.ts'
import { progressUnless } from './progress.ts'

type Job = keyof DatabaseJobs
type Input<J extends Job> = Parameters<DatabaseJobs[J]>[0]
type Step<J extends Job> = Parameters<Parameters<DatabaseJobs[J]>[1]>[0]
type Result<J extends Job> = Awaited<ReturnType<DatabaseJobs[J]>>

/** Runs a job on a database in a child process. @throws as `runInChild` */
export function runDatabaseJob<J extends Job>(
  job: J,
  input: Input<J>,
  options: Omit<ChildOptions<Step<J>>, 'module' | 'args'>,
): Promise<Result<J>> {
  return runInChild<Step<J>, Result<J>>({
    module: entryModule('database-process'),
    args: [job, JSON.stringify(input)],
    ...options,
  })
}

interface Shown {
  /** Shows no progress. */
  readonly isQuiet: boolean
  /** In front of what each step says. */
  readonly verb?: string
  /** Shown once all steps are done. */
  readonly done: string
  readonly interrupted: string
}

/** The same for jobs whose steps are counted, with their progress on standard error. */
export async function runWithProgress<J extends 'stats' | 'verify' | 'verifyChain' | 'verifySearch'>(
  job: J,
  input: Input<J>,
  { isQuiet, verb = '', done, interrupted }: Shown,
): Promise<Result<J>> {
  const show = progressUnless(isQuiet)
  const onStep = (step: Step<J>) => show({ share: step.done / step.of, words: `${verb}${step.words}`, isEnded: false })
  const result = await runDatabaseJob(job, input, { onStep, interrupted })
  show({ share: 1, words: done, isEnded: true })
  return result
}
