import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Manner } from '../../processes.ts'
import { accepts, type Service, startService } from './service.ts'

/** Redis that syncs its append-only file before it answers. Its clients come through a socket. */
export async function startRedis(site: string, manner: Manner): Promise<Service> {
  const folder = join(site, 'redis')
  mkdirSync(folder, { recursive: true })
  const address = join(folder, 'socket')
  const where = ['--port', '0', '--unixsocket', address, '--dir', folder, '--daemonize', 'no']
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '', '--maxmemory-policy', 'noeviction']
  const pid = await startService(site, ['redis-server', ...where, ...durable], manner, () => accepts(address))
  return { pids: [pid], address }
}
