import type { Clock } from './clock.ts'
import { createDueQueue } from './due-queue.ts'
import type { Records } from './records.ts'

/** Work at simulated times. It survives a restart together with the records. */
export interface Tasks {
  /** Says what a kind of task does. A rejection is reported and the task is over. */
  define<P>(kind: string, run: (payload: P, signal: AbortSignal) => void | Promise<void>): void
  /** @param dueAt simulated time, in ms since 1970; a time that is over means at once */
  schedule(kind: string, dueAt: number, payload: unknown): string
  cancel(id: string): void
  /** The tasks of a kind that have not begun, in the order in which they were scheduled. */
  planned<P>(kind: string): readonly { readonly dueAt: number; readonly payload: P }[]
  /** Cancels all tasks of the kinds that begin with `prefix`, and waits until those that run are aborted. */
  clear(prefix?: string): Promise<void>
  /** Begins to run what is due. */
  start(): void
  /** Moves the simulated time, running the tasks on the way, each at its time. undefined: as the moves before leave it */
  moveTo(instant: number | undefined, isFrozen: boolean | undefined): Promise<void>
  /** Moves the simulated time forward from where the moves that were asked for before have led. */
  moveBy(durationMs: number): Promise<void>
  /** Waits until no task runs that is due at the simulated time. */
  settled(): Promise<void>
  /** No task begins any more; those that run are aborted and wait in the records for the next start. */
  stop(): Promise<void>
}

interface Task {
  readonly id: string
  readonly kind: string
  readonly dueAt: number
  readonly payload: unknown
}

interface Running {
  readonly kind: string
  readonly abort: AbortController
  readonly done: Promise<void>
}

/** Longest delay of a timer of Node. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export function createTasks(records: Records, clock: Clock, report: (error: unknown) => void): Tasks {
  /** All tasks that are not over, for the next start. */
  const kept = records.collection<Task>('tasks')
  /** Those that have not begun. */
  const queue = createDueQueue<Task>()
  for (const task of kept.list()) queue.add(task)
  const runs = new Map<string, (payload: never, signal: AbortSignal) => void | Promise<void>>()
  const running = new Map<string, Running>()
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let isLive = false
  let move: Promise<void> = Promise.resolve()

  /** The task stays in the records until it is over, so that a killed simulator runs it again. */
  async function run({ id, kind, payload }: Task, signal: AbortSignal): Promise<void> {
    try {
      await runs.get(kind)?.(payload as never, signal)
    } catch (error) {
      if (!signal.aborted) report(error)
    } finally {
      running.delete(id)
      if (!stopping.signal.aborted) kept.delete(id)
    }
  }

  function begin(task: Task): void {
    queue.delete(task.id)
    // In a turn of its own: a task that fails at once must not fail who scheduled it.
    const abort = new AbortController()
    const signal = AbortSignal.any([stopping.signal, abort.signal])
    const done = Promise.resolve().then(() => run(task, signal))
    running.set(task.id, { kind: task.kind, abort, done })
  }

  async function allDone(): Promise<void> {
    await Promise.all([...running.values()].map(({ done }) => done))
  }

  /** Runs what is due, and sets a timer for what comes then. */
  function wake(): void {
    if (!isLive) return
    clearTimeout(timer)
    let task = queue.first()
    for (; task !== undefined && task.dueAt <= clock.now(); task = queue.first()) begin(task)
    if (task === undefined || clock.isFrozen) return
    // The clock may have passed it meanwhile.
    timer = setTimeout(wake, Math.max(0, Math.min(task.dueAt - clock.now(), LONGEST_TIMER_MS)))
    timer.unref()
  }

  async function runAllDue(until: number): Promise<void> {
    for (;;) {
      const task = queue.first()
      if (stopping.signal.aborted || task === undefined || task.dueAt > until) {
        if (running.size === 0) return
        await allDone()
        continue
      }
      if (task.dueAt > clock.now()) {
        // What runs belongs to an earlier time.
        await allDone()
        if (queue.first()?.id !== task.id) continue
        clock.set(task.dueAt, true)
      }
      begin(task)
    }
  }

  async function moveTo(instant: number, isFrozen: boolean): Promise<void> {
    isLive = false
    clearTimeout(timer)
    try {
      await runAllDue(instant)
    } finally {
      clock.set(instant, isFrozen)
      isLive = !stopping.signal.aborted
      wake()
    }
  }

  /** During a move the clock shows times on its way. */
  function afterMoves(begin: () => Promise<void>): Promise<void> {
    move = move.catch(() => undefined).then(begin)
    return move
  }

  return {
    define: (kind, run) => void runs.set(kind, run),
    schedule(kind, dueAt, payload) {
      const id = String(records.nextNumber('tasks'))
      const task = { id, kind, dueAt, payload }
      kept.put(id, task)
      queue.add(task)
      wake()
      return id
    },
    cancel(id) {
      queue.delete(id)
      kept.delete(id)
    },
    planned: <P>(kind: string) =>
      queue.list().flatMap((task) => (task.kind === kind ? [{ dueAt: task.dueAt, payload: task.payload as P }] : [])),
    async clear(prefix = '') {
      for (const { id, kind } of queue.list())
        if (kind.startsWith(prefix)) {
          queue.delete(id)
          kept.delete(id)
        }
      const ended = [...running.values()].filter(({ kind }) => kind.startsWith(prefix))
      for (const { abort } of ended) abort.abort()
      await Promise.all(ended.map(({ done }) => done))
      await move.catch(() => undefined)
    },
    start() {
      isLive = true
      wake()
    },
    moveTo: (instant, isFrozen) => afterMoves(() => moveTo(instant ?? clock.now(), isFrozen ?? clock.isFrozen)),
    moveBy: (durationMs) => afterMoves(() => moveTo(clock.now() + durationMs, clock.isFrozen)),
    async settled() {
      await move
      for (;;) {
        const first = queue.first()
        const isAnyDue = first !== undefined && first.dueAt <= clock.now()
        if (stopping.signal.aborted || (!isAnyDue && running.size === 0)) return
        wake()
        await allDone()
      }
    },
    async stop() {
      isLive = false
      clearTimeout(timer)
      stopping.abort()
      await allDone()
    },
  }
}
