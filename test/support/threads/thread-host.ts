/* A worker that runs threads of the store, one after the other: see worker-threads.ts. */
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { compileFunction } from 'node:vm'
import { type MessagePort, parentPort } from 'node:worker_threads'

interface Thread {
  readonly url: string
  readonly data: unknown
  readonly port: MessagePort
}

const IMPORT = /^import \{([^}]*)\} from '([^']+)'/gm

/** Runs the code of a thread: the modules that it imports by name, in their order, are the argument. */
type RunThread = (modules: readonly object[]) => void

const compiled = new Map<string, { readonly run: RunThread; readonly imported: readonly string[] }>()

/** The module as a function. A module that is imported again and again, under other names, stays in memory, and is compiled each time. */
function compile(url: string) {
  const file = fileURLToPath(url)
  const imported: string[] = []
  const source = stripTypeScriptTypes(readFileSync(file, 'utf8')).replaceAll(
    IMPORT,
    (_, names: string, specifier: string) =>
      `const {${names.replaceAll(' as ', ': ')}} = modules[${imported.push(specifier) - 1}]`,
  )
  const thread = { run: compileFunction(source, ['modules'], { filename: file }) as RunThread, imported }
  compiled.set(url, thread)
  return thread
}

parentPort?.on('message', async ({ url, data, port }: Thread) => {
  port.once('close', () => parentPort?.postMessage('ended'))
  const { run, imported } = compiled.get(url) ?? compile(url)
  // The thread has a port and data of its own, instead of those of this worker.
  const own = { parentPort: port, workerData: data }
  run(
    await Promise.all(
      imported.map((name) =>
        name === 'node:worker_threads' ? own : import(name.startsWith('.') ? new URL(name, url).href : name),
      ),
    ),
  )
})
