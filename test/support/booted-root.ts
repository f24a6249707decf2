import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { until } from './until.ts'

/** A Debian of this machine's release with systemd, booted in namespaces of its own. Its network is its own loopback alone. */
export interface BootedRoot {
  readonly folder: string
  /** Runs a line of shell in it, as root; `said` is both outputs. */
  run(line: string): { readonly status: number | null; readonly said: string }
  /** Words that run a program of this machine in its network: put them before the program. */
  readonly inItsNetwork: readonly string[]
  stop(): Promise<void>
}

const PROGRAMS = ['mmdebstrap', 'systemd-nspawn', 'nsenter']
export const canBootRoot =
  process.getuid?.() === 0 && PROGRAMS.every((program) => spawnSync(program, ['--version']).status === 0)

/** Makes a root with these packages from the sources of this machine's apt. */
export function makeRoot(folder: string, packages: readonly string[]): Promise<void> {
  const release = /^VERSION_CODENAME=(\w+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'stable'
  const options = ['--quiet', '--mode=root', '--variant=minbase', `--include=${packages.join(',')}`]
  const child = spawn('mmdebstrap', [...options, release, folder, '-'], { stdio: ['pipe', 'inherit', 'inherit'] })
  child.stdin.end(sourcesOfDebian())
  return once(child, 'exit').then(([status]) => {
    if (status !== 0) throw new Error(`mmdebstrap ended with ${status}`)
  })
}

function sourcesOfDebian(): string {
  const format = 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)'
  const list = () =>
    execFileSync('apt-get', ['indextargets', '--format', format, 'Created-By: Packages', 'Origin: Debian'], {
      encoding: 'utf8',
    })
  // The origin is known once the lists are here.
  if (list() === '') execFileSync('apt-get', ['update', '--quiet=2'])
  return [...new Set(list().trim().split('\n'))].join('\n')
}

const ENVIRONMENT = {
  PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  LANG: 'C.UTF-8',
  DEBIAN_FRONTEND: 'noninteractive',
}

export async function bootRoot(folder: string): Promise<BootedRoot> {
  const machine = basename(join(folder, '..'))
  const options = ['--register=no', '--keep-unit', '--private-network', `--machine=${machine}`]
  const nspawn = spawn('systemd-nspawn', ['--quiet', '--boot', `--directory=${folder}`, ...options], {
    stdio: 'ignore',
  })
  const exited = once(nspawn, 'exit')

  function run(line: string) {
    const namespaces = ['--mount', '--uts', '--ipc', '--net', '--pid', '--root']
    const inside = ['sh', '-c', `exec 2>&1; cd /; ${line}`]
    const { status, stdout } = spawnSync('nsenter', ['--target', leaderOf(nspawn.pid), ...namespaces, ...inside], {
      env: ENVIRONMENT,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    })
    return { status, said: stdout }
  }

  async function stop(): Promise<void> {
    // It shuts down in order (systemd-nspawn(1)).
    nspawn.kill('SIGTERM')
    await exited
  }

  try {
    await until(
      () => run('systemctl is-system-running').said.trim(),
      (state) => state === 'running',
      60_000,
    )
  } catch (error) {
    nspawn.kill('SIGKILL')
    throw error
  }
  return { folder, run, inItsNetwork: ['nsenter', `--net=/proc/${leaderOf(nspawn.pid)}/ns/net`], stop }
}

/** Its first process. Until it is there, systemd-nspawn has another child. */
function leaderOf(pid: number | undefined): string {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0] ?? ''
}
