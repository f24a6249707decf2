import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthority, type IssuedCertificate } from '../support/authority.ts'
import { BASE_CALLBACKS, MAIN, type SpawnedGateway, spawnGateway, type TestSite } from '../support/gateway.ts'
import { callByOpenssl, hasOpenssl } from '../support/openssl.ts'
import {
  callOnce,
  createWorld,
  openCaller,
  put,
  requestOf,
  siteOf,
  trustFile,
  type World,
} from '../support/reloading.ts'
import { until } from '../support/until.ts'

const SOMEBODY = 65_534
const AS_SOMEBODY = ['setpriv', `--reuid=${SOMEBODY}`, `--regid=${SOMEBODY}`, '--clear-groups']

/** For root no mode is an obstacle: the gateway must run as another user, who must be able to read the program. */
function canRunAsSomebody(): boolean {
  if (process.geteuid?.() !== 0) return false
  const look = `require('node:fs').accessSync(${JSON.stringify(MAIN)})`
  const [command, ...args] = [...AS_SOMEBODY, process.execPath, '-e', look]
  return spawnSync(command as string, args).status === 0
}

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0
const namesIn = (gateway: SpawnedGateway) =>
  gateway.lines
    .filter(({ level, event }) => level === 'error' && event !== 'node.outdated')
    .map(({ event, problem, error }) => `${event}: ${problem ?? error}`)
function countOfRuns(site: TestSite): number {
  const db = new Database(join(site.folder, 'data/portaria.db'), { readonly: true })
  const count = db.prepare<[], number>('select count(*) from search_runs').pluck().get()
  db.close()
  return count ?? 0
}

/** A folder above all chains makes each of them unreadable: each is named. */
const namesOfProduction = (gateway: SpawnedGateway) =>
  namesIn(gateway).filter((line) => /the chains in \S*\/production/.test(line))

const countOf = (gateway: SpawnedGateway, event: string) => gateway.lines.filter((line) => line.event === event).length

describe.skipIf(!hasOpenssl)('files that cannot be read while the gateway runs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  let world: World
  let server: IssuedCertificate
  beforeAll(() => {
    world = createWorld(folder)
    server = world.server('server')
  })

  async function siteWithFolder(changes: Record<string, unknown> = {}): Promise<TestSite> {
    const site = await siteOf(world, server, changes)
    put(site, 'production/second.pem', world.second)
    return site
  }

  /** As somebody else, where the test may: else modes would change nothing. */
  async function startAsSomebody(site: TestSite): Promise<SpawnedGateway> {
    execFileSync('chown', ['-R', String(SOMEBODY), site.folder])
    return spawnGateway(site, AS_SOMEBODY)
  }

  async function check(site: TestSite): Promise<string> {
    const [command, ...args] = [...AS_SOMEBODY, process.execPath, MAIN, 'check', '--config', site.configFile, '--json']
    return spawnSync(command as string, args, { encoding: 'utf8' }).stdout
  }

  it.skipIf(!canRunAsSomebody())(
    'a chain folder that becomes unreadable keeps its trust, is one error line, and is taken up again when it is readable',
    async () => {
      const site = await siteWithFolder()
      const gateway = await startAsSomebody(site)
      const { port } = gateway.callbacks
      const chains = trustFile(site, 'production')
      const away = `${chains}.away`
      const back = () => {
        rmSync(chains)
        renameSync(away, chains)
      }
      const changes: [name: RegExp, change: () => void, undo: () => void][] = [
        [
          /production cannot be read \(this user has no permission\): .*the user that the gateway runs as \(it needs access\)/,
          () => chmodSync(chains, 0),
          () => chmodSync(chains, 0o755),
        ],
        [/is no folder\): put the folder back in the place of that file/, () => replaceBy('a file'), back],
        [/this user has no permission/, () => chmodSync(dirname(chains), 0), () => chmodSync(dirname(chains), 0o755)],
        [/its links lead in a circle\): correct the symbolic links/, () => replaceBy('a link'), back],
      ]
      function replaceBy(what: 'a file' | 'a link'): void {
        renameSync(chains, away)
        if (what === 'a file') writeFileSync(chains, '')
        else symlinkSync(chains, chains)
      }
      const kept = await openCaller(port, world.second.caller)

      for (const [index, [words, change, undo]] of changes.entries()) {
        change()
        const told = await until(
          () => namesOfProduction(gateway),
          (lines) => lines.length > index,
        )
        expect(told.at(-1)).toMatch(words)
        expect(told.at(-1)).toMatch(/^certificate.not_renewed: the chains in .* cannot be read/)
        expect(await kept.call('kept')).toBe(200)
        expect(await callOnce(port, world.second.caller)).toBe(200)
        expect(await callOnce(port, world.untrusted.caller)).toBe(0)
        undo()
        await until(() => countOf(gateway, 'certificate.recovered') > index)
      }
      expect(namesOfProduction(gateway)).toHaveLength(changes.length)
      put(site, 'production/third.pem', world.untrusted)
      chownSync(trustFile(site, 'production/third.pem'), SOMEBODY, SOMEBODY)
      await until(
        () => callOnce(port, world.untrusted.caller),
        (status) => status === 200,
      )
    },
  )

  it.skipIf(!canRunAsSomebody())(
    'a reload and a check name an unreadable chain folder, and callers of it are accepted as before',
    async () => {
      const site = await siteWithFolder()
      const gateway = await startAsSomebody(site)
      chmodSync(trustFile(site, 'production'), 0)
      gateway.process.kill('SIGHUP')
      const reloaded = () => gateway.lines.find(({ event }) => event === 'configuration.partly_reloaded')
      expect(await until(reloaded)).toMatchObject({ problems: [expect.stringContaining('production cannot be read')] })
      expect(namesIn(gateway)[0]).toMatch(
        /^certificate.not_renewed: the chains in .*production cannot be read \(this user has no permission/,
      )
      expect(await callOnce(gateway.callbacks.port, world.second.caller)).toBe(200)

      const findings = (await check(site)).split('\n').filter((line) => line.includes('"area":"trust"'))
      expect(findings).toHaveLength(1)
      expect(JSON.parse(findings[0] ?? '')).toMatchObject({
        level: 'problem',
        found: expect.stringMatching(/the chains in .*production cannot be read \(this user has no permission/),
      })
    },
  )

  it.skipIf(!hasPrlimit)(
    'without a descriptor the gateway goes on, and takes up changes when there are some again',
    async () => {
      const site = await siteWithFolder()
      const gateway = await spawnGateway(site)
      const { port } = gateway.callbacks
      const kept = await openCaller(port, world.second.caller)
      expect(await kept.call('before')).toBe(200)
      // The thread of the search index has been started, and gives no descriptor back any more.
      await until(() => countOfRuns(site) > 0)
      const pid = String(gateway.process.pid)
      const limitTo = (limit: string) => execFileSync('prlimit', ['--pid', pid, `--nofile=${limit}:`])

      limitTo(String(lowestFree(readdirSync(`/proc/${pid}/fd`).map(Number))))
      put(site, 'production/third.pem', world.untrusted)
      await until(() => countOf(gateway, 'background.failed') > 0)
      for (let count = 0; count < 20; count++) void openCaller(port, world.second.caller).catch(() => undefined)
      expect(await kept.call('meanwhile')).toBe(200)
      expect(namesIn(gateway)).toEqual([
        expect.stringMatching(
          /^background.failed: the chains in .* cannot be read \(this process has too many open files.*raise LimitNOFILE=/,
        ),
      ])
      limitTo('1024')

      await until(() => countOf(gateway, 'background.recovered') > 0)
      await until(
        () => callOnce(port, world.untrusted.caller),
        (status) => status === 200,
      )
      expect(await kept.call('after')).toBe(200)
      expect(gateway.process.exitCode).toBe(null)
    },
  )

  it('names of certificates and servers reach log, refusals and texts without control characters', async () => {
    const name = 'evil\u202ecn\u2028.exe\u0085\u200b'
    const { issue } = createAuthority(folder)
    const untrusted = issue({ name: 'untrusted-with-controls', subject: `/CN=${name}` })
    const known = issue({ name: 'known-with-controls', subject: `/CN=${name}`, issuer: world.first.issuing })
    const site = await siteWithFolder({ callbacks: { ...BASE_CALLBACKS, host: '127.0.0.1' } })
    const gateway = await spawnGateway(site)
    const raw: Buffer[] = []
    gateway.process.stderr?.on('data', (chunk: Buffer) => raw.push(chunk))
    const { port } = gateway.callbacks

    const sni = ['-servername', 'a\u202eb\u009bc']
    await callByOpenssl(port, ['-cert', untrusted.certFile, '-key', untrusted.keyFile, ...sni], requestOf('x'))
    expect(await callOnce(port, known)).toBe(200)
    mkdirSync(dirname(trustFile(site, 'production/bad.pem')), { recursive: true })
    writeFileSync(trustFile(site, 'production/bad.pem'), untrusted.cert)
    const refused = () => gateway.lines.find(({ event }) => event === 'caller.refused')
    expect(await until(refused)).toMatchObject({
      subject: 'CN=evil\\u202ecn\\u2028.exe\\u0085\\u200b',
      // Node reads each of its bytes as a character.
      serverName: 'aâ\\u0080®bÂ\\u009bc',
    })
    await until(() => countOf(gateway, 'certificate.not_renewed') > 0)
    expect(namesIn(gateway).join()).toContain('CN=evil\\u202ecn\\u2028.exe')
    expect(Buffer.concat(raw).toString('utf8')).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  })
})

function lowestFree(descriptors: readonly number[]): number {
  for (let free = 0; ; free++) if (!descriptors.includes(free)) return free
}
