import { setTimeout as sleep } from 'node:timers/promises'
import type { ReconcileProgress, ReconcileRequest, Reconciler } from '../../domain/reconcile/reconciler.ts'
import { serviceDay } from '../../domain/reconcile/service-day.ts'
import { messageOf, PortariaError } from '../../platform/errors.ts'
import { startRounds } from '../resolving/rounds.ts'
import { waitForCircuit } from './pass.ts'
import { createPasses, type PassesOptions, usualDays } from './passes.ts'
import { type RunningProgress, startProgress } from './progress.ts'
import { createSchedule, type ScheduleParts } from './schedule.ts'
import { raiseSilences, type SilenceParts } from './silent-subjects.ts'
import { takeUpEvents } from './take-up.ts'

export interface ReconcilerOptions
  extends PassesOptions,
    Pick<ScheduleParts, 'outages'>,
    Pick<SilenceParts, 'onRaised'> {
  readonly store: PassesOptions['store'] & SilenceParts['store']
  /** Whether this process asks, where others could, too; default: no other could. */
  readonly isMine?: (() => boolean) | undefined
}

export interface RunningReconciler extends Reconciler {
  /** Takes up what events have told, so that the counts are those of now; of a long way, what a second allows. Never rejects. */
  takeUp(): Promise<void>
  /** Looks for work now. */
  wake(): void
  /** Aborts the questions under way: their subjects are asked for after the next start. */
  stop(): Promise<void>
}

/** Between two looks at what events have told. */
const TAKE_UP_EVERY_MS = 30_000
const SHORTEST_REST_MS = 1_000
/** For a caller who waits. */
const LONGEST_TAKE_UP_MS = 1_000
/** After a failure of the store. */
const AGAIN_MS = 15_000

type Run = { -readonly [K in keyof ReconcileProgress]: ReconcileProgress[K] } & {
  readonly environments: RunningProgress[]
}

/** Asks the service for what was missed: by schedule, after outages, and when asked to. One pass at a time. */
export function startReconciler(options: ReconcilerOptions): RunningReconciler {
  const { realms, store, settingsOf, isMine = () => true, now, log } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const passes = createPasses(options, signal)
  const schedule = createSchedule(options, passes)
  /** The run that was asked for last. `start` makes it, `runRequested` fills it. */
  let current: Run | null = null
  /** What was requested and has not begun. `start` sets it, `round` takes it. */
  let waiting: ReconcileRequest | null = null
  let runs = 0
  /** The last take-up: each waits for the one before. */
  let takingUp: Promise<void> = Promise.resolve()

  function takeUp(): Promise<void> {
    const next = takingUp.then(() => takeUpEvents({ store, settingsOf }, signal))
    takingUp = next.catch(() => undefined)
    return next
  }

  async function raiseAll(): Promise<void> {
    for (const environment of realms) {
      const settings = settingsOf(environment)
      if (settings !== null && !signal.aborted) await raiseSilences(environment, settings, options)
    }
  }

  async function runRequested({ since, environments, isDryRun }: ReconcileRequest, run: Run): Promise<void> {
    const days = since === null ? usualDays(now()) : { first: serviceDay(since), last: serviceDay(now()) }
    const all = (environments.length === 0 ? realms : environments).flatMap((environment) => {
      const settings = settingsOf(environment)
      if (settings === null) return []
      const progress = startProgress(environment)
      run.environments.push(progress)
      return passes.make(environment, settings, { since, days, isDryRun, dueBy: null, progress })
    })
    // Each environment has a service of its own: one that is away keeps no other one waiting.
    const ended = await Promise.allSettled(
      all.map(async (pass) => {
        await waitForCircuit(pass)
        await passes.run(pass)
      }),
    )
    for (const one of ended) if (one.status === 'rejected') throw one.reason
  }

  async function finish(request: ReconcileRequest, run: Run): Promise<void> {
    try {
      await runRequested(request, run)
      run.state = signal.aborted ? 'failed' : 'done'
    } catch (error) {
      run.state = 'failed'
      throw error
    } finally {
      run.endedAt = now()
    }
  }

  /** @returns how long there is nothing to do, in ms */
  async function round(): Promise<number> {
    if (!isMine()) return TAKE_UP_EVERY_MS
    await takeUp()
    const request = waiting
    waiting = null
    if (request !== null && current !== null) await finish(request, current)
    await raiseAll()
    await schedule.run(() => waiting === null && !signal.aborted)
    return waiting === null ? Math.max(SHORTEST_REST_MS, Math.min(TAKE_UP_EVERY_MS, schedule.restMs())) : 0
  }

  async function roundOrRest(): Promise<number> {
    try {
      return await round()
    } catch (error) {
      if (!signal.aborted) log.warn({ error: messageOf(error) }, 'reconcile.delayed')
      return AGAIN_MS
    }
  }

  const rounds = startRounds(roundOrRest, signal)
  return {
    async takeUp() {
      const limit = sleep(LONGEST_TAKE_UP_MS, undefined, { ref: false })
      await Promise.race([takeUp().catch(() => undefined), limit])
    },
    wake: rounds.wake,
    current: () => current,
    start(request) {
      if (current?.state === 'running') return current
      if (!isMine()) throw new PortariaError('conflict', ANOTHER_NODE)
      const { isDryRun, since } = request
      current = {
        id: `rec_${++runs}`,
        isDryRun,
        since,
        state: 'running',
        beganAt: now(),
        endedAt: null,
        environments: [],
      }
      waiting = request
      rounds.wake()
      return current
    },
    async stop() {
      stopping.abort()
      await rounds.ended
      await takingUp
    },
  }
}

const ANOTHER_NODE =
  'another node asks the service at present: run the command there; portaria nodes list shows which node has the jobs'
