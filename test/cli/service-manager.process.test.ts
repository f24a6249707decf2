import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { takePassedSockets } from '../../src/cli/serve/passed-sockets.ts'
import { takeServiceManager } from '../../src/cli/serve/service-manager.ts'
import { feedWatchdog, notifyReload } from '../../src/cli/serve/supervision.ts'
import { callBack } from '../support/calls.ts'
import { type LogLine, recordingLog, startTestGateway } from '../support/gateway.ts'
import { hasNotify, startManager } from '../support/service-unit.ts'
import { databaseFile } from '../support/store.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const PID = 4711

function managerAt(environment: NodeJS.ProcessEnv) {
  const lines: LogLine[] = []
  const log = recordingLog(lines)
  return { lines, log, manager: takeServiceManager(environment, PID, log) }
}

describe('passed sockets', () => {
  const passed = (names: string, count = names.split(':').length) => ({
    LISTEN_PID: String(PID),
    LISTEN_FDS: String(count),
    LISTEN_FDNAMES: names,
    PATH: '/bin',
  })

  it('are taken by their names, and no one else is reported them', () => {
    const environment = passed('api:callbacks:charges')
    expect(takePassedSockets(environment, PID)).toEqual({ api: 3, callbacks: 4, charges: 5 })
    expect(environment).toEqual({ PATH: '/bin' })
  })

  it('for another process are none', () => {
    const environment = passed('callbacks')
    expect(takePassedSockets(environment, PID + 1)).toEqual({})
    expect(environment).toEqual({ PATH: '/bin' })
    expect(takePassedSockets({}, PID)).toEqual({})
  })

  it('with a name of nothing, or one name for two, are a mistake that says what to write', () => {
    expect(() => takePassedSockets(passed('portaria.socket'), PID)).toThrow(
      'named "portaria.socket": write FileDescriptorName=callbacks, charges or api',
    )
    expect(() => takePassedSockets(passed('callbacks', 2), PID)).toThrow('named ""')
    expect(() => takePassedSockets(passed('api:api'), PID)).toThrow(
      'two sockets are named api: write one ListenStream=',
    )
  })
})

describe('where no service manager is', () => {
  it('no one is reported, and nothing is watched', async () => {
    const { manager, lines } = managerAt({ WATCHDOG_USEC: '60000000', PATH: '/nowhere' })
    manager.notify('READY=1')
    await manager.settled()
    expect([manager.watchdogMs, lines]).toEqual([null, []])
  })
})

describe.skipIf(!hasNotify)('a service manager (with systemd-notify)', () => {
  it.each(['a path', 'an abstract address'])('at %s hears what is announced, in its order', async (what) => {
    const far = await startManager(what === 'a path' ? undefined : `@portaria-${process.pid}`)
    const environment = { ...process.env, NOTIFY_SOCKET: far.path, WATCHDOG_USEC: '60000000', WATCHDOG_PID: `${PID}` }
    const { manager, lines } = managerAt(environment)
    expect([manager.watchdogMs, Object.keys(environment).filter((name) => /^(NOTIFY|WATCHDOG)_/.test(name))]).toEqual([
      60_000,
      [],
    ])
    for (const state of ['READY=1', 'WATCHDOG=1', 'STOPPING=1']) manager.notify(state, `STATUS=after ${state}`)
    await manager.settled()
    expect(far.messages()).toEqual([
      ['READY=1', 'STATUS=after READY=1'],
      ['WATCHDOG=1', 'STATUS=after WATCHDOG=1'],
      ['STOPPING=1', 'STATUS=after STOPPING=1'],
    ])
    expect(lines).toEqual([])
  })

  it('hears of a reload with its time, and how it ended', async () => {
    const far = await startManager()
    const { manager } = managerAt({ ...process.env, NOTIFY_SOCKET: far.path })
    const before = process.hrtime.bigint() / 1000n
    await notifyReload(manager, async () => ({ problems: [] }))
    await notifyReload(manager, async () => ({ problems: ['a certificate'] }))
    await notifyReload(manager, () => Promise.reject(new Error('a mistake'))).catch(() => undefined)
    await manager.settled()
    const [begun, done, , partly, , failed] = far.messages()
    expect(begun).toEqual(['RELOADING=1', expect.stringMatching(/^MONOTONIC_USEC=\d+$/)])
    expect(BigInt(begun?.[1]?.split('=')[1] ?? 0)).toBeGreaterThanOrEqual(before)
    expect([done, partly, failed]).toEqual([
      ['READY=1', 'STATUS=Uses the latest configuration'],
      ['READY=1', expect.stringContaining('except what the log names')],
      ['READY=1', expect.stringContaining('was not reloaded')],
    ])
  })

  it('that watches another process is shown no life', () => {
    const watched = { NOTIFY_SOCKET: '/nowhere', WATCHDOG_USEC: '60000000' }
    expect(managerAt({ ...watched, WATCHDOG_PID: '1' }).manager.watchdogMs).toBeNull()
    expect(managerAt({ ...watched }).manager.watchdogMs).toBe(60_000)
  })

  it('that cannot be told is a line in the log, and the next one is reported', async () => {
    const far = await startManager()
    const { manager, lines } = managerAt({ ...process.env, NOTIFY_SOCKET: join(temporaryFolder(), 'nobody') })
    manager.notify('READY=1')
    await manager.settled()
    expect(lines).toMatchObject([{ level: 'error', event: 'systemd.notify_failed' }])
    const without = managerAt({ NOTIFY_SOCKET: far.path, PATH: temporaryFolder() })
    without.manager.notify('READY=1')
    await without.manager.settled()
    expect(without.lines).toMatchObject([
      { error: expect.stringContaining('ENOENT'), hint: expect.stringContaining('install the program systemd-notify') },
    ])
  })

  it('hears of nothing before what was reported earlier, however long that takes', async () => {
    const folder = temporaryFolder()
    const heard = join(folder, 'heard')
    const script = `#!/bin/sh\n[ "$1" != READY=1 ] || sleep 0.2\necho "$1" >> ${heard}\n`
    writeFileSync(join(folder, 'systemd-notify'), script, { mode: 0o755 })
    const { manager } = managerAt({ NOTIFY_SOCKET: '/n', PATH: `${folder}:${process.env.PATH}` })
    for (const state of ['READY=1', 'WATCHDOG=1', 'STOPPING=1']) manager.notify(state)
    await manager.settled()
    expect(readFileSync(heard, 'utf8')).toBe('READY=1\nWATCHDOG=1\nSTOPPING=1\n')
  })

  it('is reported by a child that has nothing else of the environment', async () => {
    const folder = temporaryFolder()
    const seen = join(folder, 'seen')
    writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\nenv > ${seen}\n`, { mode: 0o755 })
    const environment: NodeJS.ProcessEnv = { NOTIFY_SOCKET: '/n', LISTEN_PID: String(PID), LISTEN_FDS: '0' }
    takePassedSockets(environment, PID)
    const { manager } = managerAt(Object.assign(environment, { PATH: `${folder}:${process.env.PATH}` }))
    manager.notify('READY=1')
    await manager.settled()
    const told = readFileSync(seen, 'utf8')
    expect(told).toContain('NOTIFY_SOCKET=/n')
    expect(told).not.toMatch(/LISTEN_|WATCHDOG_/)
  })
})

describe.skipIf(!hasNotify)('the watchdog (with systemd-notify)', () => {
  it('is fed again and again while the writer works, and not while it hangs', async () => {
    const far = await startManager()
    const environment = { ...process.env, NOTIFY_SOCKET: far.path, WATCHDOG_USEC: '150000' }
    const { manager, log, lines } = managerAt(environment)
    const gateway = await startTestGateway()
    const fed = () => far.messages().length
    const unfed = () => lines.filter(({ event }) => event === 'watchdog.withheld').length
    onTestFinished(feedWatchdog(manager, gateway, log))
    await until(() => fed() >= 3)
    expect(unfed()).toBe(0)

    const other = new Database(databaseFile(gateway.config))
    onTestFinished(() => void other.close())
    other.exec('begin immediate')
    const called = callBack(gateway)
    let later = 0
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + later)
    onTestFinished(() => clock.mockRestore())
    await until(
      () => {
        later += 1000
        return unfed()
      },
      (count) => count >= 3,
      Number.POSITIVE_INFINITY,
    )
    await manager.settled()
    const before = fed()
    await until(() => unfed() >= 6)
    expect(fed()).toBe(before)
    expect(far.messages().every(([state]) => state === 'WATCHDOG=1')).toBe(true)

    other.exec('rollback')
    // 503 where the lock was held for longer than SQLite waits for it, 5 s of the real clock.
    expect([200, 503]).toContain((await called).status)
    await until(() => fed() > before)
  })
})
