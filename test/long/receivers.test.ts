import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ROOT } from '../../src/platform/program-files.ts'
import { callApi, callBack } from '../support/calls.ts'
import { startProgram } from '../support/foreground-program.ts'
import { startTestGateway } from '../support/gateway.ts'
import { goProgram, pythonWith } from '../support/languages.ts'
import { isOpen, reservePort } from '../support/ports.ts'
import { startReceiver } from '../support/receiver.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

interface Example {
  readonly file: string
  /** What runs it; null: this machine has no such program. */
  readonly command: string | null
}

const EXAMPLES: readonly Example[] = [
  { file: 'receive-flask.py', command: pythonWith('flask') },
  { file: 'receive-fastapi.py', command: pythonWith('fastapi', 'uvicorn') },
  { file: 'receive-django.py', command: pythonWith('django') },
  { file: 'receive.go', command: goProgram() },
]
const [OLD, NEW, OTHER] = [1, 2, 3].map((n) => `whsec_${Buffer.alloc(24, n).toString('base64')}`) as [
  string,
  string,
  string,
]
/** In ISO-8859-1, with a number that a parser would change. */
const BODY = Buffer.from('{"identificador":"78","nome":"João","valor":150.10}', 'latin1')

describe.each(EXAMPLES)('$file', (example) => {
  it.skipIf(example.command === null)(
    'stores each event of a gateway once, and refuses what is forged, old or changed',
    { timeout: 600_000 },
    async () => {
      const folder = join(temporaryFolder(), 'store')
      mkdirSync(folder)
      const store = join(folder, 'events')
      const port = await start(example, { WEBHOOK_SECRET: `${OLD} ${NEW}`, STORE: store })
      const gateway = await startTestGateway()
      const witness = await startReceiver()
      const hook = `http://127.0.0.1:${port}/hook`
      for (const [name, url] of [
        ['app', hook],
        ['witness', witness.url],
      ]) {
        await callApi(gateway.api, '/v1/destinations', { method: 'POST', body: { name, url, secret: NEW } })
      }
      await callBack(gateway, { body: BODY, headers: { 'content-type': 'application/json; charset=ISO-8859-1' } })
      const answers = await until(
        () => answersOf(gateway.api),
        (all) => all.length === 2 && all.every(([, status]) => status !== null),
        60_000,
      )
      expect(answers.sort()).toEqual([
        ['app', 200, 'stored'],
        ['witness', 200, 'thanks'],
      ])

      // The witness has got the same event, with a signature of the same secret.
      const { headers, body } = witness.received[0] as (typeof witness.received)[number]
      const genuine = Object.fromEntries(
        ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature', 'portaria-kind'].map((name) => [
          name,
          headers[name] as string,
        ]),
      )
      expect(storedIn(store, genuine['webhook-id'] as string)).toEqual(BODY)
      const send = (changes: Record<string, string> = {}, bytes: Uint8Array = body) =>
        post(hook, { ...genuine, ...changes }, bytes)
      expect(await send()).toEqual([200, 'repeated'])
      const refused = [
        await send({}, Buffer.from(body.toString('latin1').replace('150.10', '150.1'), 'latin1')),
        await send({}, Buffer.from(body.toString('latin1'))),
        await send({ 'webhook-id': 'evt_2_0123456789' }),
        await send({ 'webhook-timestamp': String(Number(genuine['webhook-timestamp']) + 1) }),
        await send({ 'webhook-timestamp': 'now' }),
        await send({ 'webhook-signature': 'v1,* v1 x' }),
        await send(signed(OTHER, 'evt_3_0123456789'), Buffer.from('{}')),
        await send(signed(OLD, 'evt_3_0123456789', -400), Buffer.from('{}')),
        await send(signed(OLD, 'evt_3_0123456789', 400), Buffer.from('{}')),
      ]
      expect(refused.map(([status]) => status)).toEqual(refused.map(() => 401))

      // The other secret, and deliveries at the same time.
      const atOnce = [1, 2, 3, 4].map(() => send(signed(OLD, 'evt_4_0123456789'), Buffer.from('{}')))
      const outcomes = (await Promise.all(atOnce)).map(([status, text]) => `${status} ${text}`)
      expect(outcomes.sort()).toEqual(['200 repeated', '200 repeated', '200 repeated', '200 stored'])

      // What cannot be stored is no success.
      rmSync(folder, { recursive: true })
      expect((await send(signed(OLD, 'evt_5_0123456789'), Buffer.from('{}')))[0]).toBe(500)
    },
  )
})

/** @returns the port */
async function start({ file, command }: Example, env: Record<string, string>): Promise<number> {
  const source = join(ROOT, 'docs/examples', file)
  const port = await reservePort()
  const isReady = () => isOpen(port)
  const settings = { ...env, PORT: String(port) }
  const program = command as string
  const run = file.endsWith('.go')
    ? { command: compiled(program, source), args: [] }
    : { command: program, args: [source] }
  onTestFinished(await startProgram({ ...run, env: settings, isReady }))
  return port
}

/** The program of a Go file. `go run` would not hand signals on to it. */
function compiled(go: string, source: string): string {
  const folder = temporaryFolder()
  const program = join(folder, 'receive')
  const env = { ...process.env, GOCACHE: join(folder, 'cache'), GO111MODULE: 'off', CGO_ENABLED: '0' }
  execFileSync(go, ['vet', source], { env })
  execFileSync(go, ['build', '-o', program, source], { env })
  return program
}

/** Headers as the published library signs them. */
function signed(secret: string, id: string, seconds = 0): Record<string, string> {
  const at = new Date(Date.now() + seconds * 1000)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, '{}'),
  }
}

async function post(url: string, headers: Record<string, string>, body: Uint8Array): Promise<[number, string]> {
  const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) })
  return [response.status, await response.text()]
}

/** Of each delivery: its destination, the last status and the last answer. */
async function answersOf(api: Parameters<typeof callApi>[0]): Promise<unknown[][]> {
  const { data } = JSON.parse((await callApi(api, '/v1/deliveries')).body) as { data: Record<string, unknown>[] }
  return data.map(({ destinationName, lastStatus, lastAnswer }) => [destinationName, lastStatus, lastAnswer])
}

/** A folder with a file for each event, or a database of SQLite. */
function storedIn(store: string, id: string): Buffer | null {
  if (!existsSync(store)) return null
  if (statSync(store).isDirectory()) return readFileSync(join(store, id))
  const database = new Database(store, { readonly: true })
  onTestFinished(() => void database.close())
  return (database.prepare('SELECT body FROM events WHERE id = ?').pluck().get(id) as Buffer | undefined) ?? null
}
