import type { renewedSchema } from '../api/gateway/schema.ts'
import type { View } from '../api/http/schema-parts.ts'
import type { Config } from '../config/config.ts'
import { controlSocketOf } from '../config/control-socket.ts'
import { readBounded } from '../platform/bounded-body.ts'
import { PortariaError, systemWords } from '../platform/errors.ts'
import { request } from '../platform/http.ts'
import type { Log } from '../platform/log.ts'
import { permissionAdvice } from '../platform/permission.ts'
import { nameOfDatabase } from '../platform/postgres/postgres-address.ts'
import { say, type Written } from '../platform/said.ts'
import { type DatabaseIdentity, identityOf, isSameDatabase } from '../store/database-identity.ts'
import { readConfig } from './config-file.ts'
import { giveToFolderOwner } from './new-files.ts'
import type { ConfigOption } from './options.ts'
import { chosenRemote } from './remote/chosen.ts'
import type { RemoteGateway } from './remote/connection.ts'

/** Calls the gateway's API over the control socket. @throws PortariaError with the code and message of the API's problem */
export type ApiCall = <T>(method: string, path: string, body?: unknown) => Promise<T>

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} }
/** Longer than a gateway may take to stop, during which it holds the lock. */
const LIMIT_MS = 12_000

/**
 * Talks to the running gateway; if none answers, takes the store's lock and performs the same operations itself.
 * @param reason why, for the log of actions: a query parameter of every call that changes something
 * @throws what `use` throws
 */
export function withControl<T>(config: Config, use: (call: ApiCall) => Promise<T>, reason?: string): Promise<T> {
  return withPlainControl(config, (call) => use(withReasonOf(reason, call)))
}

/** The running gateway; null: none runs. @throws as `isGatewayRunning` */
export async function overGateway(config: Config): Promise<ApiCall | null> {
  if (!(await isGatewayRunning(config))) return null
  return (method, target, body) => send(controlSocketOf(config), { method, target, body })
}

/** The API of the chosen gateway of another machine. @throws what `use` throws, and PortariaError `request_invalid` if none is chosen */
export async function withRemote<T>(use: (call: ApiCall, gateway: RemoteGateway) => Promise<T>): Promise<T> {
  // Loaded only here: the gateway of this machine answers on its socket.
  const { connectToRemote } = await import('./remote/connection.ts')
  const gateway = await connectToRemote(chosenRemote() ?? {})
  try {
    const call = async <Json>(method: string, target: string, body: unknown) => {
      const text = await gateway.ask({ method, target, body })
      return (text === '' ? undefined : JSON.parse(text)) as Json
    }
    return await use(call, gateway)
  } finally {
    await gateway.close()
  }
}

/** Calls that change something have the reason as a query parameter. */
export function withReasonOf(reason: string | undefined, call: ApiCall): ApiCall {
  if (reason === undefined) return call
  const query = new URLSearchParams({ reason })
  const withQuery = (target: string) => `${target}${target.includes('?') ? '&' : '?'}${query}`
  return (method, target, body) => call(method, method === 'GET' ? target : withQuery(target), body)
}

async function withPlainControl<T>(config: Config, use: (call: ApiCall) => Promise<T>): Promise<T> {
  const path = controlSocketOf(config)
  const call: ApiCall = (method, target, body) => send(path, { method, target, body })
  const deadline = performance.now() + LIMIT_MS
  for (;;) {
    const gateway = await findGateway(call)
    if (gateway !== null) {
      checkDatabase(gateway, config, path)
      return use(call)
    }
    try {
      return await useTemporaryControl(config, use)
    } catch (error) {
      // The process that holds the lock does not answer: it is starting or stopping, or is another command.
      const isPassing = error instanceof PortariaError && error.code === 'store_locked' && performance.now() < deadline
      if (!isPassing) throw error
    }
  }
}

/**
 * Makes the running gateway reload its certificates and chains: what it took up, and what it could not; null if none runs.
 * @param change what was changed, in words, for the log of actions
 */
export function reloadGateway(config: Config, change: string): Promise<View<typeof renewedSchema> | null> {
  return askGateway(config, 'POST', `/v1/gateway/reload?${new URLSearchParams({ change })}`)
}

/** The running gateway's answer; null: none runs. @throws as `isGatewayRunning`, and PortariaError of its problem */
export async function askGateway<T>(config: Config, method: 'GET' | 'POST', target: string): Promise<T | null> {
  const call = await overGateway(config)
  return call === null ? null : call<T>(method, target)
}

/** @throws PortariaError if this user has no permission for its socket, or if the gateway of another database answers */
export async function isGatewayRunning(config: Config): Promise<boolean> {
  const path = controlSocketOf(config)
  const gateway = await findGateway((method, target, body) => send(path, { method, target, body }))
  if (gateway !== null) checkDatabase(gateway, config, path)
  return gateway !== null
}

async function useTemporaryControl<T>(config: Config, use: (call: ApiCall) => Promise<T>): Promise<T> {
  // Loaded only if no gateway runs: it takes longer to load than the rest of a command.
  const { openControl } = await import('../gateway/control.ts')
  const control = await openControl(config, SILENT)
  try {
    return await use(async <Json>(method: string, target: string, body: unknown) => {
      const { status, json } = await control.ask({ method, target, body })
      return settled<Json>(status, json)
    })
  } finally {
    await control.stop()
    if ('file' in config.storage.database) giveToFolderOwner(config.storage.database.file)
  }
}

/** The part of GET /v1/gateway that identifies it. */
interface RunningGateway {
  readonly database: DatabaseIdentity
}

async function findGateway(call: ApiCall): Promise<RunningGateway | null> {
  try {
    return await call<RunningGateway>('GET', '/v1/gateway')
  } catch (error) {
    if (error instanceof PortariaError && error.code === 'store_unavailable') return null
    throw error
  }
}

/** Two databases in one folder share the name of the control socket: a command must never reach the wrong gateway. */
function checkDatabase({ database }: RunningGateway, config: Config, path: string): void {
  const own = config.storage.database
  if (isSameDatabase(database, identityOf(own))) return
  const advice =
    'file' in own
      ? 'put each database into its own folder (storage.url)'
      : 'give each node a folder of its own (node.folder), and restart the gateway after a change of storage.url'
  throw new PortariaError(
    'conflict',
    `the gateway that answers at ${path} owns another database, ${database.file}, not ${nameOfDatabase(own)}: ${advice}`,
  )
}

/** An error of the API (RFC 9457). */
interface Problem extends Partial<Written> {
  readonly code: PortariaError['code']
  readonly detail: string
  readonly errors?: readonly { readonly detail: string }[]
}

/** @throws PortariaError of a problem */
function settled<T>(status: number, json: unknown): T {
  if (status < 300) return json as T
  const { code, detail, template, values = {}, errors = [] } = json as Problem
  const message = template === undefined ? detail : { template, values }
  // The detail names the member or parameter as well.
  throw new PortariaError(code, message, { details: errors.map((one) => one.detail) })
}

interface ApiRequest {
  readonly method: string
  readonly target: string
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/** A gateway as a command reaches it: by its control socket, or from another machine by its API. */
export interface GatewayConnection {
  /** Base address of its API, where its pages are too. */
  readonly address: string
  /** The answer's JSON text, empty without one. @throws PortariaError of the API's problem, `store_unavailable` if it does not answer, and the reason of the signal */
  ask(request: ApiRequest): Promise<string>
  close(): Promise<void>
}

/** The chosen gateway of another machine, or that of the configuration file, which need not run yet. */
export async function connectToGateway(options: ConfigOption): Promise<GatewayConnection> {
  const remote = chosenRemote()
  if (remote !== null) {
    const { connectToRemote } = await import('./remote/connection.ts')
    return connectToRemote(remote)
  }
  const config = readConfig(options)
  const path = controlSocketOf(config)
  const { host, port, tls } = config.api
  return {
    address: `${tls === null ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ask: (request) => sendForText(path, request),
    close: async () => {},
  }
}

async function send<T>(socketPath: string, request: ApiRequest): Promise<T> {
  const text = await sendForText(socketPath, request)
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** @throws PortariaError of a problem */
function sendForText(socketPath: string, { method, target, body, signal }: ApiRequest): Promise<string> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers =
      text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    const outgoing = request(
      {
        socketPath,
        method,
        path: target,
        headers,
        agent: false,
        timeout: 150_000,
        ...(signal !== undefined && { signal }),
      },
      (response) => {
        function answered(bytes: Buffer): void {
          const text = bytes.toString('utf8')
          try {
            if ((response.statusCode ?? 0) >= 300) settled(response.statusCode ?? 0, JSON.parse(text))
            resolve(text)
          } catch (error) {
            reject(error as Error)
          }
        }
        // The gateway ended in the middle of its answer, or sends one without an end.
        readBounded(response).then(answered, (error: Error) => void outgoing.emit('error', error))
      },
    )
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')))
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (signal?.aborted) reject(signal.reason as Error)
      else if (error.code === 'EACCES') {
        reject(
          new PortariaError(
            'forbidden',
            say`no permission for ${{ path: socketPath }}: ${{ advice: permissionAdvice() }}`,
          ),
        )
      } else
        reject(
          new PortariaError(
            'store_unavailable',
            say`no gateway answers at ${{ path: socketPath }}: ${{ error: systemWords(error) }}`,
            { cause: error },
          ),
        )
    })
    outgoing.end(text)
  })
}
