import { Command } from 'commander'
import { messageOf } from '../platform/errors.ts'
import { say } from '../platform/said.ts'
import { createNarration, type Narration, type StepEnd } from './demo/narration.ts'
import {
  acceptEveryKind,
  forward,
  refuseWithoutCertificate,
  separateEnvironments,
  start,
} from './demo/opening-steps.ts'
import { businessOfService, register } from './demo/service-steps.ts'
import { type Step, Tour } from './demo/tour.ts'
import { outliveGateway, outliveReceiver } from './demo/trouble-steps.ts'
import { DemoFailure } from './demo/waiting.ts'
import { action, EXIT, tell } from './output.ts'

const STEPS: readonly Step[] = [
  start,
  register,
  refuseWithoutCertificate,
  businessOfService,
  separateEnvironments,
  acceptEveryKind,
  forward,
  outliveReceiver,
  outliveGateway,
]
const LIMIT_MS = 40_000
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function demoCommand(): Command {
  return new Command('demo')
    .option('--json', 'print one JSON object per step, then one with the counts')
    .action(action(demo))
}

async function demo(options: { json?: boolean }): Promise<void> {
  const ending = new AbortController()
  const end = (problem: string) => ending.abort(new DemoFailure(problem))
  for (const signal of SIGNALS) process.on(signal, () => end(`stopped by ${signal}`))
  const limit = setTimeout(
    end,
    LIMIT_MS,
    `not done after ${LIMIT_MS / 1000} s: this machine may be too busy, try again`,
  )
  const tour = new Tour(ending.signal)
  const narration = createNarration(options.json === true)
  try {
    const failed = await takeSteps(tour, narration)
    await narration.finish(failed === null, tour.counts)
    if (failed === null) return
    tell(
      say`demo: step ${{ number: failed.step }} (${{ words_title: failed.title }}) failed: ${{ words: failed.error ?? '' }}`,
    )
    process.exitCode = EXIT.no
  } finally {
    clearTimeout(limit)
    await tour.close()
  }
}

/** The failed step, which is the last one; null if none failed. */
async function takeSteps(tour: Tour, narration: Narration): Promise<StepEnd | null> {
  await narration.open()
  for (const [index, { title, run }] of STEPS.entries()) {
    const startedAt = performance.now()
    const step = index + 1
    await narration.begin(step, title)
    const result = await run(tour, narration).then(
      (details) => ({ ok: true, error: null, details }),
      (error: unknown) => ({ ok: false, error: explain(error, tour), details: {} }),
    )
    const ended = { step, title, ...result, durationMs: Math.round(performance.now() - startedAt) }
    await narration.end(ended)
    if (!ended.ok) return ended
  }
  return null
}

/** The cause of the end goes before its consequences: a dead gateway before the connections that it broke. */
function explain(error: unknown, tour: Tour): string {
  if (tour.signal.aborted) return messageOf(tour.signal.reason)
  if (error instanceof DemoFailure) return error.message
  return tour.gateway?.exitReport() ?? messageOf(error)
}
