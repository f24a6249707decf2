import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'

/** By package of Debian: a file that it brings. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'nginx-light': '/usr/sbin/nginx',
  postgresql: '/usr/lib/postgresql/*/bin/postgres',
  'rabbitmq-server': '/usr/lib/rabbitmq/bin/rabbitmq-server',
  'redis-server': '/usr/bin/redis-server',
  strace: '/usr/bin/strace',
}

export function missingPackages(): readonly string[] {
  return Object.keys(PROGRAMS).filter((name) => globSync(PROGRAMS[name] as string).length === 0)
}

/** Of those that are installed. */
export function packageVersions(): readonly string[] {
  const { stdout } = spawnSync('dpkg-query', ['-W', ...Object.keys(PROGRAMS)], { encoding: 'utf8' })
  return (stdout ?? '').split('\n').filter((line) => /\t./.test(line))
}
