import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { ROOT } from '../../src/platform/program-files.ts'
import { hasNginx } from './nginx.ts'
import { phpFpmProgram } from './receivers/php-fpm.ts'

/** Looks for the modules without loading them, which takes a second for some. */
const HAS_MODULES = 'import sys; from importlib.util import find_spec; sys.exit(not all(map(find_spec, sys.argv[1:])))'

/** A Python that has all of these modules; null: there is none. Debian's packages are for its own Python alone. */
export function pythonWith(...modules: readonly string[]): string | null {
  return found(['/usr/bin/python3', 'python3'], ['-c', HAS_MODULES, ...modules])
}

/** null: this machine has no Go. */
export function goProgram(): string | null {
  return found(['go'], ['version'])
}

/** The package of its own for the frameworks of Node.js: the tests of this project need not install them. */
export const FRAMEWORKS = join(ROOT, 'test/frameworks')

/** Debian's name of its Spring 4.3 has a 3. */
export const SPRING_JARS = [
  ...['aop', 'beans', 'context', 'core', 'expression', 'jdbc', 'transaction', 'web', 'web.servlet'].map(
    (part) => `spring3-${part}`,
  ),
  ...[
    'annotations-api',
    'api',
    'catalina',
    'coyote',
    'jaspic-api',
    'jni',
    'juli',
    'servlet-api',
    'util',
    'util-scan',
  ].map((part) => `tomcat9-${part}`),
  'commons-logging',
  'sqlite-jdbc',
].map((name) => `/usr/share/java/${name}.jar`)

/** Fastify, Nest and Next.js: `npm ci --prefix test/frameworks --ignore-scripts` installs them. */
export function hasNodeFrameworks(): boolean {
  return existsSync(join(FRAMEWORKS, 'node_modules/.package-lock.json'))
}

/** The generator of a Python client is in `FRAMEWORKS`, too. */
export function hasOpenApiGenerator(): boolean {
  return hasNodeFrameworks() && isOnPath('java') && isOnPath('jq')
}

/** PHP-FPM behind nginx, with SQLite. */
export function hasPhpSite(): boolean {
  const hasSqlite = globSync('/etc/php/*/fpm/conf.d/*pdo_sqlite.ini').length > 0
  return hasSqlite && phpFpmProgram() !== null && hasNginx
}

export function hasLaravel(): boolean {
  const hasSqlite = globSync('/etc/php/*/cli/conf.d/*pdo_sqlite.ini').length > 0
  return hasSqlite && isOnPath('php') && existsSync('/usr/share/php/Illuminate/autoload.php')
}

export function hasSpring(): boolean {
  return isOnPath('javac') && SPRING_JARS.every((file) => existsSync(file))
}

export function hasMono(): boolean {
  return isOnPath('mcs') && isOnPath('mono') && existsSync('/usr/lib/mono/4.5/Mono.Data.Sqlite.dll')
}

/** Java takes a second to say its version. */
function isOnPath(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)))
}

function found(programs: readonly string[], args: readonly string[]): string | null {
  return programs.find((program) => spawnSync(program, args).status === 0) ?? null
}
