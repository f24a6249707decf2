import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { inject, onTestFinished } from 'vitest'
import { stringify } from 'yaml'
import type { Config } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import type { Address } from '../../src/gateway/addresses.ts'
import { type Gateway, type GatewayOptions, startGateway } from '../../src/gateway/gateway.ts'
import type { Log } from '../../src/platform/log.ts'
import { sharesContract } from './api-contract.ts'
import { temporaryFolder } from './temporary-folder.ts'

export const MAIN = resolve(import.meta.dirname, '../../src/main.ts')
export const OPERATOR_TOKEN = 'operator-token-for-tests-0123456789abcdef'

export interface TestSite {
  /** Holds certs/, data/ and portaria.yaml. */
  readonly folder: string
  readonly configFile: string
  readonly certs: string
}

/** A folder with certificates, an operator's token and a configuration on free ports; `changes` are merged over its top-level keys. */
export async function createSite(
  changes: Record<string, unknown> = {},
  folder: string = temporaryFolder(),
): Promise<TestSite> {
  const certs = join(folder, 'certs')
  cpSync(inject('testCa'), certs, { recursive: true })
  writeFileSync(join(folder, 'operator-token'), OPERATOR_TOKEN, { mode: 0o600 })
  const configFile = join(folder, 'portaria.yaml')
  writeFileSync(configFile, stringify({ ...BASE, ...changes }))
  return { folder, configFile, certs }
}

export const BASE_CALLBACKS = {
  host: '127.0.0.1',
  port: 0,
  certificate: 'certs/server.crt',
  privateKey: 'certs/server.key',
  trust: [
    { environment: 'production', chain: 'certs/trust/production.pem' },
    { environment: 'sandbox', chain: 'certs/trust/sandbox.pem' },
  ],
  kinds: {
    registration: { path: '/callbacks/registration' },
    payment: { path: '/callbacks/payment', split: ['/pix'] },
    charge: { path: '/callbacks/charge' },
  },
}

const BASE = {
  callbacks: BASE_CALLBACKS,
  api: { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token' },
  // Whatever else is on the disk of the person who runs the tests.
  // Some tests are about events of long ago.
  storage: {
    url: 'sqlite:data/portaria.db',
    minFreeSpace: '256MiB',
    retention: { payload: '36500d', metadata: '36500d' },
  },
  // Unless its database is an SQLite file.
  node: { folder: 'data' },
  forwarding: {
    allowedNetworks: ['127.0.0.0/8', '::1'],
    schedule: ['0s', '200ms', '200ms', '500ms', '1s', '5s'],
    timeout: '2s',
  },
}

export interface LogLine {
  readonly level: string
  readonly event: string
  readonly [field: string]: unknown
}

export interface TestGateway {
  readonly site: TestSite
  readonly config: Config
  readonly callbacks: Address
  readonly charges: Address | null
  readonly api: Address
  readonly lines: readonly LogLine[]
  readonly lost: Promise<Error>
  isAlive(): boolean
  reload: Gateway['reload']
  reloadTrust: Gateway['reloadTrust']
  stop(): Promise<void>
}

/** The real gateway in this process; stopped when the test is over. */
export async function startTestGateway(
  site?: TestSite,
  options: Pick<GatewayOptions, 'runCheck' | 'sumUpWith'> = {},
): Promise<TestGateway> {
  const at = site ?? (await createSite())
  const config = loadConfig(at.configFile)
  const lines: LogLine[] = []
  const { promise: lost, resolve: onLost } = Promise.withResolvers<Error>()
  const gateway = await startGateway(config, { log: recordingLog(lines), onLost, ...options })
  onTestFinished(() => gateway.stop())
  sharesContract(gateway.addresses.api, documentKey(at, options.runCheck === undefined))
  const { isAlive, reload, reloadTrust, stop } = gateway
  return { site: at, config, ...gateway.addresses, lines, lost, isAlive, reload, reloadTrust, stop }
}

export function recordingLog(lines: LogLine[]): Log {
  const at = (level: string) => (fields: object, event: string) => void lines.push({ level, event, ...fields })
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

export interface SpawnedGateway {
  readonly process: ChildProcess
  readonly callbacks: Address
  readonly charges: Address | null
  readonly api: Address
  readonly lines: readonly LogLine[]
  /** Resolves with the exit code, or the signal's name. */
  readonly exited: Promise<number | string>
}

/** What a process of a test runs: bundled where a whole run has made that, else as it is in a clone. */
export function mainProgram(): string {
  return inject('bundledMain') ?? MAIN
}

/**
 * The real program in a process of its own: `wrapper` may be a program such as strace with its arguments.
 * @param atEnd when the process is killed; a gateway of several tests needs another end than that of one test
 * @param main MAIN, where the test is about how a clone runs
 */
export async function spawnGateway(
  site: TestSite,
  wrapper: readonly string[] = [],
  atEnd: AtEnd = onTestFinished,
  main: string = mainProgram(),
): Promise<SpawnedGateway> {
  const [command, ...args] = [...wrapper, process.execPath, main, 'serve', '--config', site.configFile]
  const key = documentKey(site, false)
  const gateway = await followGateway(spawn(command as string, args, { stdio: ['ignore', 'ignore', 'pipe'] }), atEnd)
  sharesContract(gateway.api, key)
  return gateway
}

/** The document of the API follows from the configuration, and from whether the gateway can run the check. */
function documentKey({ configFile }: TestSite, isWithoutCheck: boolean): string {
  return JSON.stringify([isWithoutCheck, readFileSync(configFile, 'utf8')])
}

/** How many callbacks these lines say were stored. */
export function countStored(lines: readonly LogLine[]): number {
  const ofEvent = (event: string) => lines.filter((line) => line.event === event)
  const summed = ofEvent('callbacks.stored').reduce((sum, line) => sum + Number(line.callbacks), 0)
  return ofEvent('callback.stored').length + summed
}

/** Registers what must be closed at an end. */
export type AtEnd = (close: () => void | Promise<void>) => void

/** A process that becomes a gateway, until it has started. */
export async function followGateway(child: ChildProcess, atEnd: AtEnd = onTestFinished): Promise<SpawnedGateway> {
  atEnd(() => void child.kill('SIGKILL'))
  const exited = new Promise<number | string>((done) =>
    child.once('exit', (code, signal) => done(code ?? signal ?? 'unknown')),
  )
  const lines: LogLine[] = []
  const started = new Promise<LogLine>((done, fail) => {
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (text) => {
      const line = text.startsWith('{') ? (JSON.parse(text) as LogLine) : { level: 'raw', event: text }
      lines.push(line)
      if (line.event === 'gateway.started') done(line)
    })
    void exited.then((code) =>
      fail(new Error(`the gateway ended with ${code}: ${lines.map((line) => JSON.stringify(line)).join('\n')}`)),
    )
  })
  const line = await started
  return {
    process: child,
    callbacks: line.callbacks as Address,
    charges: (line.charges as Address | null) ?? null,
    api: line.api as Address,
    lines,
    exited,
  }
}

/** Client certificate and key of the test CA service, as Node's TLS options; trusts the gateway's own certificate. */
export function serviceCredentials(site: TestSite, environment: 'production' | 'sandbox' = 'production') {
  return {
    ca: readFileSync(join(site.certs, 'server-ca.crt')),
    cert: readFileSync(join(site.certs, `service/${environment}-client.crt`)),
    key: readFileSync(join(site.certs, `service/${environment}-client.key`)),
  }
}
