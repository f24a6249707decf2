import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProgram } from '../foreground-program.ts'
import { isOpen, reservePort } from '../ports.ts'
import type { RunningApp } from './apps.ts'

/** The newest PHP with FastCGI that Debian has installed; null: none. Its name has its version. */
export function phpFpmProgram(): string | null {
  return globSync('/usr/sbin/php-fpm[0-9]*').sort().at(-1) ?? null
}

/** A pool of PHP that speaks FastCGI, with Debian's php.ini. @param folder for its files; made when missing @throws when no PHP is installed */
export async function startPhpFpm(folder: string): Promise<RunningApp> {
  const program = phpFpmProgram()
  if (program === null) throw new Error('php-fpm is not installed')
  mkdirSync(folder, { recursive: true })
  const port = await reservePort()
  const file = join(folder, 'php-fpm.conf')
  writeFileSync(
    file,
    `[global]
error_log = ${folder}/error.log
pid = ${folder}/pid
daemonize = no
[www]
${process.getuid?.() === 0 ? 'user = root\ngroup = root' : ''}
listen = 127.0.0.1:${port}
pm = static
pm.max_children = 8
`,
  )
  const asRoot = process.getuid?.() === 0 ? ['--allow-to-run-as-root'] : []
  const args = ['--fpm-config', file, ...asRoot]
  return { port, stop: await startProgram({ command: program, args, isReady: () => isOpen(port) }) }
}
