import { resolve } from 'node:path'
import { ForksPoolWorker, type PoolOptions } from 'vitest/node'

type Message = Parameters<ForksPoolWorker['send']>[0]
type Listener = (...args: unknown[]) => void

/**
 * A worker of vitest that outlives a run: its start, its packages and its compiled code took three quarters of the time of a rule.
 * vitest starts and stops a worker for each run; the second start and every stop are answered here.
 */
export class KeptWorker extends ForksPoolWorker {
  override readonly name = 'kept'
  /** Files that vitest keeps of transformed modules do not show what is broken. */
  override readonly cacheFs = false
  protected override readonly entrypoint = resolve(import.meta.dirname, 'worker.ts')
  readonly #listeners = new Set<Listener>()
  #state: 'new' | 'running' | 'ended' = 'new'

  constructor(options: PoolOptions) {
    super(options)
    // Of the run that has started this one.
    this.execArgv = []
  }

  get isEnded(): boolean {
    return this.#state === 'ended'
  }

  override on(event: string, listener: Listener): void {
    if (event === 'message') this.#listeners.add(listener)
    super.on(event, listener)
  }

  override off(event: string, listener: Listener): void {
    if (event === 'message') this.#listeners.delete(listener)
    super.off(event, listener)
  }

  override async start(): Promise<void> {
    if (this.#state !== 'new') return
    await super.start()
    super.on('exit', () => {
      this.#state = 'ended'
    })
  }

  override send(message: Message): void {
    const type = 'type' in message ? message.type : undefined
    if (type === 'stop') return this.#answer('stopped')
    if (type === 'start' && this.#state === 'running') return this.#answer('started')
    if (type === 'start') this.#state = 'running'
    super.send(message)
  }

  #answer(type: string): void {
    setImmediate(() => {
      for (const listener of [...this.#listeners]) listener({ type, __vitest_worker_response__: true })
    })
  }

  /** Ends a run only: the next one has listeners of its own. */
  override async stop(): Promise<void> {
    for (const listener of this.#listeners) this.off('message', listener)
  }

  /** Ends the process. */
  end(): Promise<void> {
    return super.stop()
  }
}
