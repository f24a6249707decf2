import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { controlSocketOf } from '../config/control-socket.ts'
import { PortariaError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { type DatabaseIdentity, identifyDatabase, isSameDatabase } from '../store/database-identity.ts'
import { checkForReading } from '../store/sqlite/database/check-for-reading.ts'
import { giveToFolderOwner } from './new-files.ts'

/** Asks the gateway's own API over the control socket. @throws PortariaError with the gateway's words */
export type Ask = <T>(method: string, path: string, body?: unknown) => Promise<T>

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} }
/** Longer than a gateway may take to stop. */
const LIMIT_MS = 12_000

interface ControlOptions {
  /** Nothing is changed: where there is no database, none is created. */
  readonly isDryRun?: boolean
}

/**
 * Talks to the running gateway; if none answers, takes the store's lock and runs the same handlers itself.
 * @throws PortariaError `store_missing` for a dry run where there is no database; and what `use` throws
 */
export async function withControl<T>(
  config: Config,
  use: (ask: Ask) => Promise<T>,
  { isDryRun = false }: ControlOptions = {},
): Promise<T> {
  const path = controlSocketOf(config)
  const ask: Ask = (method, target, body) => send(path, { method, target, body })
  const deadline = performance.now() + LIMIT_MS
  for (;;) {
    const gateway = await findGateway(ask)
    if (gateway !== null) {
      checkDatabase(gateway, config, path)
      return use(ask)
    }
    if (isDryRun) checkForReading(config.storage.file)
    try {
      return await useOwnControl(config, use)
    } catch (error) {
      // Another process has the lock but does not answer yet, or any more: it is starting or stopping, or a command like this one.
      const isPassing = error instanceof PortariaError && error.code === 'store_locked' && performance.now() < deadline
      if (!isPassing) throw error
    }
  }
}

/** Has the running gateway read its certificates and chains again; false where none runs. @throws PortariaError with what it could not take up */
export async function reloadGateway(config: Config): Promise<boolean> {
  const isRunning = await isGatewayRunning(config)
  if (isRunning) await send(controlSocketOf(config), { method: 'POST', target: '/v1/gateway/reload', body: undefined })
  return isRunning
}

/** What the running gateway answers to GET; null where none runs. @throws as `isGatewayRunning` */
export async function askGateway<T>(config: Config, target: string): Promise<T | null> {
  if (!(await isGatewayRunning(config))) return null
  return send<T>(controlSocketOf(config), { method: 'GET', target, body: undefined })
}

/** @throws PortariaError when this user may not ask it, or when another database's gateway answers */
export async function isGatewayRunning(config: Config): Promise<boolean> {
  const path = controlSocketOf(config)
  const gateway = await findGateway((method, target, body) => send(path, { method, target, body }))
  if (gateway !== null) checkDatabase(gateway, config, path)
  return gateway !== null
}

async function useOwnControl<T>(config: Config, use: (ask: Ask) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
  const path = join(folder, 'control.sock')
  try {
    // Only where no gateway runs: it takes longer to load than all the rest of a command.
    const { openControl } = await import('../gateway/control.ts')
    const control = await openControl(config, path, SILENT)
    try {
      return await use((method, target, body) => send(path, { method, target, body }))
    } finally {
      await control.stop()
      giveToFolderOwner(config.storage.file)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What answers at the control socket. */
interface RunningGateway {
  readonly database: DatabaseIdentity
}

async function findGateway(ask: Ask): Promise<RunningGateway | null> {
  try {
    return await ask<RunningGateway>('GET', '/v1/gateway')
  } catch (error) {
    if (error instanceof PortariaError && error.code === 'store_unavailable') return null
    throw error
  }
}

/** Two databases of one folder share the name of the control socket: a command must never reach the other one's gateway. */
function checkDatabase({ database }: RunningGateway, config: Config, path: string): void {
  if (isSameDatabase(database, identifyDatabase(config.storage.file))) return
  throw new PortariaError(
    'conflict',
    `the gateway that answers at ${path} owns another database, ${database.file}, not ${config.storage.file}: give each database a folder of its own (storage.url)`,
  )
}

/** An error as the API tells it (RFC 9457). */
interface Problem {
  readonly code: PortariaError['code']
  readonly detail: string
  readonly errors?: readonly { readonly detail: string }[]
}

interface Asked {
  readonly method: string
  readonly target: string
  readonly body: unknown
}

function send<T>(socketPath: string, { method, target, body }: Asked): Promise<T> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers =
      text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    const asked = request({ socketPath, method, path: target, headers, agent: false, timeout: 150_000 }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => settle(response.statusCode ?? 0, Buffer.concat(chunks).toString('utf8')))
    })
    function settle(status: number, answer: string): void {
      if (status < 300) return resolve((answer === '' ? undefined : JSON.parse(answer)) as T)
      const { code, detail, errors = [] } = JSON.parse(answer) as Problem
      // What is wrong with a member or a parameter stands in the detail with its place, too.
      reject(new PortariaError(code, detail, { details: errors.map((one) => one.detail) }))
    }
    asked.on('timeout', () => asked.destroy(new Error('no answer in time')))
    asked.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EACCES') {
        reject(
          new PortariaError(
            'forbidden',
            `no permission for ${socketPath}: run this command as the user that the gateway runs as, or as root`,
          ),
        )
      } else
        reject(
          new PortariaError('store_unavailable', `no gateway answers at ${socketPath}: ${error.message}`, {
            cause: error,
          }),
        )
    })
    asked.end(text)
  })
}
