import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { findingsOf } from '../../../src/cli/check.ts'
import { callApi, callBack } from '../../support/calls.ts'
import { BASE_CALLBACKS, createSite, OPERATOR_TOKEN, type TestSite } from '../../support/gateway.ts'
import {
  commandOf,
  hasNotify,
  hasPython,
  spawnService,
  startManager,
  startService,
} from '../../support/service-unit.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

/** A port that no one may open without rights, so that only a passed socket can do. */
const CLOSED = { ...BASE_CALLBACKS, host: '192.0.2.1', port: 443 }
const API = { host: '127.0.0.1', port: 0, operatorTokenFile: 'operator-token' }

/** Of a service that does not start: its exit code and what it said. One that starts is ended, with no code. */
async function refusalOf(site: TestSite, options: Parameters<typeof spawnService>[1]) {
  const child = spawnService(site, options)
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (said.includes('gateway.started')) child.kill('SIGKILL')
  })
  const [code] = await once(child, 'close')
  return { code, said }
}

describe.skipIf(!hasPython)('with sockets that a service manager passes', () => {
  it('every listener takes the one of its name, whatever host and port are configured, and tells where it is', async () => {
    const token = 'a'.repeat(32)
    const chargeNotifications = {
      host: '192.0.2.1',
      port: 1,
      tokens: [{ environment: 'sandbox', tokenFile: 'charge-token' }],
    }
    const site = await createSite({ callbacks: CLOSED, api: { ...API, port: 1 }, chargeNotifications })
    writeFileSync(join(site.folder, 'charge-token'), token)
    const gateway = await startService(site, {
      sockets: 'api=127.0.0.1:0,callbacks=127.0.0.1:0,charges=127.0.0.1:0',
    })
    const started = gateway.lines.find(({ event }) => event === 'gateway.started')
    expect(started).toMatchObject({ passed: ['api', 'callbacks', 'charges'], callbacks: { host: '127.0.0.1' } })

    expect((await callBack({ callbacks: gateway.callbacks, site })).status).toBe(200)
    const charged = await fetch(`http://127.0.0.1:${gateway.charges?.port}/charges/${token}`, {
      method: 'POST',
      body: '{}',
    })
    expect(charged.status).toBe(200)
    expect((await callApi(gateway.api, '/v1/events')).status).toBe(200)
    const findings = await findingsOf({ config: site.configFile, days: 1, timeout: '10', integrityLimit: 60 })
    const listeners = findings.filter(({ area }) => area === 'listeners')
    expect(listeners.map(({ what, level }) => [what, level])).toEqual([
      ['gateway', 'good'],
      ['callbacks', 'good'],
      ['chargeNotifications', 'good'],
      ['api', 'good'],
      ['open files', 'good'],
    ])
    expect(listeners[1]?.found).toContain(`127.0.0.1:${gateway.callbacks.port} shows the configured certificate`)
  })

  it('no child of the gateway has them', async () => {
    const folder = temporaryFolder()
    const seen = join(folder, 'seen')
    const script = `#!/bin/sh\nls -l /proc/self/fd > ${seen}.new\nenv >> ${seen}.new\nmv ${seen}.new ${seen}\n`
    writeFileSync(join(folder, 'systemd-notify'), script, { mode: 0o755 })
    const site = await createSite({ callbacks: CLOSED })
    const environment = { NOTIFY_SOCKET: '/nobody', PATH: `${folder}:${process.env.PATH}` }
    const gateway = await startService(site, { sockets: 'callbacks=127.0.0.1:0', environment })
    const told = await until(() => {
      try {
        return readFileSync(seen, 'utf8')
      } catch {
        return null
      }
    })
    expect(told).not.toContain(readlinkSync(`/proc/${gateway.process.pid}/fd/3`))
    expect(told).not.toContain('LISTEN_')
  })

  it('the API is refused one that others can reach without TLS', async () => {
    const { code, said } = await refusalOf(await createSite(), { sockets: 'api=0.0.0.0:0' })
    expect(code).toBe(1)
    expect(said).toMatch(
      /passed for api listens on 0\.0\.0\.0, which is not a loopback address, so the API must have TLS/,
    )
  })

  it('one that nothing is configured for, or that is none of TCP, is a mistake', async () => {
    const site = await createSite()
    const charges = await refusalOf(site, { sockets: 'charges=127.0.0.1:0' })
    expect([charges.code, charges.said]).toEqual([2, expect.stringContaining('has no chargeNotifications')])
    for (const name of ['callbacks', 'api']) {
      const local = await refusalOf(site, { sockets: `${name}=${join(site.folder, `${name}.sock`)}` })
      expect(local.said).toMatch(/none of TCP: write ListenStream= with a port/)
      expect(local.code).toBe(1)
    }
  })
})

describe.skipIf(!hasNotify)('under a service manager (with systemd-notify)', () => {
  it('says that it is ready once it is, shows life, announces a reload, and that it stops', async () => {
    const far = await startManager()
    const site = await createSite()
    const gateway = await startService(site, { environment: { NOTIFY_SOCKET: far.path, WATCHDOG_USEC: '600000' } })
    const told = (state: string) => far.messages().filter(([first]) => first === state)
    await until(() => told('WATCHDOG=1').length >= 2)
    const { port } = gateway.callbacks
    expect(far.messages()[0]).toEqual(['READY=1', `STATUS=Takes callbacks on 127.0.0.1 port ${port}`])

    gateway.process.kill('SIGHUP')
    await until(() => told('READY=1').length === 2)
    writeFileSync(site.configFile, 'callbacks: [')
    gateway.process.kill('SIGHUP')
    await until(() => told('READY=1').length === 3)
    const states = far.messages().filter(([first]) => first !== 'WATCHDOG=1')
    expect(states.slice(1).map(([first, second]) => [first, second?.replace(/\d+/, 'N')])).toEqual([
      ['RELOADING=1', 'MONOTONIC_USEC=N'],
      ['READY=1', 'STATUS=Uses the latest configuration'],
      ['RELOADING=1', 'MONOTONIC_USEC=N'],
      ['READY=1', 'STATUS=The configuration was not reloaded, see the log; the earlier one stays in use'],
    ])

    gateway.process.kill('SIGTERM')
    expect(await gateway.exited).toBe(0)
    await until(() => told('STOPPING=1').length === 1)
    expect(far.messages().at(-1)).toEqual(['STOPPING=1'])
  })

  it('systemctl reload ends when the gateway has announced the result, and fails where it refuses something', async () => {
    const far = await startManager()
    const site = await createSite({ log: { level: 'info' } })
    const gateway = await startService(site, { environment: { NOTIFY_SOCKET: far.path } })
    const states = () => far.messages().map(([state, status]) => (state === 'READY=1' ? status : state))
    const good = readFileSync(site.configFile, 'utf8')
    const reload = async (text: string) => {
      writeFileSync(site.configFile, text)
      const [command = '', ...args] = commandOf(site, 'ExecReload')
      return await promisify(execFile)(command, args, { env: { PATH: process.env.PATH } }).then(
        ({ stdout }) => ({ code: 0, said: stdout }),
        ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
          code,
          said: stdout || stderr,
        }),
      )
    }

    expect(await reload(good)).toEqual({ code: 0, said: `the gateway uses ${site.configFile}\n` })
    expect(states().at(-1)).toBe('STATUS=Uses the latest configuration')
    expect(await reload(good.replace('level: info', 'level: warn'))).toEqual({
      code: 0,
      said: `the gateway uses ${site.configFile}\n  needs a restart: log.level\n`,
    })
    const broken = await reload(good.replace('callbacks:', 'callback:'))
    expect(broken).toEqual({ code: 2, said: expect.stringContaining('unknown key; did you mean "callbacks"?') })
    // Only the running gateway knows that it uses a valid certificate.
    writeFileSync(join(site.certs, 'server.crt'), 'no certificate')
    const refused = await reload(good)
    expect(refused).toEqual({
      code: 3,
      said: expect.stringMatching(/not taken up: the callback listener's certificate stays unchanged: .*server\.crt/),
    })
    expect(states().at(-1)).toMatch(/^STATUS=Uses the latest configuration except/)
    expect((await callBack({ callbacks: gateway.callbacks, site })).status).toBe(200)

    gateway.process.kill('SIGTERM')
    await gateway.exited
    const gone = await reload(good)
    expect(gone).toEqual({
      code: 1,
      said: expect.stringMatching(/^portaria: no gateway runs with the database .*: start it/),
    })
  })

  it('is not ready while the database belongs to somebody else', async () => {
    const far = await startManager()
    const site = await createSite()
    await startService(site)
    const second = await refusalOf(site, { environment: { NOTIFY_SOCKET: far.path } })
    expect(second.code).toBe(1)
    expect(far.messages()).toEqual([])
  })
})

describe('with credentials', () => {
  it('tokens and secrets come from the folder that the unit is given', async () => {
    const folder = temporaryFolder()
    const credentials = join(folder, 'credentials')
    mkdirSync(credentials)
    writeFileSync(join(credentials, 'secrets_operator-token'), OPERATOR_TOKEN, { mode: 0o400 })
    chmodSync(credentials, 0o500)
    const api = { ...API, operatorTokenFile: 'credential:secrets_operator-token' }
    const gateway = await startService(await createSite({ api }), {
      environment: { CREDENTIALS_DIRECTORY: credentials },
    })
    expect((await callApi(gateway.api, '/v1/events')).status).toBe(200)
  })
})
