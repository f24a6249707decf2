import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { mainProgram, type TestSite } from '../support/gateway.ts'

/** Halves the time that each of many processes takes to start. */
export const compileCache = resolve(import.meta.dirname, '../../node_modules/.cache/compiled')

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly bytes: Buffer
}

/** The real program in a process of its own, until it ends. */
export function portaria(site: TestSite | null, ...args: string[]): Promise<Ended> {
  return run(process.execPath, [mainProgram(), ...args], site?.configFile)
}

/** In a shell, where `portaria` is the program. */
export function inShell(site: TestSite | null, script: string): Promise<Ended> {
  return run(
    '/bin/bash',
    ['-c', `portaria() { "${process.execPath}" "${mainProgram()}" "$@"; }; ${script}`],
    site?.configFile,
  )
}

function run(command: string, args: readonly string[], configFile: string | undefined): Promise<Ended> {
  const named = configFile === undefined ? {} : { PORTARIA_CONFIG: configFile }
  const env = { PATH: process.env.PATH, TZ: 'UTC', NODE_COMPILE_CACHE: compileCache, ...named }
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err]: [Buffer[], Buffer[]] = [[], []]
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  return new Promise((done, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      const bytes = Buffer.concat(out)
      done({ code, stdout: bytes.toString('utf8'), stderr: Buffer.concat(err).toString('utf8'), bytes })
    })
  })
}

/** One JSON object a line. */
export function linesOf<T = Record<string, unknown>>({ stdout }: Ended): T[] {
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as T)
}
