/* A worker that runs threads of the store, one after the other: see worker-threads.ts. */
import { readFileSync } from 'node:fs'
import { type ResolveFnOutput, registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type MessagePort, parentPort } from 'node:worker_threads'

interface Thread {
  readonly id: number
  readonly url: string
  readonly data: unknown
  readonly port: MessagePort
}

const THREAD = /^(.+-thread\.ts)\?thread=(\d+)$/
/** Of the modules that evaluate a thread: read and resolved once, though they are evaluated for each thread. */
const sources = new Map<string, string>()
const resolved = new Map<string, ResolveFnOutput>()

function sourceOf(url: string): string {
  const source = sources.get(url) ?? stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'))
  sources.set(url, source)
  return source
}

/** A thread imports its own port and data from node:worker_threads, instead of those of this worker. */
registerHooks({
  resolve(specifier, context, next) {
    const [, url, id] = THREAD.exec(context.parentURL ?? '') ?? []
    if (url === undefined) return next(specifier, context)
    if (specifier === 'node:worker_threads') return { url: `thread:${id}`, format: 'module', shortCircuit: true }
    const key = `${specifier} ${url}`
    const found = resolved.get(key) ?? { ...next(specifier, context), shortCircuit: true }
    resolved.set(key, found)
    return found
  },
  load(url, context, next) {
    const [, file] = THREAD.exec(url) ?? []
    if (file !== undefined) return { format: 'module', source: sourceOf(file), shortCircuit: true }
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
