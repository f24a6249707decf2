import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import {
  goProgram,
  hasLaravel,
  hasMono,
  hasNodeFrameworks,
  hasOpenApiGenerator,
  hasSpring,
  pythonWith,
} from './languages.ts'
import { postgresPrograms } from './postgres.ts'
import { phpFpmProgram } from './receivers/php-fpm.ts'

/** The programs that some tests run: `.ci/run` installs them. */
const PROGRAMS = [
  'apache2',
  'buildah',
  'caddy',
  'chromium',
  'curl',
  'faketime',
  'haproxy',
  'lintian',
  'fish',
  'man',
  'mandoc',
  'mmdebstrap',
  'nginx',
  'openssl',
  'pgbouncer',
  'promtool',
  'python3',
  'script',
  'shellcheck',
  'strace',
  'systemd-analyze',
  'systemd-nspawn',
  'testssl',
  'zsh',
]

/** Says at the end of a run why tests were skipped: vitest prints only their number. */
export default function nameMissingPrograms(): () => void {
  // nginx, haproxy, apache2 and pgbouncer are in /usr/sbin, which is not on every user's PATH.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  const missing = PROGRAMS.filter((program) => !folders.some((folder) => existsSync(join(folder, program))))
  if (postgresPrograms() === null) missing.push('PostgreSQL')
  if (phpFpmProgram() === null) missing.push('php-fpm')
  if (goProgram() === null) missing.push('Go')
  for (const framework of ['certifi', 'dateutil', 'django', 'fastapi', 'flask', 'six', 'urllib3', 'uvicorn'])
    if (pythonWith(framework) === null) missing.push(framework)
  if (!hasLaravel()) missing.push('Laravel with php and its SQLite')
  if (!hasSpring()) missing.push('Spring with javac, Tomcat and sqlite-jdbc')
  if (!hasMono()) missing.push('mcs with mono and its SQLite')
  if (!hasNodeFrameworks()) missing.push('Fastify, Nest and Next.js (npm ci --prefix test/frameworks --ignore-scripts)')
  if (!hasOpenApiGenerator()) missing.push('the OpenAPI generator with java and jq')
  return function printMissing() {
    if (missing.length > 0)
      console.log(`Tests that need these programs were skipped, because they are not installed: ${missing.join(', ')}`)
  }
}
