import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { createSite, followGateway, MAIN, type TestSite } from '../support/gateway.ts'
import { until } from '../support/until.ts'

/** `serve` in a process of its own, which a failure does not leave behind. */
function serve(site: TestSite, ...options: string[]) {
  const child = spawn(process.execPath, [MAIN, 'serve', '--config', site.configFile, ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 15_000,
    killSignal: 'SIGKILL',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = new Promise<{ code: number | string | null; stderr: string }>((done) =>
    child.once('close', (code, signal) => done({ code: code ?? signal, stderr })),
  )
  return { child, ended }
}

it.skipIf(!existsSync('/proc/self'))('a database where no folder can be made is reported at once', async () => {
  const { ended } = serve(await createSite({ storage: { url: 'sqlite:/proc/portaria/data/portaria.db' } }))
  expect(await ended).toEqual({
    code: 1,
    stderr: expect.stringMatching(/portaria: cannot lock the database \/proc\/portaria\S+: .*; check that its folder/),
  })
})

it('writes readable log lines where --log-format asks for them, with the advice on Node in one short line', async () => {
  const site = await createSite({ mode: 'development' })
  const { child, ended } = serve(site, '--log-format', 'text')
  await until(() => existsSync(join(site.folder, 'data/portaria.db')))
  child.kill('SIGTERM')
  const { code, stderr } = await ended
  expect(code).toBe(0)
  const lines = stderr.trimEnd().split('\n')
  expect(lines.filter((line) => !/^[\d:.]{12} (info |warn |error) [a-z_.]+( |$)/.test(line))).toEqual([])
  for (const line of lines.filter((each) => each.includes('node.outdated'))) expect(line.length).toBeLessThan(110)
})

it('refuses a form of log lines that it does not know', async () => {
  const { code, stderr } = await serve(await createSite(), '--log-format', 'xml').ended
  expect([code, stderr]).toEqual([2, expect.stringContaining('Allowed choices are json, text')])
})

it('goes on where no one reads what it says on standard output', async () => {
  const site = await createSite({ mode: 'development' })
  const child = spawn(process.execPath, [MAIN, 'serve', '--config', site.configFile], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.destroy()
  const gateway = await followGateway(child)
  child.kill('SIGTERM')
  expect(await gateway.exited).toBe(0)
  expect(gateway.lines.map(({ event }) => event)).toContain('gateway.stopped')
})

it('names its listeners, also that for charges, when it has started for development', async () => {
  const token = 'A'.repeat(43)
  const chargeNotifications = { host: '127.0.0.1', port: 0, tokens: [{ environment: 'sandbox', tokenFile: 'token' }] }
  for (const changes of [{}, { chargeNotifications }]) {
    const site = await createSite({ mode: 'development', ...changes })
    writeFileSync(join(site.folder, 'token'), token)
    const child = spawn(process.execPath, [MAIN, 'serve', '--config', site.configFile], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let banner = ''
    child.stdout.on('data', (text: Buffer) => {
      banner += text.toString()
    })
    const { callbacks, charges, api, exited } = await followGateway(child)
    await until(() => banner.includes('Ctrl-C'))
    child.kill('SIGTERM')
    await exited
    const paths = '/callbacks/registration  /callbacks/payment  /callbacks/charge'
    expect(banner.split('\n').filter((line) => /^ {2}\w+ {2,}http/.test(line))).toEqual([
      `  callbacks  https://localhost:${callbacks.port}  mutual TLS: ${paths}`,
      ...(charges === null
        ? []
        : [`  charges    https://localhost:${charges.port}  without a client certificate: /charges/<token>`]),
      `  api        http://127.0.0.1:${api.port}`,
      expect.stringContaining(`  pages      http://localhost:${api.port}/ui/  sign in`),
    ])
    expect(charges === null).toBe(Object.keys(changes).length === 0)
    expect(banner).not.toContain(token)
  }
})

it.skipIf(!existsSync('/proc/self'))('calls itself portaria, so that ps and top show it by its name', async () => {
  const site = await createSite({ mode: 'development' })
  const child = spawn(process.execPath, [MAIN, 'serve', '--config', site.configFile], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const gateway = await followGateway(child)
  expect(readFileSync(`/proc/${child.pid}/comm`, 'utf8')).toBe('portaria\n')
  child.kill('SIGTERM')
  expect(await gateway.exited).toBe(0)
})

it('told to stop while it still starts, it ends', async () => {
  const site = await createSite({ mode: 'development', api: { port: 0, operatorTokenFile: 'new-token' } })
  mkdirSync(join(site.folder, 'data'), { mode: 0o700 })
  // The gateway waits for another owner of the database, and starts no further.
  const owner = new Database(join(site.folder, 'data/portaria.db.lock'))
  onTestFinished(() => void owner.close())
  owner.exec('begin exclusive')
  const { child, ended } = serve(site)
  await until(() => existsSync(join(site.folder, 'new-token')))

  child.kill('SIGTERM')

  expect(await ended).toEqual({
    code: 0,
    stderr: expect.stringContaining('"while":"starting","event":"gateway.stopped"'),
  })
})

it('where the operator’s token cannot be made it says why', async () => {
  const site = await createSite({ mode: 'development', api: { port: 0, operatorTokenFile: 'operator-token/inner' } })
  expect(await serve(site).ended).toEqual({
    code: 2,
    stderr: expect.stringMatching(
      /portaria: api\.operatorTokenFile \S+inner cannot be made: it, or a part of its path, is no folder; let/,
    ),
  })
})
