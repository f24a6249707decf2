import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import type { RunCheck } from '../../api/check/check-runs.ts'
import { entryModule } from '../../platform/program-files.ts'
import { EXIT } from '../output.ts'

/** More than the check of the database may take. */
const LIMIT_MS = 120_000
const SHOWN_CHARACTERS = 500

/**
 * Runs `portaria check --json` in a process of its own: reading certificates and connecting to destinations does not delay callbacks, and the time
 * limit holds for every step.
 * @param stopping kills a check under way
 */
export function checkInProcess(configFile: string, stopping: AbortSignal, limitMs = LIMIT_MS): RunCheck {
  return async function runCheck() {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(limitMs)])
    const child = spawn(process.execPath, [entryModule('main'), 'check', '--json', '--config', configFile], {
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
      killSignal: 'SIGKILL',
    })
    const { promise: ended, resolve: end, reject } = Promise.withResolvers<number | null>()
    child.once('error', reject).once('close', end)
    try {
      const [code, output, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
      if (code !== EXIT.good && code !== EXIT.no)
        throw new Error(`the check ended with ${code}: ${errors.trim().slice(0, SHOWN_CHARACTERS)}`)
      return output.split('\n').filter((line) => line !== '')
    } catch (error) {
      if (stopping.aborted) throw new Error('the gateway is stopping', { cause: error })
      if (signal.aborted) throw new Error(`the check did not end within ${limitMs / 1000} s`, { cause: error })
      throw error
    }
  }
}
