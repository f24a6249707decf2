/**
 * Replaces `node:worker_threads` in `npm test` and `npm run test:process` (vitest.config.ts, vitest.process.config.ts). A thread of the store runs in a worker
 * that an earlier thread has left, instead of in a new worker: the code of the thread runs for each thread, but it is compiled once, and the modules that it
 * imports are loaded once. Starting a worker and loading these modules took three quarters of the time of opening a store, and more than a thousand tests open one.
 * Programs that tests start have threads of their own, and so has all of `npm run test:long`.
 */
import { EventEmitter } from 'node:events'
import { pathToFileURL } from 'node:url'
import type { MessagePort, Worker as NodeWorker, WorkerOptions } from 'node:worker_threads'

// An import would lead to this file.
const threads = process.getBuiltinModule('node:worker_threads')

const HOST = new URL('./thread-host.ts', import.meta.url)
const OF_STORE = /\/src\/store\/sqlite\/threads\/(?:reader|writer)-thread\.ts$/

/** Workers without a thread, with the number of threads that each may still run: a thread that has ended leaves some 0.2 MB. */
const idle: { readonly worker: NodeWorker; readonly left: number }[] = []
const THREADS_PER_WORKER = 500

/** A thread in a worker that is reused, with those members of a Worker that the store uses. */
export class HostedThread extends EventEmitter {
  readonly #worker: NodeWorker
  readonly #left: number
  readonly #port: MessagePort

  constructor(file: string, data: unknown) {
    super()
    const { worker, left } = idle.pop() ?? { worker: new threads.Worker(HOST), left: THREADS_PER_WORKER }
    this.#worker = worker
    this.#left = left - 1
    const { port1, port2 } = new threads.MessageChannel()
    this.#port = port1
    port1.on('message', (message: unknown) => this.emit('message', message))
    this.#worker.on('error', this.#onError).on('exit', this.#onExit).ref()
    void this.#handBackAfter(port1)
    this.#worker.postMessage({ url: pathToFileURL(file).href, data, port: port2 }, [port2])
    ;(process as EventEmitter).emit('worker', this)
  }

  postMessage(message: unknown, transfer: ArrayBuffer[] = []): void {
    this.#port.postMessage(message, transfer)
  }

  terminate(): Promise<number> {
    return this.#worker.terminate()
  }

  readonly #onError = (error: unknown) => void this.emit('error', error)
  readonly #onExit = (code: number) => void this.emit('exit', code)

  /** A thread ends when it closes its port. The worker also says so, because a port that closes may also mean that the worker has died. */
  async #handBackAfter(port: MessagePort): Promise<void> {
    const ended = new Promise((resolve) => this.#worker.once('message', resolve))
    await Promise.all([ended, new Promise((resolve) => port.once('close', resolve))])
    this.#worker.off('error', this.#onError).off('exit', this.#onExit).unref()
    if (this.#left > 0) idle.push({ worker: this.#worker, left: this.#left })
    else void this.#worker.terminate()
    this.emit('exit', 0)
  }
}

/** @param file of the module, or the program itself */
export function Worker(file: string, options: WorkerOptions = {}) {
  return OF_STORE.test(file) ? new HostedThread(file, options.workerData) : new threads.Worker(file, options)
}
