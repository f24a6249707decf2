import { spawn } from 'node:child_process'
import type { EventEmitter } from 'node:events'
import { resolve } from 'node:path'
import { speak } from '../../src/cli/language/language.ts'
import { runCommandLine } from '../../src/cli/program/command-line.ts'
import { giveRemote } from '../../src/cli/remote/chosen.ts'
import { mainProgram, type TestSite } from '../support/gateway.ts'

/** Halves the time that each of many processes takes to start. */
export const compileCache = resolve(import.meta.dirname, '../../node_modules/.cache/compiled')

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly bytes: Buffer
}

/** Tests of one file may ask for several at once. */
let last: Promise<unknown> = Promise.resolve()

/**
 * The command line in this process, one command after the other: its form, its words and its exit code. Starting the program takes longer than most commands.
 * `usage.process.test.ts` starts a command of each noun, at night each command, and compares.
 */
export function portaria(site: TestSite | null, ...args: string[]): Promise<Ended> {
  return portariaIn(environment(site?.configFile), ...args)
}

/** The same, in this environment. */
export function portariaIn(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> {
  const ended = last.then(() => runHere(args, env))
  last = ended.catch(() => undefined)
  return ended
}

/** The real program in a process of its own, until it ends: for signals, streams, threads, limits, and what a process does at its end. */
export function portariaProcess(site: TestSite | null, ...args: string[]): Promise<Ended> {
  return run(process.execPath, [mainProgram(), ...args], site?.configFile)
}

/** What a process has of its own: arguments, environment, streams, exit code, listeners, language and gateway. All of it is put back. */
async function runHere(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const { argv, exitCode, title, stdout, stderr } = process
  const ownEnv = { ...process.env }
  const emitters = [process, stdout, stderr]
  const listeners = emitters.map((emitter) => ofEach(emitter))
  const [out, err]: [Buffer[], Buffer[]] = [[], []]
  const restored = [captured(stdout, out), captured(stderr, err)]
  process.argv = [process.execPath, mainProgram(), ...args]
  setEnvironment(env)
  process.exitCode = undefined
  try {
    await runCommandLine()
    const bytes = Buffer.concat(out)
    const code = Number(process.exitCode ?? 0)
    return { code, stdout: bytes.toString('utf8'), stderr: Buffer.concat(err).toString('utf8'), bytes }
  } finally {
    Object.assign(process, { argv, exitCode, title })
    setEnvironment(ownEnv)
    for (const restore of restored) restore()
    for (const [index, emitter] of emitters.entries()) removeAllBut(emitter, listeners[index] as Listeners)
    await speak('en')
    giveRemote({}, { option: false, any: false })
  }
}

/** In the object of Node: the system's calls (the time zone, the home folder) see no other. */
function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name]
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value
}

function captured(stream: NodeJS.WriteStream, chunks: Buffer[]): () => void {
  const { write } = stream
  stream.write = (chunk: string | Uint8Array, encoding?: unknown, callback?: unknown) => {
    chunks.push(Buffer.from(chunk as string))
    const done = [encoding, callback].find((one) => typeof one === 'function') as (() => void) | undefined
    if (done !== undefined) queueMicrotask(done)
    return true
  }
  return () => {
    stream.write = write
  }
}

type Listeners = ReadonlyMap<string | symbol, readonly unknown[]>

function ofEach(emitter: EventEmitter): Listeners {
  return new Map(emitter.eventNames().map((name) => [name, emitter.rawListeners(name)]))
}

function removeAllBut(emitter: EventEmitter, kept: Listeners): void {
  for (const name of emitter.eventNames()) {
    for (const listener of emitter.rawListeners(name))
      if (!kept.get(name)?.includes(listener)) emitter.removeListener(name, listener as () => void)
  }
}

function environment(configFile: string | undefined): NodeJS.ProcessEnv {
  const named = configFile === undefined ? {} : { PORTARIA_CONFIG: configFile }
  return { PATH: process.env.PATH, TZ: 'UTC', NODE_COMPILE_CACHE: compileCache, ...named }
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
  const child = spawn(command, args, { env: environment(configFile), stdio: ['ignore', 'pipe', 'pipe'] })
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
