import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { openFolder } from '../src/folder/folder.ts'
import type { Environment, Interface } from '../src/interfaces.ts'
import { type Simulator, startSimulator } from '../src/service/simulator.ts'
import { createJudge } from './judge.ts'
import { keptFolder } from './support/kept-folder.ts'
import { reservePort } from './support/ports.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** The body as JSON; undefined: it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies are asserted, not typed
  readonly json: any
}

export interface Asked {
  readonly method?: string
  readonly path: string
  /** Sent as JSON; a string as it is. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Default: one of all scopes; null: none. */
  readonly token?: string | null
}

export interface RunningSimulator {
  readonly simulator: Simulator
  /** Base address of an interface. */
  baseOf(on: Interface, environment?: Environment): string
  /** As the first account of the environment, with its certificate and a token of all scopes. Answers are judged by the interface's document. */
  ask(on: Interface, asked: Asked, environment?: Environment): Promise<Answer>
  /** As `ask`, without judging; `tls` null: no client certificate. */
  askRaw(url: string, asked: Omit<Asked, 'path' | 'token'>, tls?: Tls | null): Promise<Answer>
  tokenOf(on: Interface, options?: { scope?: string; environment?: Environment; account?: number }): Promise<string>
  tlsOf(environment?: Environment, account?: number): Tls
  /** A request to the control API; `path` without /control. */
  control(method: string, path: string, body?: unknown): Promise<Answer>
  stop(): Promise<void>
}

export interface Tls {
  readonly cert: string
  readonly key: string
}

/** The files of a new simulator are made once for a whole run, because their keys take more than a second. */
async function template(): Promise<string> {
  const made = join(keptFolder(), 'simulator')
  if (existsSync(made)) return made
  const folder = join(mkdtempSync(join(keptFolder(), 'simulator-')), 'folder')
  await openFolder(folder, { now: () => new Date(), hostNames: [] })
  try {
    renameSync(folder, made)
  } catch (error) {
    // Another worker was faster.
    if (!existsSync(made)) throw error
  }
  return made
}

async function newFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-simulator-'))
  cpSync(await template(), join(folder, 'simulator'), { recursive: true })
  return folder
}

/** A simulator on any ports, stopped and removed when the test or suite that started it ends. @param settings of its settings file */
export async function runSimulator(
  settings: Record<string, unknown> = {},
  options: { receiverCaFile?: string; isKept?: boolean } = {},
): Promise<RunningSimulator> {
  const folder = await newFolder()
  const settingsFile = join(folder, 'settings.yaml')
  writeFileSync(settingsFile, JSON.stringify(settings))
  const reported: unknown[] = []
  const simulator = await startSimulator({
    // Production has the port behind it. Reserved: after a stop, which some tests bring about, no one else answers there.
    port: await reservePort(1),
    controlPort: 0,
    host: null,
    settingsFile,
    report: (error: unknown) => void reported.push(error),
    folder: join(folder, 'simulator'),
    isKept: options.isKept ?? false,
    receiverCaFile: options.receiverCaFile ?? null,
  })
  const agents = new Map<Tls | null, Agent>()
  const tokens = new Map<string, Promise<string>>()
  const tls = new Map<string, Tls>()
  const judge = createJudge()

  function agentFor(shown: Tls | null): Agent {
    const agent = agents.get(shown) ?? new Agent({ connect: { ca: simulator.folder.root, ...shown } })
    agents.set(shown, agent)
    return agent
  }
  const baseOf = (on: Interface, environment: Environment = 'sandbox') =>
    `https://localhost:${simulator.ports[environment]}/${on}`

  function tlsOf(environment: Environment = 'sandbox', account = 0): Tls {
    const key = `${environment} ${account}`
    const known = tls.get(key) ?? readTls(join(folder, 'simulator', 'accounts'), environment, account)
    tls.set(key, known)
    return known
  }

  async function askRaw(url: string, asked: Omit<Asked, 'path' | 'token'>, shown: Tls | null = null): Promise<Answer> {
    const { method = 'GET', body, headers = {} } = asked
    const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const response = await request(url, {
      method,
      dispatcher: agentFor(shown),
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(sent !== undefined && { body: sent }),
    })
    const text = await response.body.text()
    const isJson = String(response.headers['content-type']).startsWith('application/json')
    return {
      status: response.statusCode,
      headers: response.headers,
      text,
      json: isJson && text !== '' ? JSON.parse(text) : undefined,
    }
  }

  async function fetchToken(on: Interface, environment: Environment, account: number, scope?: string): Promise<string> {
    const { clientId, clientSecret } = simulator.sites[environment].applications.list()[account] as {
      clientId: string
      clientSecret: string
    }
    const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
    const path = { account: '/oauth/token', charges: '/v1/authorize' }[on as string] ?? '/v1/oauth/token'
    const body = { grant_type: 'client_credentials', ...(scope !== undefined && { scope }) }
    const shown = on === 'charges' ? null : tlsOf(environment, account)
    const url = `${baseOf(on, environment)}${path}`
    const answer = await askRaw(url, { method: 'POST', body, headers: { authorization } }, shown)
    judge(await documentOf(on, environment), { method: 'POST', path, answer })
    if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${answer.text}`)
    return answer.json.access_token
  }

  function tokenOf(
    on: Interface,
    {
      scope,
      environment = 'sandbox',
      account = 0,
    }: { scope?: string; environment?: Environment; account?: number } = {},
  ): Promise<string> {
    const key = JSON.stringify([on, scope, environment, account])
    const known = tokens.get(key) ?? fetchToken(on, environment, account, scope)
    tokens.set(key, known)
    return known
  }

  async function ask(on: Interface, asked: Asked, environment: Environment = 'sandbox'): Promise<Answer> {
    const { path, token = await tokenOf(on, { environment }), headers = {}, ...rest } = asked
    const url = `${baseOf(on, environment)}${path}`
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` }
    const shown = on === 'charges' ? null : tlsOf(environment)
    const answer = await askRaw(url, { ...rest, headers: { ...authorization, ...headers } }, shown)
    const document = await documentOf(on, environment)
    judge(document, { method: asked.method ?? 'GET', path, answer })
    return answer
  }

  const documents = new Map<string, Promise<object>>()
  function documentOf(on: Interface, environment: Environment): Promise<object> {
    const url = `${baseOf(on, environment)}/openapi.json`
    const known = documents.get(url) ?? askRaw(url, {}).then(({ json }) => json as object)
    documents.set(url, known)
    return known
  }

  async function control(method: string, path: string, body?: unknown): Promise<Answer> {
    // These end tokens, and a test that goes on needs new ones.
    if (/^\/(reset|tokens\/expire)/.test(path)) tokens.clear()
    const answer = await controlRaw(method, path, body)
    if (path === '/openapi.json') return answer
    controlDocument ??= controlRaw('GET', '/openapi.json').then(({ json }) => json as object)
    judge(await controlDocument, { method, path: `/control${path}`, answer })
    return answer
  }
  let controlDocument: Promise<object> | undefined
  const controlRaw = (method: string, path: string, body?: unknown) =>
    askRaw(`http://localhost:${simulator.controlPort}/control${path}`, { method, ...(body !== undefined && { body }) })

  let isStopped = false
  async function stop(): Promise<void> {
    if (isStopped) return
    isStopped = true
    await Promise.all([...agents.values()].map((agent) => agent.destroy()))
    await simulator.stop()
    rmSync(folder, { recursive: true, force: true })
    if (reported.length > 0) throw new AggregateError(reported, 'the simulator reported failures')
  }
  return { simulator, baseOf, ask, askRaw, tokenOf, tlsOf, control, stop }
}

/** The same, stopped when the test ends. */
export async function simulatorForTest(...given: Parameters<typeof runSimulator>): Promise<RunningSimulator> {
  const running = await runSimulator(...given)
  onTestFinished(() => running.stop())
  return running
}

/** The same for all tests of a file. */
export function simulatorForFile(...given: Parameters<typeof runSimulator>): () => RunningSimulator {
  let running: RunningSimulator | undefined
  beforeAll(async () => {
    running = await runSimulator(...given)
  })
  afterAll(() => running?.stop())
  return () => running as RunningSimulator
}

const NAMES = ['integrator', 'second']

function readTls(folder: string, environment: Environment, account: number): Tls {
  const read = (kind: string) => readFileSync(join(folder, `${environment}-${NAMES[account]}.${kind}`), 'utf8')
  return { cert: read('crt'), key: read('key') }
}
