import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Address } from '../../gateway/gateway.ts'
import { DemoFailure } from './waiting.ts'

const MAIN = resolve(import.meta.dirname, '../../main.ts')
const LINES_KEPT = 5

/** Sends SIGKILL before it returns; resolves when the process is gone. */
export type Kill = () => Promise<void>

export interface GatewayProcess {
  readonly pid: number
  readonly callbacks: Address
  readonly api: Address
  readonly kill: Kill
  /** Exit and last output; null while it runs. */
  exitReport(): string | null
}

/**
 * Starts `portaria serve`; resolves once it has logged its ports.
 * @param onSpawned gets a function that kills the process, before anything else can fail
 */
export function spawnGateway(
  configFile: string,
  { signal, onSpawned }: { signal: AbortSignal; onSpawned: (kill: Kill) => void },
): Promise<GatewayProcess> {
  const child = spawn(process.execPath, [MAIN, 'serve', '--config', configFile], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const lastLines: string[] = []
  let ending: string | null = null
  const exitReport = () => ending && `the gateway ended with ${ending}; its last lines:\n${lastLines.join('\n')}`
  const gone = new Promise<void>((done) => {
    const end = (how: string) => {
      ending = how
      done()
    }
    child.once('error', (error) => end(error.message))
    child.once('exit', (code, name) => end(String(name ?? code)))
  })
  const kill: Kill = () => {
    child.kill('SIGKILL')
    return gone
  }
  onSpawned(kill)
  return new Promise((done, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    createInterface({ input: child.stderr }).on('line', (line) => {
      lastLines.push(line)
      if (lastLines.length > LINES_KEPT) lastLines.shift()
      const addresses = addressesIn(line)
      if (addresses === null) return
      signal.removeEventListener('abort', abort)
      done({ pid: child.pid as number, ...addresses, kill, exitReport })
    })
    // Its last lines may arrive after its exit.
    void gone.then(() => setImmediate(() => reject(new DemoFailure(exitReport() ?? 'the gateway ended'))))
  })
}

/** From the line `gateway.started`; null for other lines. */
function addressesIn(line: string): { callbacks: Address; api: Address } | null {
  if (!line.includes('"gateway.started"')) return null
  const { callbacks, api } = JSON.parse(line) as { callbacks: Address; api: Address }
  return { callbacks, api }
}
