import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { linesOf, portaria } from '../../cli/program.ts'
import { OPERATOR_TOKEN, type SpawnedGateway, spawnGateway, type TestSite } from '../../support/gateway.ts'
import { hasOpenssl } from '../../support/openssl.ts'
import { siteOn } from '../../support/postgres.ts'
import { startReceiver } from '../../support/receiver.ts'
import { describePostgres } from '../../support/with-postgres.ts'

const run = promisify(execFile)
const hasCurl = spawnSync('curl', ['--version']).status === 0
const PASSWORD = 'correct-horse-battery-staple'

const SERVER = { access: ['host all portaria_app 127.0.0.1/32 scram-sha-256'] }

describePostgres('the program on PostgreSQL', SERVER, (server) => {
  beforeAll(async () => {
    await server.query(`create role portaria_app login password '${PASSWORD}'`)
  })

  /** Over TCP, with the password in a file. */
  async function siteWithPassword(changes: Record<string, unknown> = {}): Promise<TestSite> {
    const name = /\/(\w+)\?/.exec(await server.createDatabase())?.[1] ?? ''
    await server.query(`alter database ${name} owner to portaria_app`)
    const url = `postgres://portaria_app@127.0.0.1:${server.port}/${name}`
    const site = await siteOn(server, { ...changes, storage: { url, passwordFile: 'password' } })
    writeFileSync(join(site.folder, 'password'), `${PASSWORD}\n`, { mode: 0o600 })
    return site
  }

  /** A callback as the service makes it. */
  function curl({ callbacks }: SpawnedGateway, { certs }: TestSite, body: string) {
    const credentials = ['--cert', 'production-client.crt', '--key', 'production-client.key']
    const files = credentials.map((one) => (one.startsWith('--') ? one : join(certs, 'service', one)))
    const at = `https://localhost:${callbacks.port}/callbacks/payment`
    return run('curl', ['-sS', '--cacert', join(certs, 'server-ca.crt'), ...files, '--json', body, at])
  }

  it.skipIf(!hasCurl)(
    'stores what curl calls with, delivers it, shows it to commands, and has it after a restart',
    async () => {
      const receiver = await startReceiver()
      const site = await siteWithPassword({ node: { name: 'gateway-1', folder: 'node' } })
      const gateway = await spawnGateway(site)
      expect(statSync(join(site.folder, 'node')).mode & 0o777).toBe(0o700)
      expect((await portaria(site, 'destinations', 'create', receiver.url, '--name', 'books')).code).toBe(0)
      expect((await curl(gateway, site, '{"identificador":"a"}')).stdout).toBe('200')
      await expect.poll(() => receiver.received.map(({ body }) => String(body))).toEqual(['{"identificador":"a"}'])
      const checked = await portaria(site, 'check', '--offline', '--json')
      const problems = linesOf<{ level?: string; code?: string }>(checked).filter(({ level }) => level === 'problem')
      // The certificates of the tests are of no public authority.
      expect(problems.map(({ code }) => code).filter((code) => !/^(certificate|trust)\./.test(code ?? ''))).toEqual([])
      gateway.process.kill('SIGTERM')
      expect(await gateway.exited).toBe(0)

      const again = await spawnGateway(site)
      const events = await run('curl', [
        '-sS',
        '-H',
        `authorization: Bearer ${OPERATOR_TOKEN}`,
        `http://127.0.0.1:${again.api.port}/v1/events`,
      ])
      expect(JSON.parse(events.stdout).data).toMatchObject([{ subject: 'a' }])
      await curl(again, site, '{"identificador":"b"}')
      await expect.poll(() => receiver.received.length).toBe(2)
    },
  )

  it.skipIf(!hasOpenssl)('refuses a caller without a certificate, seen by openssl', async () => {
    const site = await siteWithPassword()
    const { callbacks } = await spawnGateway(site)
    const args = ['s_client', '-connect', `127.0.0.1:${callbacks.port}`, '-tls1_2', '-quiet']
    const { status, stderr } = spawnSync('openssl', args, { input: 'GET / HTTP/1.1\r\n\r\n', encoding: 'utf8' })
    expect(status).not.toBe(0)
    expect(stderr).toMatch(/alert|handshake failure/)
  })

  it('names node and database when it starts; the password is in no log line, no argument and no message', async () => {
    const site = await siteWithPassword({ node: { name: 'gateway-1', folder: 'data' } })
    const gateway = await spawnGateway(site)
    const name = gateway.lines.find(({ event }) => event === 'gateway.started')
    expect(name).toMatchObject({
      name: 'gateway-1',
      database: expect.stringMatching(/^postgres:\/\/127\.0\.0\.1:\d+\/test_\d+$/),
    })
    const process = readFileSync(`/proc/${gateway.process.pid}/cmdline`, 'utf8')
    const connections = await server.query('select application_name from pg_stat_activity')
    writeFileSync(join(site.folder, 'password'), `${PASSWORD}-wrong`)
    const refused = await portaria(site, 'events', 'list')
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('refuses the password of portaria_app')])
    const shown = [gateway.lines, process, connections, refused].map((one) => JSON.stringify(one)).join()
    expect(shown).toContain('portaria gateway-1 writer')
    expect(shown).not.toContain(PASSWORD)
  })

  it('a reload names what needs a restart', async () => {
    const site = await siteWithPassword()
    await spawnGateway(site)
    const written = parse(readFileSync(site.configFile, 'utf8'))
    writeFileSync(join(site.folder, 'other-password'), PASSWORD, { mode: 0o600 })
    const storage = { ...written.storage, passwordFile: 'other-password' }
    writeFileSync(site.configFile, stringify({ ...written, storage, node: { ...written.node, name: 'other' } }))
    const { stdout } = await portaria(site, 'reload', '--json')
    expect(JSON.parse(stdout).needRestart).toEqual(['storage.passwordFile', 'node.name'])
  })
})
