import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT, UNITS } from '../support/service-unit.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0
const hasSetup = spawnSync('systemd-tmpfiles', ['--version']).status === 0 && process.getuid?.() === 0
const NAMES = readdirSync(UNITS).filter((name) => /\.(service|socket|timer)$/.test(name))

/** The units, with a link to this clone in place of /opt/portaria: their programs must be there, and its path may have spaces. */
function placedUnits(folder = temporaryFolder()): string[] {
  const clone = join(folder, 'clone')
  symlinkSync(ROOT, clone)
  return NAMES.map((name) => {
    const text = readFileSync(join(UNITS, name), 'utf8')
    writeFileSync(join(folder, name), text.replaceAll('/opt/portaria', clone))
    return join(folder, name)
  })
}

describe.skipIf(!hasAnalyze)('the units (with systemd-analyze)', () => {
  it('are all understood', () => {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', ...placedUnits()], { encoding: 'utf8' })
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  it('are understood with the drop-in for systemd without RestartSteps=, too', () => {
    const folder = temporaryFolder()
    const units = placedUnits(folder)
    mkdirSync(join(folder, 'portaria.service.d'))
    copyFileSync(join(UNITS, 'restart-wait.conf'), join(folder, 'portaria.service.d/20-restart.conf'))
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8' })
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  it.each(NAMES.filter((name) => name.endsWith('.service')))('%s is exposed to 1.3 at most', (name) => {
    const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', join(UNITS, name)], {
      encoding: 'utf8',
    })
    const exposure = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]
    expect(Number(exposure), stdout).toBeLessThanOrEqual(1.3)
  })
})

describe.skipIf(process.platform !== 'linux')('restarts after failures', () => {
  const settingsOf = (name: string) => readFileSync(join(UNITS, name), 'utf8').match(/^[A-Z]\w+=.*$/gm)

  it('have no limit of their number, and keys of systemd 254 stay out of the unit', () => {
    expect(settingsOf('portaria.service')).toEqual(
      expect.arrayContaining(['StartLimitIntervalSec=0', 'Restart=always', 'RestartSec=2']),
    )
    expect(settingsOf('portaria.service')?.filter((line) => /^Restart(Steps|Max)/.test(line))).toEqual([])
    expect(settingsOf('restart-steps.conf')).toEqual(['RestartSteps=5', 'RestartMaxDelaySec=15'])
  })

  /** How long the command of the drop-in waits, in seconds. */
  function waitAfter(result: string, restarts: string): string {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'systemctl'), `#!/bin/sh\necho ${restarts}\n`, { mode: 0o755 })
    writeFileSync(join(folder, 'sleep'), '#!/bin/sh\necho "$1"\n', { mode: 0o755 })
    const [setting = ''] = settingsOf('restart-wait.conf') ?? []
    const [, script = ''] = /^ExecStopPost=-\+\/bin\/sh -c '(.*)'$/.exec(setting) ?? []
    const env = { PATH: `${folder}:/usr/bin:/bin`, SERVICE_RESULT: result }
    return spawnSync('/bin/sh', ['-c', script.replaceAll('$$', '$')], { env, encoding: 'utf8' }).stdout.trim()
  }

  it('wait longer each time before systemd 254, after an end with an exit code only', () => {
    expect(['0', '1', '4', '5', '900'].map((restarts) => waitAfter('exit-code', restarts))).toEqual([
      '0',
      '3',
      '12',
      '15',
      '15',
    ])
    expect(['success', 'watchdog', 'signal'].map((result) => waitAfter(result, '9'))).toEqual(['', '', ''])
  })
})

describe.skipIf(!hasSetup)('user and folders (with systemd-tmpfiles, as root)', () => {
  it('the gateway may read configuration and certificates and write none; secrets only root reads', () => {
    const root = temporaryFolder()
    for (const folder of ['etc/sysusers.d', 'etc/tmpfiles.d', 'var/lib', 'etc/portaria/certs/trust/production/staged'])
      mkdirSync(join(root, folder), { recursive: true })
    mkdirSync(join(root, 'etc/portaria/secrets'))
    writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n')
    writeFileSync(join(root, 'etc/group'), 'root:x:0:\n')
    copyFileSync(join(UNITS, 'portaria.sysusers'), join(root, 'etc/sysusers.d/portaria.conf'))
    copyFileSync(join(UNITS, 'portaria.tmpfiles'), join(root, 'etc/tmpfiles.d/portaria.conf'))
    for (const file of [
      'portaria.yaml',
      'certs/server.key',
      'certs/trust/production/new.pem',
      'secrets/operator-token',
    ])
      writeFileSync(join(root, 'etc/portaria', file), '', { mode: file.startsWith('secrets') ? 0o644 : 0o600 })

    for (const command of [
      ['systemd-sysusers', `--root=${root}`, 'portaria.conf'],
      ['systemd-tmpfiles', `--root=${root}`, '--create', 'portaria.conf'],
    ] as const)
      expect(spawnSync(command[0], command.slice(1)).status, command[0]).toBe(0)

    const group = Number(/^portaria:x:\d+:(\d+):/m.exec(readFileSync(join(root, 'etc/passwd'), 'utf8'))?.[1])
    const rightsOf = (path: string) => {
      const { mode, uid, gid } = statSync(join(root, path))
      return `${(mode & 0o7777).toString(8)} ${uid === 0 ? 'root' : 'portaria'}:${gid === group ? 'portaria' : gid}`
    }
    expect({
      configuration: rightsOf('etc/portaria/portaria.yaml'),
      folders: ['etc/portaria', 'etc/portaria/certs', 'etc/portaria/certs/trust/production/staged'].map(rightsOf),
      files: ['etc/portaria/certs/server.key', 'etc/portaria/certs/trust/production/new.pem'].map(rightsOf),
      secrets: ['etc/portaria/secrets', 'etc/portaria/secrets/operator-token'].map(rightsOf),
      data: rightsOf('var/lib/portaria'),
    }).toEqual({
      configuration: '640 root:portaria',
      folders: ['750 root:portaria', '2750 root:portaria', '2750 root:portaria'],
      files: ['640 root:portaria', '640 root:portaria'],
      secrets: ['700 root:0', '600 root:0'],
      data: '700 portaria:portaria',
    })
  })
})
