import type { Clock } from './clock.ts'
import { createDueQueue } from './due-queue.ts'
import type { Records } from './records.ts'
import { createRunningTasks, type RunTask, type Task } from './running-tasks.ts'

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

/** Longest delay of a timer of Node. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export function createTasks(records: Records, clock: Clock, report: (error: unknown) => void): Tasks {
  /** All tasks that are not over, for the next start. */
  const kept = records.collection<Task>('tasks')
  /** Those that have not begun. */
  const queue = createDueQueue<Task>()
  for (const task of kept.list()) queue.add(task)
  const runs = new Map<string, RunTask>()
  const stopping = new AbortController()
  const running = createRunningTasks({ runs, stopping: stopping.signal, onOver: (id) => kept.delete(id), report })
  /** Of `wake`, for the next task; a move and the stop end it. */
  let timer: NodeJS.Timeout | undefined
  /** From the start to the stop, but not during a move. */
  let isLive = false
  /** The last move that was asked for: `afterMoves` puts the next one behind it. */
  let move: Promise<void> = Promise.resolve()

  function begin(task: Task): void {
    queue.delete(task.id)
    running.begin(task)
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
        if (running.isEmpty()) return
        await running.allDone()
        continue
      }
      if (task.dueAt > clock.now()) {
        // What runs belongs to an earlier time.
        await running.allDone()
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
      await running.abort(prefix)
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
        if (stopping.signal.aborted || (!isAnyDue && running.isEmpty())) return
        wake()
        await running.allDone()
      }
    },
    async stop() {
      isLive = false
      clearTimeout(timer)
      stopping.abort()
      await running.allDone()
    },
  }
}
