import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse, stringify } from 'yaml'
import type { IssuedCertificate } from '../support/authority.ts'
import { callApi, callBack } from '../support/calls.ts'
import {
  BASE_CALLBACKS,
  createSite,
  followGateway,
  MAIN,
  type SpawnedGateway,
  spawnGateway,
  type TestSite,
} from '../support/gateway.ts'
import { hasOpenssl } from '../support/openssl.ts'
import { startReceiver } from '../support/receiver.ts'
import { callOnce, createWorld, installPair, openCaller, shownBy, siteOf, type World } from '../support/reloading.ts'
import { until } from '../support/until.ts'

function configure(site: TestSite, changes: Record<string, unknown>): void {
  const config = parse(readFileSync(site.configFile, 'utf8')) as object
  writeFileSync(site.configFile, stringify({ ...config, ...changes }))
}

const linesOf = (gateway: SpawnedGateway, ...events: string[]) =>
  gateway.lines.filter(({ event }) => events.includes(event))

const RESULTS = ['configuration.reloaded', 'configuration.partly_reloaded', 'configuration.not_reloaded']

/** Sends SIGHUP and waits until it was acted on. */
async function reload(gateway: SpawnedGateway) {
  const results = () => linesOf(gateway, ...RESULTS)
  const before = results().length
  gateway.process.kill('SIGHUP')
  return (await until(results, (lines) => lines.length > before)).at(-1)
}

async function destinationsOf(gateway: SpawnedGateway): Promise<string[]> {
  const { body } = await callApi(gateway.api, '/v1/destinations')
  const { data } = JSON.parse(body) as { data: { name: string; state: string; url: string }[] }
  return data.map(({ name, state, url }) => `${name} ${state} ${new URL(url).pathname}`).sort()
}

const hasScript = spawnSync('script', ['--version']).status === 0

describe('SIGHUP', () => {
  it('takes up the destinations of the file: new ones, changed ones, and those that left', async () => {
    const receiver = await startReceiver()
    const { origin } = new URL(receiver.url)
    const site = await createSite({
      destinations: [
        { name: 'books', url: `${origin}/books` },
        { name: 'old', url: `${origin}/old` },
      ],
    })
    const gateway = await spawnGateway(site)
    configure(site, {
      destinations: [
        { name: 'books', url: `${origin}/changed` },
        { name: 'new', url: `${origin}/new` },
      ],
    })

    expect(await reload(gateway)).toMatchObject({ level: 'info', event: 'configuration.reloaded' })

    expect(await destinationsOf(gateway)).toEqual(['books active /changed', 'new active /new'])
    expect(linesOf(gateway, 'destinations.retired')).toMatchObject([{ destinations: ['old'] }])
    expect(linesOf(gateway, 'configuration.needs_restart')).toEqual([])
    await callBack({ callbacks: gateway.callbacks, site }, { body: '{"identificador":"1"}' })
    await until(() => receiver.received.length === 2)
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/changed', '/new'])
  })

  it('names other keys that changed, once each, and none that was changed back', async () => {
    const site = await createSite()
    const gateway = await spawnGateway(site)
    const named = () => linesOf(gateway, 'configuration.needs_restart').map(({ keys }) => keys)
    const api = (port: number) => ({ api: { host: '127.0.0.1', port, operatorTokenFile: 'operator-token' } })

    configure(site, { ...api(18_080), log: { level: 'debug' } })
    await reload(gateway)
    expect(named()).toEqual([['api.port', 'log.level']])
    await reload(gateway)
    configure(site, api(0))
    await reload(gateway)
    expect(named()).toHaveLength(1)
    configure(site, api(18_081))
    await reload(gateway)
    expect(named().slice(1)).toEqual([['api.port']])
  })

  it('with a file that cannot be used changes nothing, says so, and the next one is taken up', async () => {
    const destinations = [{ name: 'books', url: 'http://127.0.0.1:9/books' }]
    const site = await createSite({ destinations })
    const gateway = await spawnGateway(site)
    const good = readFileSync(site.configFile, 'utf8')
    const before = await destinationsOf(gateway)
    const spoiled: [text: string, what: RegExp][] = [
      ['callbacks: [', /not_reloaded/],
      [good.replace('destinations:', 'destination:'), /destination/],
      ['', /not_reloaded/],
    ]
    for (const [text, what] of spoiled) {
      writeFileSync(site.configFile, text)
      const told = await reload(gateway)
      expect(told).toMatchObject({ level: 'error', event: 'configuration.not_reloaded' })
      expect(JSON.stringify(told)).toMatch(what)
      expect(await destinationsOf(gateway)).toEqual(before)
    }
    rmSync(site.configFile)
    expect(await reload(gateway)).toMatchObject({ event: 'configuration.not_reloaded' })
    expect((await callBack({ callbacks: gateway.callbacks, site })).status).toBe(200)

    writeFileSync(site.configFile, good.replace('/books', '/changed'))
    expect(await reload(gateway)).toMatchObject({ event: 'configuration.reloaded' })
    expect(await destinationsOf(gateway)).toEqual(['books active /changed'])
  })

  it('where the destinations cannot be taken up everything else is, and it is a warning', async () => {
    const site = await createSite()
    const gateway = await spawnGateway(site)
    const url = 'http://127.0.0.1:9/'
    await callApi(gateway.api, '/v1/destinations', { method: 'POST', body: { name: 'books', url } })
    configure(site, { destinations: [{ name: 'books', url }], log: { level: 'debug' } })

    expect(await reload(gateway)).toMatchObject({
      level: 'warn',
      event: 'configuration.partly_reloaded',
      problems: [
        expect.stringMatching(/^the list of destinations stays unchanged: .*books of the configuration file exists/),
      ],
    })
    expect(linesOf(gateway, 'configuration.needs_restart')).toMatchObject([{ keys: ['log.level'] }])

    configure(site, { destinations: [], log: { level: 'debug' } })
    expect(await reload(gateway)).toMatchObject({ event: 'configuration.reloaded' })
    expect(linesOf(gateway, 'configuration.needs_restart')).toMatchObject([{ keys: ['log.level'] }])
  })

  it('twenty times in a row, while callbacks come, harms nothing', async () => {
    const site = await createSite({ destinations: [{ name: 'books', url: 'http://127.0.0.1:9/' }] })
    const gateway = await spawnGateway(site)
    const statuses: Promise<number>[] = []
    for (let count = 0; count < 20; count++) {
      gateway.process.kill('SIGHUP')
      statuses.push(callBack({ callbacks: gateway.callbacks, site }).then(({ status }) => status))
      if (count % 5 === 4) await Promise.all(statuses)
    }
    expect(await Promise.all(statuses)).toEqual(Array(20).fill(200))
    expect(await reload(gateway)).toMatchObject({ event: 'configuration.reloaded' })
    expect(await destinationsOf(gateway)).toEqual(['books active /'])
    expect(gateway.lines.filter(({ level, event }) => level === 'error' && event !== 'node.outdated')).toEqual([])
    gateway.process.kill('SIGTERM')
    expect(await gateway.exited).toBe(0)
  })

  it('while the gateway starts does not end it, and is acted on when it runs', async () => {
    const site = await createSite({ mode: 'development', api: { port: 0, operatorTokenFile: 'new-token' } })
    mkdirSync(join(site.folder, 'data'), { mode: 0o700 })
    // The gateway waits for another owner of the database, and starts no further.
    const owner = new Database(join(site.folder, 'data/portaria.db.lock'))
    onTestFinished(() => void owner.close())
    owner.exec('begin exclusive')
    const child = spawn(process.execPath, [MAIN, 'serve', '--config', site.configFile], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const tokenFile = join(site.folder, 'new-token')
    await until(() => {
      try {
        return readFileSync(tokenFile, 'utf8').length > 0
      } catch {
        return false
      }
    })
    configure(site, { log: { level: 'debug' } })
    child.kill('SIGHUP')
    owner.exec('rollback')

    await until(() => stderr.includes('configuration.reloaded'))
    expect(stderr).toMatch(/"keys":\["log\.level"\].*configuration\.needs_restart/)
    expect(stderr).toContain('gateway.started')
  })

  it('while the program is loaded does not end it', async () => {
    const site = await createSite()
    const hook = join(site.folder, 'hook.mjs')
    // The signal comes while src/main.ts loads what it imports.
    writeFileSync(
      hook,
      `import { registerHooks } from 'node:module'
registerHooks({
  resolve(specifier, context, next) {
    if (context.parentURL?.endsWith('/src/main.ts')) process.kill(process.pid, 'SIGHUP')
    return next(specifier, context)
  },
})\n`,
    )
    const options = ['--import', hook, MAIN, 'serve', '--config', site.configFile]
    const gateway = await followGateway(spawn(process.execPath, options, { stdio: ['ignore', 'ignore', 'pipe'] }))
    expect((await callApi(gateway.api, '/healthz')).status).toBe(200)
  })

  it.skipIf(!hasScript)('of a terminal that closes ends a gateway that was started by hand', async () => {
    const site = await createSite()
    const pidFile = join(site.folder, 'pid')
    const command = `echo $$ > ${pidFile}; exec ${process.execPath} ${MAIN} serve --config ${site.configFile}`
    const terminal = spawn('script', ['-qc', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'] })
    onTestFinished(() => void terminal.kill('SIGKILL'))
    let shown = ''
    terminal.stdout.on('data', (text: Buffer) => (shown += text.toString()))
    await until(() => shown.includes('gateway.started'))
    const pid = Number(readFileSync(pidFile, 'utf8'))
    onTestFinished(() => {
      // It has ended, where all is well.
      spawnSync('kill', ['-KILL', String(pid)])
    })
    process.kill(pid, 'SIGHUP')
    await until(() => shown.includes('configuration.reloaded'))

    terminal.kill('SIGKILL')

    // The last thing that it removes; a process that no one waits for may be there for ever.
    await until(() => !existsSync(join(site.folder, 'data/control.sock')))
  })
})

describe.skipIf(!hasOpenssl)('SIGHUP and certificates', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  let world: World
  let servers: IssuedCertificate[]
  beforeAll(() => {
    world = createWorld(folder)
    servers = [world.server('server-1'), world.server('server-2')]
  })

  it('rules for callers that become stricter cut off whom they no longer allow', async () => {
    const site = await siteOf(world, servers[0] as IssuedCertificate)
    const gateway = await spawnGateway(site)
    const { port } = gateway.callbacks
    const [first, sandbox] = await Promise.all(
      [world.first, world.sandbox].map(({ caller }) => openCaller(port, caller)),
    )
    expect([await first?.call('1'), await sandbox?.call('1')]).toEqual([200, 200])
    const trustWith = (...subjectCommonNames: string[]) => ({
      callbacks: {
        ...BASE_CALLBACKS,
        trust: BASE_CALLBACKS.trust.map((entry) =>
          entry.environment === 'production' ? { ...entry, allow: { subjectCommonNames } } : entry,
        ),
      },
    })

    // A secret that cannot be read holds none of it back.
    const books = { name: 'books', url: 'http://127.0.0.1:9/', secretFile: 'missing' }
    configure(site, { ...trustWith('somebody-else'), destinations: [books] })
    expect(await reload(gateway)).toMatchObject({
      level: 'warn',
      event: 'configuration.partly_reloaded',
      renewed: ['the chains of the service'],
      problems: [expect.stringMatching(/^the configuration stays unchanged: .*does not exist/)],
    })

    await first?.closed()
    expect(await callOnce(port, world.first.caller)).toBe(0)
    expect(await sandbox?.call('2')).toBe(200)
    expect(linesOf(gateway, 'trust.renewed')).toMatchObject([{ closed: 1 }])

    configure(site, trustWith('somebody-else', 'first-caller'))
    await reload(gateway)
    expect(await callOnce(port, world.first.caller)).toBe(200)
  })

  it('a certificate at another path is taken up, and watched there', async () => {
    const [one, two] = servers as [IssuedCertificate, IssuedCertificate]
    const site = await siteOf(world, one)
    installPair(site, two, 'other')
    const gateway = await spawnGateway(site)
    const { port } = gateway.callbacks
    configure(site, {
      callbacks: { ...BASE_CALLBACKS, certificate: 'certs/other.crt', privateKey: 'certs/other.key' },
    })

    expect(await reload(gateway)).toMatchObject({ renewed: ["the callback listener's certificate"] })
    expect(await shownBy(port, world.first.caller)).toBe('server-2')

    installPair(site, one, 'other')
    await until(
      () => shownBy(port, world.first.caller),
      (name) => name === 'server-1',
    )
  })
})
