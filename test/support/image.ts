import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from '../../src/platform/program-files.ts'
import { makeRoot } from './booted-root.ts'

/** By root, without a container engine. */
export const canBuildImages =
  process.getuid?.() === 0 &&
  ['buildah', 'mmdebstrap', 'unshare', 'ip'].every((program) => spawnSync(program, ['--version']).status !== null)

/** The built image. */
export interface Image {
  /** Folder of its files. */
  readonly root: string
  readonly config: {
    readonly User: string
    readonly Entrypoint: readonly string[]
    readonly Cmd: readonly string[]
    readonly Volumes: object
    readonly Healthcheck: { readonly Test: readonly string[] }
  }
}

/** @param work folder of all files of an image and its base */
function buildahIn(work: string) {
  // As plain folders, without mounts: vfs.
  const storage = ['--storage-driver', 'vfs', '--root', join(work, 'storage'), '--runroot', join(work, 'run')]
  return (...args: readonly string[]) =>
    // Without any network, whatever it does.
    execFileSync('unshare', ['--net', 'buildah', ...storage, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim()
}

/** Makes a Debian with the library that Node.js needs beside the required packages. */
export async function makeBase(work: string): Promise<void> {
  const buildah = buildahIn(work)
  const container = buildah('from', 'scratch')
  await makeRoot(buildah('mount', container), ['libstdc++6'])
  buildah('commit', '--quiet', container, 'localhost/base')
}

/** Builds the Containerfile of a program. @param dist with the packages */
export function buildImage(work: string, dist: string, name: 'portaria' | 'portaria-simulator' = 'portaria'): Image {
  const buildah = buildahIn(work)
  const how = ['--isolation', 'chroot', '--format', 'docker', '--pull-never', '--build-arg', 'BASE=localhost/base']
  const file = join(ROOT, 'container', name === 'portaria' ? 'Containerfile' : 'Containerfile.simulator')
  buildah('build', ...how, '--file', file, '--tag', `localhost/${name}`, dist)
  const root = buildah('mount', buildah('from', `localhost/${name}`))
  const { Docker } = JSON.parse(buildah('inspect', '--type', 'image', `localhost/${name}`))
  return { root, config: Docker.config }
}

export interface Mounted {
  /** Folder or file of this machine. */
  readonly source: string
  /** Where the container has it. */
  readonly target: string
  readonly isWritable: boolean
}

export interface ContainerOptions {
  /** Process whose network it has. */
  readonly network: number
  readonly mounts: readonly Mounted[]
  /** Left out: that of the image. */
  readonly entrypoint?: readonly string[] | undefined
  readonly command?: readonly string[] | undefined
  readonly environment?: Readonly<Record<string, string>> | undefined
}

/** $1: the image, then SOURCE TARGET ro|rw for each mount, --, USER, and the command. */
const IN_ITS_OWN_MOUNTS = `
root=$1
shift
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind /etc/hosts "$root/etc/hosts"
while [ "$1" != -- ]; do
  mount --bind "$1" "$root$2"
  [ "$3" = rw ] || mount -o remount,bind,ro "$root$2"
  shift 3
done
user=$2
shift 2
none="--inh-caps=-all --ambient-caps=-all --bounding-set=-all --no-new-privs --pdeathsig KILL"
exec chroot "$root" setpriv --reuid "\${user%:*}" --regid "\${user#*:}" --clear-groups $none -- "$@"`

/** Runs the image as an engine would: a read-only root, its own processes and mounts, its user without any capability. */
export function runImage(image: Image, options: ContainerOptions): ChildProcess {
  const { root, config } = image
  const { network, mounts, entrypoint = config.Entrypoint, environment = {} } = options
  const command = options.command ?? (options.entrypoint === undefined ? config.Cmd : [])
  for (const { source, target } of [{ source: '/etc/hosts', target: '/etc/hosts' }, ...mounts])
    makeMountPoint(source, join(root, target))
  const places = mounts.flatMap(({ source, target, isWritable }) => [source, target, isWritable ? 'rw' : 'ro'])
  const own = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-euc', IN_ITS_OWN_MOUNTS, 'sh', root]
  const inNetwork = [`--net=/proc/${network}/ns/net`, 'unshare', ...own, ...places, '--', config.User]
  return spawn('nsenter', [...inNetwork, ...entrypoint, ...command], {
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** As engines do. */
function makeMountPoint(source: string, target: string): void {
  if (statSync(target, { throwIfNoEntry: false }) !== undefined) return
  if (statSync(source).isDirectory()) mkdirSync(target, { recursive: true })
  else {
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, '')
  }
}
