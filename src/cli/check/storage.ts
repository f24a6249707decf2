import { fork } from 'node:child_process'
import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { messageOf, PortariaError } from '../../domain/errors.ts'
import { openStoreReader } from '../../store/open-store.ts'
import type { CheckContext } from './context.ts'
import { type Finding, reportOn } from './finding.ts'

const { good, warning, problem } = reportOn('storage')

const MIB = 1024 * 1024
const GIB = 1024 * MIB
const PROGRESS_MS = 2000
/** Below the first new callbacks may soon be refused with 503; below the second there is little time to act. */
const LEAST_FREE = 256 * MIB
const LITTLE_FREE = 2 * GIB

/** The database, read only, beside the running gateway or without one. */
export async function checkStorage(context: CheckContext, integrityLimitMs: number): Promise<Finding[]> {
  const { file } = context.config.storage
  const space = spaceFinding(file)
  if (!existsSync(file)) return [good('database', `${file} is not there yet: it is made at start`), space]
  const schema = await schemaFinding(file)
  return [schema, await integrityFinding(context, integrityLimitMs), space]
}

async function schemaFinding(file: string): Promise<Finding> {
  try {
    const reader = await openStoreReader(file)
    await reader.close()
    return good('database', `${file}, ${sizeInWords(sizeOf(file))}`)
  } catch (error) {
    if (!(error instanceof PortariaError)) throw error
    // An older schema: the gateway migrates it.
    if (error.code === 'store_missing') return warning('database', error.message, 'start the gateway once')
    return problem('database', error.message, 'see what is said there; a backup can be restored')
  }
}

async function integrityFinding({ config, progress }: CheckContext, limitMs: number): Promise<Finding> {
  const { file } = config.storage
  const what = 'integrity'
  const seconds = limitMs / 1000
  const startedAt = performance.now()
  const shown = setInterval(() => {
    const done = Math.round((performance.now() - startedAt) / 1000)
    progress(`checking ${sizeInWords(sizeOf(file))} of database: ${done} s of at most ${seconds} s`)
  }, PROGRESS_MS)
  try {
    const problems = await quickCheck(file, limitMs)
    if (problems === null) {
      const found = `not checked to the end within ${seconds} s: ${sizeInWords(sizeOf(file))}`
      return warning(what, found, 'give it more time with --integrity-limit SECONDS')
    }
    if (problems.length === 0) return good(what, 'SQLite finds nothing wrong')
    const nextStep = 'stop the gateway, keep the damaged files aside, and restore a backup; look at the disk'
    return problem(what, problems.join('; '), nextStep)
  } finally {
    clearInterval(shown)
  }
}

/** What is wrong; null when the time was not enough. */
function quickCheck(file: string, limitMs: number): Promise<string[] | null> {
  const child = fork(new URL('./integrity-process.ts', import.meta.url), [file], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  return new Promise((resolve, reject) => {
    let isOverdue = false
    let said = ''
    const timer = setTimeout(() => {
      isOverdue = true
      child.kill('SIGKILL')
    }, limitMs)
    child.stderr?.on('data', (text: Buffer) => (said += text.toString()))
    child.once('message', (problems) => resolve(problems as string[]))
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(timer)
      if (isOverdue) resolve(null)
      // After an answer this changes nothing any more.
      else reject(new Error(`the database could not be checked (exit code ${code}): ${said}`))
    })
  })
}

function spaceFinding(file: string): Finding {
  let folder = dirname(file)
  while (!existsSync(folder)) folder = dirname(folder)
  const what = 'free space'
  try {
    const { bavail, bsize } = statfsSync(folder)
    const free = bavail * bsize
    const found = `${sizeInWords(free)} free at ${folder}`
    const nextStep = 'free some, or move the database (storage.url) to a larger disk'
    if (free < LEAST_FREE) return problem(what, `${found}: callbacks are refused (503) when it is full`, nextStep)
    return free < LITTLE_FREE ? warning(what, found, nextStep) : good(what, found)
  } catch (error) {
    return warning(what, messageOf(error), `look at ${folder} with: df -h`)
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

function sizeInWords(bytes: number): string {
  return bytes < GIB ? `${(bytes / MIB).toFixed(1)} MiB` : `${(bytes / GIB).toFixed(1)} GiB`
}
