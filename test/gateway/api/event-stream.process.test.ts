import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { cursorAfter } from '../../../src/domain/public-id.ts'
import { callApi, callBack, type ListedEvent } from '../../support/calls.ts'
import { StreamParser } from '../../support/event-stream.ts'
import { startExample, THERE } from '../../support/examples.ts'
import { createSite, OPERATOR_TOKEN, spawnGateway, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const shell = THERE.find(({ language }) => language === 'shell')

/** curl, with the token on its standard input. */
function curl({ api }: Pick<TestGateway, 'api'>, lastEventId = '') {
  const args = ['--silent', '--no-buffer', '--header', '@-', `http://127.0.0.1:${api.port}/v1/events/stream`]
  const child: ChildProcess = spawn('curl', args, { stdio: ['pipe', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin?.end(`authorization: Bearer ${OPERATOR_TOKEN}\nlast-event-id: ${lastEventId}\n`)
  const parser = new StreamParser()
  child.stdout?.setEncoding('utf8').on('data', (text: string) => parser.push(text))
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  return {
    parser,
    exited,
    subjects: () => parser.messages.map(({ data }) => (JSON.parse(data) as ListedEvent).subject ?? ''),
  }
}

const send = (gateway: Parameters<typeof callBack>[0], subject: string) =>
  callBack(gateway, { body: `{"identificador":"${subject}"}` })

it.skipIf(shell === undefined)(
  'curl follows what is received, and the end of the gateway ends it at once',
  async () => {
    const gateway = await startTestGateway()
    await send(gateway, 'a')
    const reader = curl(gateway)
    await until(() => reader.subjects().length === 1)
    await send(gateway, 'b')
    await until(() => reader.subjects().length === 2)
    expect(reader.subjects()).toEqual(['a', 'b'])
    // A caller that reads nothing does not delay the end either.
    const stuck = connect({ host: '127.0.0.1', port: gateway.api.port })
    stuck
      .on('error', () => undefined)
      .write(`GET /v1/events/stream HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${OPERATOR_TOKEN}\r\n\r\n`)
    await new Promise((resolve) => stuck.once('data', resolve))
    stuck.pause()
    await gateway.stop()
    expect(await reader.exited).toBe(0)
    expect(reader.parser.comments).toEqual(['the gateway is stopping: connect again'])
    stuck.destroy()
  },
)

it.skipIf(shell === undefined)(
  'a reader misses and repeats nothing across kills of the gateway',
  {
    timeout: 60_000,
  },
  async () => {
    const site = await createSite()
    const [sent, seen]: [string[], string[]] = [[], []]
    let lastEventId = ''
    for (const round of [0, 1, 2, 3]) {
      const gateway = await spawnGateway(site)
      const reader = curl(gateway, lastEventId)
      const receive = async (subject: string) => {
        await send({ ...gateway, site }, subject)
        sent.push(subject)
      }
      for (const n of [1, 2]) await receive(`${round}-${n}`)
      await until(() => reader.subjects().includes(`${round}-2`))
      // Stored, and perhaps not sent before the kill.
      if (round < 3) await receive(`${round}-3`)
      gateway.process.kill('SIGKILL')
      await Promise.all([gateway.exited, reader.exited])
      seen.push(...reader.subjects())
      lastEventId = reader.parser.lastEventId
    }
    expect(seen).toEqual(sent)
  },
)

it.skipIf(shell === undefined)(
  'the example follows events, and goes on where it was',
  { timeout: 60_000 },
  async () => {
    const gateway = await startTestGateway()
    const client = { name: 'shop', environment: 'production', scopes: ['events.read'] }
    const answer = await callApi(gateway.api, '/v1/clients', { method: 'POST', body: client })
    const { clientId, clientSecret } = JSON.parse(answer.body) as { clientId: string; clientSecret: string }
    const env = {
      PORTARIA_URL: `http://127.0.0.1:${gateway.api.port}`,
      PORTARIA_CLIENT_ID: clientId,
      PORTARIA_CLIENT_SECRET: clientSecret,
      CURSOR_FILE: join(temporaryFolder(), 'cursor'),
    }
    const kept = () => (existsSync(env.CURSOR_FILE) ? readFileSync(env.CURSOR_FILE, 'utf8') : '')
    for (const [first, second, position] of [
      ['a', 'b', 2],
      ['c', 'd', 4],
    ] as const) {
      await send(gateway, first)
      const example = startExample('follow', shell as NonNullable<typeof shell>, env)
      await until(() => example.said().includes(`"${first}"`))
      await send(gateway, second)
      // A kill before it keeps its position would repeat an event.
      await until(() => kept() === cursorAfter(position))
      await example.kill()
      const subjects = [...example.said().matchAll(/"subject":"(\w+)"/g)].map(([, subject]) => subject)
      expect(subjects).toEqual([first, second])
    }
  },
)
