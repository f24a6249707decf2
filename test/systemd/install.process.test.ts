import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { hasAllFixes, SAFE_NODE, VERSION } from '../../src/platform/version.ts'
import { IS_FULL } from '../support/campaign.ts'
import { ROOT, UNITS } from '../support/service-unit.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const hasShellcheck = spawnSync('shellcheck', ['--version']).status === 0
const canUnshare = spawnSync('unshare', ['--mount', 'mount', '--bind', '/opt', '/opt']).status === 0
const BUNDLED = join(ROOT, `node_modules/node-linux-${process.arch}`)
const TOOLS = '/usr/sbin:/usr/bin:/sbin:/bin'
/** Nothing can be refused where the machine itself has what is asked for. */
const hasSafeNode = TOOLS.split(':').some((folder) => {
  const { stdout } = spawnSync(join(folder, 'node'), ['--version'], { encoding: 'utf8' })
  return /^v\d/.test(stdout ?? '') && hasAllFixes(stdout.trim().slice(1))
})

function script(name: 'install.sh' | 'uninstall.sh', args: readonly string[], path = TOOLS) {
  // As a careful root has it: nothing that it makes is for others unless a script says so.
  const command = ['-c', 'umask 077; exec "$0" "$@"', join(UNITS, name), ...args]
  const { status, stdout, stderr } = spawnSync('/bin/sh', command, { encoding: 'utf8', env: { PATH: path } })
  return { status, said: stdout + stderr }
}

/** A folder on the PATH with a Node.js that says it is of this version. */
function nodeOf(version: string, folder = temporaryFolder()): string {
  const text = `#!/bin/sh\n[ "$1" = --version ] && { echo v${version}; exit; }\nexec ${process.execPath} "$@"\n`
  writeFileSync(join(folder, 'node'), text, { mode: 0o755 })
  return `${folder}:${TOOLS}`
}

/** Adds a systemctl to a PATH: it says that it is of this release, and writes down its other calls. */
function withSystemctl(path: string, release: number) {
  const folder = temporaryFolder()
  const record = join(folder, 'calls')
  const text = `#!/bin/sh\n[ "$1" = --version ] && { echo "systemd ${release} (${release}.1-1)"; exit; }\necho "$*" >>${record}\n`
  writeFileSync(join(folder, 'systemctl'), text, { mode: 0o755 })
  return { path: `${folder}:${path}`, calls: () => readFileSync(record, 'utf8').trimEnd().split('\n') }
}

/** Every file below a folder but for the program's own, with its content. */
function contentOf(root: string): Record<string, string> {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    paths.filter((path) => !path.includes('/opt/portaria/')).map((path) => [path, readFileSync(path, 'utf8')]),
  )
}

/** The first versions of each line that are current enough. */
function neededVersions(): string[] {
  const table = readFileSync(join(ROOT, 'bin/find-node'), 'utf8')
  return (/^needed_versions='([\d. ]+)'$/m.exec(table)?.[1] ?? '').split(' ')
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe.skipIf(process.platform !== 'linux')('systemd/install.sh', () => {
  it('installs all that a unit names, once and again; uninstall.sh takes it away and keeps what is the operator’s', () => {
    const root = temporaryFolder()
    const path = nodeOf(SAFE_NODE)
    const first = script('install.sh', ['--root', root], path)
    expect(first.status, first.said).toBe(0)
    expect(first.said).toContain(`portaria: wrote ${root}/opt/portaria\n`)
    expect(first.said).toContain(`(v${SAFE_NODE})`)
    const program = join(root, 'opt/portaria')
    const version = spawnSync(join(program, 'bin/portaria'), ['version'], { encoding: 'utf8', env: { PATH: path } })
    expect(version.stdout).toContain(VERSION)
    expect(existsSync(join(program, `node_modules/node-linux-${process.arch}`))).toBe(false)
    expect(['vitest', 'typescript'].filter((name) => existsSync(join(program, 'node_modules', name)))).toEqual([])
    const pages = ['README.md', 'README.pt.md', 'docs/pt/operations.md', 'systemd/README.pt.md']
    expect(pages.filter((name) => !existsSync(join(program, name)))).toEqual([])

    const etc = join(root, 'etc/portaria')
    const site = ['', 'portaria.yaml', 'certs/trust', 'secrets', 'secrets/operator-token'].map((name) =>
      join(etc, name),
    )
    expect(site.map(modeOf)).toEqual(['750', '640', '750', '700', '600'])
    expect(modeOf(join(root, 'var/lib/portaria'))).toBe('700')
    expect(['opt', 'opt/portaria', 'usr/local/bin'].map((name) => modeOf(join(root, name)))).toEqual(
      Array(3).fill('755'),
    )
    const before = contentOf(root)
    expect(Object.keys(before).filter((file) => /\/etc\/systemd\/system\/[^/]*$/.test(file))).toHaveLength(6)

    const second = script('install.sh', ['--root', root], path)
    expect(second.status, second.said).toBe(0)
    expect(second.said).toContain(`kept ${etc}/portaria.yaml`)
    expect(second.said.match(/wrote .*/g)).toEqual([`wrote ${program}`])
    expect(contentOf(root)).toEqual(before)

    writeFileSync(join(etc, 'portaria.yaml'), 'mine')
    writeFileSync(join(root, 'var/lib/portaria/portaria.db'), 'mine')
    const third = script('install.sh', ['--root', root], path)
    expect(third.status).toBe(0)
    const ofDatabase = (said: string) => said.includes(`${etc}/portaria.yaml has its database elsewhere`)
    expect([second, third].map(({ said }) => ofDatabase(said))).toEqual([false, true])
    for (const said of ['removed', 'kept']) {
      const gone = script('uninstall.sh', ['--root', root])
      expect([gone.status, gone.said.includes(said)]).toEqual([0, true])
      expect(gone.said).toContain(`kept ${root}/var/lib/portaria: rm -r '${root}/var/lib/portaria' deletes`)
    }
    expect(Object.keys(contentOf(root)).map((file) => file.slice(root.length + 1))).toEqual(
      expect.arrayContaining(['etc/portaria/portaria.yaml', 'var/lib/portaria/portaria.db']),
    )
    expect(Object.keys(contentOf(root))).toHaveLength(3)
    expect(readFileSync(join(etc, 'portaria.yaml'), 'utf8')).toBe('mine')
    expect(existsSync(join(root, 'usr/local/bin/portaria')) || existsSync(program)).toBe(false)
  })

  it('never takes away a program folder that somebody keeps data in', () => {
    const root = temporaryFolder()
    const data = join(root, 'opt/portaria/data/portaria.db')
    mkdirSync(join(data, '..'), { recursive: true })
    writeFileSync(data, 'mine')
    for (const name of ['install.sh', 'uninstall.sh'] as const) {
      const { status, said } = script(name, ['--root', root], nodeOf(SAFE_NODE))
      expect([status, said]).toEqual([1, expect.stringContaining('which no installation makes')])
    }
    expect(readFileSync(data, 'utf8')).toBe('mine')
  })

  it('refuses to install beside the Debian package', () => {
    const root = temporaryFolder()
    mkdirSync(join(root, 'usr/lib/portaria'), { recursive: true })
    writeFileSync(join(root, 'usr/lib/portaria/build.json'), '{}')
    const { status, said } = script('install.sh', ['--root', root], nodeOf(SAFE_NODE))
    expect([status, said]).toEqual([1, expect.stringContaining('apt remove portaria first')])
    expect(existsSync(join(root, 'opt'))).toBe(false)
  })

  it('refuses a Node.js that the service could not see', () => {
    const home = mkdtempSync(join(homedir(), '.portaria-'))
    onTestFinished(() => rmSync(home, { recursive: true }))
    const root = temporaryFolder()
    const { status, said } = script('install.sh', ['--root', root], nodeOf(SAFE_NODE, home))
    expect([status, said]).toEqual([1, expect.stringMatching(/is in a home folder, which the service cannot see/)])
    expect(readdirSync(root)).toEqual([])
  })

  it('says how it is used', () => {
    for (const name of ['install.sh', 'uninstall.sh'] as const) {
      expect(script(name, ['--nonsense'])).toEqual({
        status: 2,
        said: expect.stringContaining(`usage: systemd/${name}`),
      })
      expect(script(name, ['--root'])).toMatchObject({ status: 2 })
      expect(script(name, ['--help'])).toEqual({ status: 0, said: expect.stringContaining('[--root DIR]') })
    }
  })

  it('writes a configuration that is right once the files are there', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'secrets_operator-token'), 'ab'.repeat(32))
    vi.stubEnv('CREDENTIALS_DIRECTORY', folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    const config = loadConfig(join(UNITS, 'portaria.yaml'))
    expect(config).toMatchObject({
      mode: 'production',
      callbacks: { certificate: join(UNITS, 'certs/server.crt'), privateKey: join(UNITS, 'certs/server.key') },
      api: { operatorTokenFile: join(folder, 'secrets_operator-token') },
      storage: { database: { file: '/var/lib/portaria/portaria.db' } },
    })
  })

  it.skipIf(!hasShellcheck)('has nothing that shellcheck warns of', () => {
    const names = ['install.sh', 'uninstall.sh', 'functions']
    const ofPackage = ['preinst', 'postinst', 'prerm', 'postrm'].map((name) => `packaging/deb/${name}`)
    const files = [
      ...names.map((name) => `systemd/${name}`),
      ...ofPackage,
      'bin/node',
      'bin/portaria',
      'bin/find-node',
      '.ci/run',
      '.ci/nightly',
      '.ci/stages.sh',
    ]
    const { stdout } = spawnSync('shellcheck', ['--severity=warning', ...files], { cwd: ROOT, encoding: 'utf8' })
    expect(stdout).toBe('')
  })
})

/** Each of them installs the whole program once more. */
function describeOtherMachines(): void {
  it('tells the units of a Node.js that is where they do not look, and takes it back', () => {
    const root = temporaryFolder()
    const path = nodeOf(SAFE_NODE)
    const dropIn = join(root, 'etc/systemd/system/portaria.service.d/10-node.conf')
    expect(script('install.sh', ['--root', root], path).status).toBe(0)
    expect(readFileSync(dropIn, 'utf8')).toContain(`Environment=PATH=${path.split(':')[0]}:/usr/local/sbin`)
    expect(script('uninstall.sh', ['--root', root]).status).toBe(0)
    expect(existsSync(join(dropIn, '..'))).toBe(false)
  })

  it('compiles for the user of the service, who may read what was compiled', () => {
    const root = temporaryFolder()
    const path = nodeOf(SAFE_NODE)
    expect(script('install.sh', ['--root', root], path).status).toBe(0)
    const program = join(root, 'opt/portaria')
    const functions = join(program, 'systemd/functions')
    const command = ['-c', 'umask 077; . "$0"; compile_for "$@"', functions, program, 'nobody']
    const { status, stderr } = spawnSync('/bin/sh', command, { encoding: 'utf8', env: { PATH: path } })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })

    const cache = join(program, 'node_modules/.cache/portaria')
    const nobody = spawnSync('id', ['-u', 'nobody'], { encoding: 'utf8' }).stdout.trim()
    const [own = '', theirs = ''] = [process.getuid?.(), nobody].map(
      (user) => readdirSync(cache).find((name) => name.endsWith(`-${user}`)) ?? '',
    )
    const compiled = readdirSync(join(cache, theirs))
    expect(compiled.length).toBeGreaterThan(100)
    expect(compiled).toEqual(readdirSync(join(cache, own)))
    expect(new Set(compiled.map((name) => modeOf(join(cache, theirs, name))))).toEqual(new Set(['644']))
    expect(modeOf(join(cache, theirs))).toBe('755')
  })

  it('delays restarts as the systemd of the machine can, also after its update', () => {
    const root = temporaryFolder()
    const dropIn = join(root, 'etc/systemd/system/portaria.service.d/20-restart.conf')
    const settings = [253, 254].map((release) => {
      const { path } = withSystemctl(nodeOf(SAFE_NODE), release)
      expect(script('install.sh', ['--root', root], path).status).toBe(0)
      return readFileSync(dropIn, 'utf8').match(/^(RestartSteps|ExecStopPost)=/gm)
    })
    expect(settings).toEqual([['ExecStopPost='], ['RestartSteps=']])
    expect(script('uninstall.sh', ['--root', root]).status).toBe(0)
    expect(existsSync(join(dropIn, '..'))).toBe(false)
  })

  it.skipIf(!canUnshare)('uninstall.sh stops every unit and leaves none failed (with unshare, as root)', () => {
    const root = temporaryFolder()
    expect(script('install.sh', ['--root', root], nodeOf(SAFE_NODE)).status).toBe(0)
    const { path, calls } = withSystemctl(TOOLS, 252)
    // The script does not see the machine's own folders.
    const folders = ['/opt', '/usr/local/bin', '/etc']
    const mounts = folders.map((folder) => `mount --bind '${join(root, folder)}' ${folder}`).join(' && ')
    const command = ['--mount', '/bin/sh', '-c', `${mounts} && exec "$0"`, join(UNITS, 'uninstall.sh')]

    const { status, stdout, stderr } = spawnSync('unshare', command, { encoding: 'utf8', env: { PATH: path } })

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(readdirSync(join(root, 'etc/systemd/system'))).toEqual([])
    expect(stdout).toContain('portaria: removed /opt/portaria\n')
    const units = ['portaria-check.timer', 'portaria-check.service', 'portaria.socket', 'portaria-charges.socket']
    const stopped = [...units, 'portaria-api.socket', 'portaria.service']
    expect(calls()).toEqual([
      ...stopped.flatMap((unit) => [`disable --now ${unit}`, `reset-failed ${unit}`]),
      'daemon-reload',
    ])
  })

  it.skipIf(!existsSync(BUNDLED) || hasSafeNode)(
    'takes the Node.js that npm ci brought where the machine has none with the fixes that Portaria needs',
    () => {
      const root = temporaryFolder()
      const { status, said } = script('install.sh', ['--root', root], nodeOf('24.20.0'))
      expect([status, said]).toEqual([
        0,
        expect.stringMatching(/runs on the Node\.js that npm ci brought .*does not use/),
      ])
      const node = spawnSync(join(root, 'opt/portaria/bin/node'), ['-p', 'process.execPath'], {
        encoding: 'utf8',
        env: { PATH: TOOLS },
      })
      expect(node.stdout).toContain(`${root}/opt/portaria/node_modules/node-linux-`)
    },
  )

  it.skipIf(hasSafeNode)(
    'prefers a current Node.js of the machine to the one that npm ci brought, which one person publishes',
    () => {
      const root = temporaryFolder()
      const [current = ''] = neededVersions()
      const { status, said } = script('install.sh', ['--root', root], nodeOf(current))
      expect([status, said]).toEqual([
        0,
        expect.stringMatching(/runs on \S+\/node \(v[\d.]+\)\n.*that it lacks are in parts/),
      ])
      expect(existsSync(join(root, `opt/portaria/node_modules/node-linux-${process.arch}`))).toBe(false)
    },
  )
}

if (IS_FULL)
  describe.skipIf(process.platform !== 'linux')('systemd/install.sh on other machines', describeOtherMachines)
