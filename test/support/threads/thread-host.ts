/* A worker that runs threads of the store, one after the other: see worker-threads.ts. */
import { registerHooks } from 'node:module'
import { type MessagePort, parentPort } from 'node:worker_threads'

interface Thread {
  readonly id: number
  readonly url: string
  readonly data: unknown
  readonly port: MessagePort
}

/** A thread imports its own port and data from node:worker_threads, instead of those of this worker. */
registerHooks({
  resolve(specifier, context, next) {
    const id = /-thread\.ts\?thread=(\d+)$/.exec(context.parentURL ?? '')?.[1]
    if (id === undefined || specifier !== 'node:worker_threads') return next(specifier, context)
    return { url: `thread:${id}`, format: 'module', shortCircuit: true }
  },
  load(url, context, next) {
    if (!url.startsWith('thread:')) return next(url, context)
    return {
      format: 'module',
      source: 'export const { parentPort, workerData } = globalThis.thread',
      shortCircuit: true,
    }
  },
})

parentPort?.on('message', async ({ id, url, data, port }: Thread) => {
  Object.assign(globalThis, { thread: { parentPort: port, workerData: data } })
  port.once('close', () => parentPort?.postMessage('ended'))
  await import(`${url}?thread=${id}`)
})
