import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ROOT } from '../../src/platform/program-files.ts'
import { callApi, callBack } from '../support/calls.ts'
import { EXAMPLE_RECEIVERS, type ExampleReceiver } from '../support/example-receivers/examples.ts'
import { startProgram } from '../support/foreground-program.ts'
import { startTestGateway } from '../support/gateway.ts'
import { isOpen, reservePort } from '../support/ports.ts'
import { startReceiver } from '../support/receiver.ts'
import { NEW_SECRET, OLD_SECRET, type SignedDelivery, signedDeliveries } from '../support/signed-deliveries.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

/** In ISO-8859-1, with a number and white space that a parser would change. */
const BODY = Buffer.from('{ "identificador" : "78", "nome": "João", "valor": 150.10 }\n', 'latin1')
const SIGNED = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
/** What `docs/examples/signed-deliveries.json` has, for the clock of this machine. */
const deliveriesOfNow = () => signedDeliveries(Math.floor(Date.now() / 1000)).deliveries
const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain', null]
/** The server around them has the limit. */
const LIMITED_OUTSIDE = ['receive-laravel.php', 'receive-aspnet.cs']
/** PHP keeps no raw bytes of such a body: the example says so. */
const LOSES_MULTIPART = ['receive-laravel.php', 'receive-plain.php']

type Headers = Record<string, string | null>

describe.each(EXAMPLE_RECEIVERS)('$file', (example) => {
  it.skipIf(!example.isRunnable)(
    'stores each event of a gateway once, and refuses what is forged, old or changed',
    { timeout: 600_000 },
    async () => {
      const folder = join(temporaryFolder(), 'store')
      mkdirSync(folder)
      const store = join(folder, 'events')
      const port = await reservePort()
      const env = { WEBHOOK_SECRET: `${OLD_SECRET} ${NEW_SECRET}`, STORE: store, PORT: String(port) }
      const program = example.prepare(join(ROOT, 'docs/examples', example.file), temporaryFolder(), env)
      const hook = `http://127.0.0.1:${port}/hook`
      const start = (changes = {}) =>
        startProgram({ ...program, env: { ...env, ...changes }, isReady: () => isOpen(port) })

      // Without a key it does not start, or takes nothing: not what anybody can sign with an empty one.
      const stopEmpty = await start({ WEBHOOK_SECRET: 'whsec_' }).catch(() => null)
      if (stopEmpty !== null) {
        // It may end only now.
        const anybodys = deliveriesOfNow().find(({ what }) => what === 'signed with an empty key') as SignedDelivery
        const [status] = await deliver(hook, anybodys).catch(() => [null])
        await stopEmpty()
        expect([500, null]).toContain(status)
      }
      onTestFinished(await start())
      const { headers, body } = await deliveredTo(hook, example.format)
      const genuine = Object.fromEntries(
        ['content-type', 'portaria-kind', ...SIGNED].map((name) => [name, headers[name] as string]),
      )
      expect(storedIn(store, genuine['webhook-id'] as string)).toEqual(body)
      const send = (changes: Headers = {}, bytes: Uint8Array = body) => post(hook, { ...genuine, ...changes }, bytes)
      const sendEmpty = (changes: Headers) => send(changes, Buffer.from('{}'))
      expect(await send()).toEqual([200, 'repeated'])

      const refused = ['150.1', '1.501e2'].map((other) =>
        Buffer.from(body.toString('latin1').replace('150.10', other), 'latin1'),
      )
      for (const bytes of refused) expect([400, 401]).toContain((await send({}, bytes))[0])

      const judged: string[] = []
      for (const delivery of deliveriesOfNow()) {
        const [status, answer] = await deliver(hook, delivery)
        const isAsWanted = delivery.genuine ? answer === 'stored' : status === 400 || status === 401
        if (!isAsWanted) judged.push(`${delivery.what}: ${status} ${answer}`)
      }
      expect(judged).toEqual([])

      const atOnce = [1, 2, 3, 4].map(() => sendEmpty(signed('evt_4_0123456789')))
      const outcomes = (await Promise.all(atOnce)).map(([status, answer]) => `${status} ${answer}`)
      expect(outcomes.sort()).toEqual(['200 repeated', '200 repeated', '200 repeated', '200 stored'])

      for (const [at, type] of FORMS.entries()) {
        const [status] = await sendEmpty({ ...signed(`evt_6_012345678${at}`), 'content-type': type })
        const isLost = type?.startsWith('multipart') && LOSES_MULTIPART.includes(example.file)
        expect([type, status]).toEqual([type, isLost ? 401 : 200])
      }

      // A body that no event has is not read to its end.
      if (!LIMITED_OUTSIDE.includes(example.file)) {
        const [status] = await send({}, Buffer.alloc(17 * 2 ** 20)).catch(() => [null])
        expect([400, 413, 500, null]).toContain(status)
        // Some end the connection that the next request would use.
        expect(await send().catch(() => send())).toEqual([200, 'repeated'])
      }

      // What cannot be stored is no success.
      rmSync(folder, { recursive: true })
      expect((await sendEmpty(signed('evt_7_0123456789')))[0]).toBe(500)
    },
  )
})

/** An event of a gateway. @returns what another receiver has got of it, with a signature of the same secret */
async function deliveredTo(hook: string, format: ExampleReceiver['format']) {
  const gateway = await startTestGateway()
  const witness = await startReceiver()
  for (const [name, url] of [
    ['app', hook],
    ['witness', witness.url],
  ]) {
    await callApi(gateway.api, '/v1/destinations', {
      method: 'POST',
      body: { name, url, format, secret: NEW_SECRET, timeoutMs: 60_000 },
    })
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
  const received = witness.received[0] as (typeof witness.received)[number]
  if (format === 'original') expect(received.body).toEqual(BODY)
  return received
}

function deliver(url: string, { headers, body }: SignedDelivery): Promise<[number, string]> {
  return post(url, headers, Buffer.from(body, 'base64'))
}

/** Headers of `{}` as the published library signs it. */
function signed(id: string): Record<string, string> {
  const now = new Date()
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(OLD_SECRET).sign(id, now, '{}'),
  }
}

/** null: without this header. */
async function post(url: string, headers: Headers, body: Uint8Array): Promise<[number, string]> {
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null)
  const response = await fetch(url, { method: 'POST', headers: given, body: new Uint8Array(body) })
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
  const isLaravel = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'portaria_events'").get() !== undefined
  const select = isLaravel
    ? 'SELECT body_base64 FROM portaria_events WHERE id = ?'
    : 'SELECT body FROM events WHERE id = ?'
  const body = database.prepare(select).pluck().get(id) as Buffer | string | undefined
  return typeof body === 'string' ? Buffer.from(body, 'base64') : (body ?? null)
}
