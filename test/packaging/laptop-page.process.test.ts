import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, inject, it, onTestFinished } from 'vitest'
import { makeProgramTree } from '../../packaging/program-tree.ts'
import { ROOT } from '../../src/platform/program-files.ts'
import { callApi, callBack } from '../support/calls.ts'
import { startTestGateway } from '../support/gateway.ts'
import { startReceiver } from '../support/receiver.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

/** Commands of a package start slowly where nothing is compiled yet, and a host can be busy. */
const LIMIT_MS = 120_000

/** The lines that begin with the command, of all blocks of the page. */
function commandsOf(page: string): readonly string[] {
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
  return blocks.join('').match(/^portaria .*$/gm) ?? []
}

/** A package without the machine's configuration, and a home folder without any of ours. */
function laptop() {
  const folder = temporaryFolder()
  const target = join(folder, 'package')
  const code = dirname(inject('bundledMain') as string)
  makeProgramTree({ target, code, build: { installed: 'npm', commit: null }, architecture: null })
  symlinkSync(join(ROOT, 'node_modules'), join(target, 'node_modules'))
  const home = join(folder, 'home')
  mkdirSync(home)

  function type(line: string) {
    const env = { PATH: `${join(target, 'bin')}:${process.env.PATH}`, HOME: home, LC_ALL: 'C.UTF-8' }
    const shell: ChildProcess = spawn('sh', ['-c', `exec ${line}`], {
      cwd: home,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    onTestFinished(() => void shell.kill('SIGKILL'))
    let said = ''
    for (const stream of [shell.stdout, shell.stderr]) stream?.on('data', (chunk) => (said += String(chunk)))
    return { said: () => said, ended: new Promise<number | null>((done) => shell.once('close', done)) }
  }
  return { target, home, type }
}

it('the commands of the laptop page work on a machine without a configuration', async () => {
  const gateway = await startTestGateway()
  const app = await startReceiver()
  const { target, home, type } = laptop()
  const commands = commandsOf(readFileSync(join(target, 'docs/laptop.md'), 'utf8'))
  const [create = '', login = '', listen = '', trigger = ''] = commands
  expect(commands).toHaveLength(4)

  const [, name, environment, scopes = ''] = /--name (\S+) --environment (\S+) --scopes (\S+)/.exec(create) ?? []
  const answer = await callApi(gateway.api, '/v1/clients', {
    method: 'POST',
    body: { name, environment, scopes: scopes.split(',') },
  })
  const { clientId, clientSecret } = JSON.parse(answer.body) as { clientId: string; clientSecret: string }
  writeFileSync(join(home, 'secret'), clientSecret, { mode: 0o600 })
  const here = (line: string) =>
    line
      .replace('https://portaria.example:8080', `http://127.0.0.1:${gateway.api.port}`)
      .replace('http://localhost:3000/hook', app.url)
      .replace(' ID ', ` ${clientId} `)

  const signedIn = type(here(login))
  expect(await signedIn.ended, signedIn.said()).toBe(0)
  type(here(listen))
  const bodies = () => app.received.map(({ body }) => String(body)).join('\n')
  // A new consumer begins with the events that come after it.
  const consumers = async () => (await callApi(gateway.api, '/v1/consumers')).body
  await until(consumers, (text) => text.includes('listen-'), LIMIT_MS)
  await callBack(gateway, { body: '{"identificador":"78"}', environment: 'sandbox' })
  await until(bodies, (text) => text.includes('"78"'), LIMIT_MS)
  const triggered = type(here(trigger))
  expect(await triggered.ended, triggered.said()).toBe(0)
  expect(app.received).toHaveLength(2)
})
