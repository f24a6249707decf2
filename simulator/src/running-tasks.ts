/** A task with the simulated time at which it begins, in ms since 1970. */
export interface Task {
  readonly id: string
  readonly kind: string
  readonly dueAt: number
  readonly payload: unknown
}

export type RunTask = (payload: never, signal: AbortSignal) => void | Promise<void>

interface Running {
  readonly kind: string
  readonly abort: AbortController
  readonly done: Promise<void>
}

/**
 * The tasks that have begun and are not over.
 * @param stopping aborts all of them
 * @param onOver called unless the simulator stops
 */
export function createRunningTasks({
  runs,
  stopping,
  onOver,
  report,
}: {
  readonly runs: ReadonlyMap<string, RunTask>
  readonly stopping: AbortSignal
  readonly onOver: (id: string) => void
  readonly report: (error: unknown) => void
}) {
  const running = new Map<string, Running>()

  /** The task stays in the records until it is over, so that a killed simulator runs it again. */
  async function run({ id, kind, payload }: Task, signal: AbortSignal): Promise<void> {
    try {
      await runs.get(kind)?.(payload as never, signal)
    } catch (error) {
      if (!signal.aborted) report(error)
    } finally {
      running.delete(id)
      if (!stopping.aborted) onOver(id)
    }
  }

  return {
    isEmpty: () => running.size === 0,
    begin(task: Task): void {
      const abort = new AbortController()
      const signal = AbortSignal.any([stopping, abort.signal])
      // In a turn of its own: a task that fails at once must not fail who scheduled it.
      const done = Promise.resolve().then(() => run(task, signal))
      running.set(task.id, { kind: task.kind, abort, done })
    },
    async allDone(): Promise<void> {
      await Promise.all([...running.values()].map(({ done }) => done))
    },
    /** Aborts those of the kinds that begin with `prefix`, and waits for their end. */
    async abort(prefix: string): Promise<void> {
      const ended = [...running.values()].filter(({ kind }) => kind.startsWith(prefix))
      for (const { abort } of ended) abort.abort()
      await Promise.all(ended.map(({ done }) => done))
    },
  }
}
