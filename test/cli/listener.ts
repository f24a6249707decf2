import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { callApi, callBack } from '../support/calls.ts'
import { createSite, MAIN, type SpawnedGateway, startTestGateway, type TestSite } from '../support/gateway.ts'
import { reservePort } from '../support/ports.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { compileCache } from './program.ts'

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** What an app got, and what it answers: 'nothing' leaves the request open. */
export interface App {
  readonly url: string
  readonly server: Server
  readonly seen: { url: string; headers: IncomingHttpHeaders; body: Buffer }[]
  answer: number | 'nothing'
}

export async function startApp(answer: App['answer'] = 200, port = 0): Promise<App> {
  const seen: App['seen'] = []
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    seen.push({ url: request.url ?? '', headers: request.headers, body })
    if (app.answer !== 'nothing') response.writeHead(app.answer).end('ok')
  })
  onTestFinished(() => void server.close().closeAllConnections())
  await once(server.listen(port, '127.0.0.1'), 'listening')
  const app: App = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, seen, answer }
  return app
}

export const idsOf = ({ seen }: App) => seen.map(({ headers }) => headers['webhook-id'])

export interface Attempt {
  readonly event: string
  readonly answer: number | null
  readonly error: string | null
  readonly attempt: number
}

export interface Listener {
  readonly child: ChildProcess
  readonly ended: Promise<{ code: number | string; attempts: Attempt[]; stderr: string }>
  stderr(): string
}

/** A gateway whose API keeps its port over a restart, and a home with the profile `work` for it. */
export async function setUp(
  startGateway: (site: TestSite) => Promise<Pick<SpawnedGateway, 'callbacks' | 'api'>> = startTestGateway,
) {
  const site = await createSite({
    api: { host: '127.0.0.1', port: await reservePort(), operatorTokenFile: 'operator-token' },
  })
  const gateway = await startGateway(site)
  const { body } = await callApi(gateway.api, '/v1/clients', {
    method: 'POST',
    body: { name: 'laptop', environment: 'production', scopes: ['events.read'] },
  })
  const { clientId, clientSecret } = JSON.parse(body) as { clientId: string; clientSecret: string }
  const home = temporaryFolder()
  writeFileSync(join(home, 'secret'), clientSecret, { mode: 0o600 })
  writeFileSync(join(home, 'signing'), SECRET)
  const api = `http://127.0.0.1:${gateway.api.port}`
  const login = ['login', api, '--client-id', clientId, '--client-secret-file', join(home, 'secret')]
  return { site, gateway, home, api, login }
}

export function start(home: string, ...args: string[]): Listener {
  const env = { PATH: process.env.PATH, TZ: 'UTC', HOME: home, NODE_COMPILE_CACHE: compileCache }
  const child = spawn(process.execPath, [MAIN, ...args], { env, cwd: home, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part))
  const out = text(child.stdout)
  const exit = once(child, 'close') as Promise<[number | null, string | null]>
  const ended = exit.then(async ([code, signal]) => {
    const lines = (await out).split('\n').filter((line) => line.startsWith('{'))
    return { code: code ?? signal ?? 'unknown', attempts: lines.map((line) => JSON.parse(line) as Attempt), stderr }
  })
  return { child, ended, stderr: () => stderr }
}

export function listen(home: string, app: { url: string }, ...args: string[]): Listener {
  const common = ['listen', '--forward-to', `${app.url}/hook`, '--secret-file', join(home, 'signing'), '--json']
  return start(home, ...common, '--profile', 'work', ...args)
}

export const isReady = (listener: Listener) => until(() => /the consumer .* (waits|has)/.test(listener.stderr()))

export async function store(
  gateway: Pick<SpawnedGateway, 'callbacks'>,
  site: TestSite,
  ...bodies: string[]
): Promise<void> {
  for (const body of bodies) await callBack({ callbacks: gateway.callbacks, site }, { body })
}

export const payment = (id: number) => `{"identificador":"${id}","valor":"1.00"}`
