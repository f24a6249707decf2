import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, globSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Manner } from '../../processes.ts'
import { type Service, startService } from './service.ts'

const isRoot = process.getuid?.() === 0
/** PostgreSQL refuses to run as root. The program that changes the user becomes the one that it starts. */
const AS_USER = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', '--'] : []

/** PostgreSQL with its defaults, which are durable: they are written out because the comparison depends on them. Its clients come through a socket. */
export async function startPostgres(site: string, manner: Manner): Promise<Service> {
  const programs = globSync('/usr/lib/postgresql/*/bin').sort().at(-1) as string
  const folder = join(site, 'postgres')
  const data = join(folder, 'data')
  if (!existsSync(data)) createCluster(site, folder, [join(programs, 'initdb'), '-D', data])
  const settings = ['listen_addresses=', `unix_socket_directories=${folder}`, 'fsync=on', 'synchronous_commit=on']
  const options = settings.flatMap((setting) => ['-c', setting])
  const command = [...AS_USER, join(programs, 'postgres'), '-D', data, ...options]
  // It accepts connections before it has recovered, and refuses them.
  const isReady = async () => spawnSync(join(programs, 'pg_isready'), ['-q', '-h', folder]).status === 0
  const pid = await startService(site, command, manner, isReady)
  return { pids: [pid], address: folder }
}

function createCluster(site: string, folder: string, initdb: readonly string[]): void {
  mkdirSync(folder)
  if (isRoot) {
    chmodSync(site, 0o711)
    const [user, group] = ['-u', '-g'].map((what) => Number(execFileSync('id', [what, 'postgres'])))
    chownSync(folder, user as number, group as number)
  }
  const options = ['-U', 'postgres', '-A', 'trust', '--locale', 'C.UTF-8', '--no-instructions']
  const [program, ...args] = [...AS_USER, ...initdb, ...options] as [string, ...string[]]
  execFileSync(program, args, { cwd: '/', stdio: ['ignore', 'ignore', 'inherit'] })
}
