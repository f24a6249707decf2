import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { makeReceiverTree } from '../../../packaging/receiver-tree.ts'
import { ROOT } from '../../../src/platform/program-files.ts'
import type { ForegroundProgram } from '../foreground-program.ts'
import {
  FRAMEWORKS,
  goProgram,
  hasLaravel,
  hasMono,
  hasNodeFrameworks,
  hasPhpSite,
  hasSpring,
  pythonWith,
  SPRING_JARS,
} from '../languages.ts'
import { phpFpmProgram } from '../receivers/php-fpm.ts'

type Program = Pick<ForegroundProgram, 'command' | 'args' | 'cwd'>

/** A receiver of `docs/examples`, and how it runs. */
export interface ExampleReceiver {
  readonly file: string
  /** Of its destination. */
  readonly format: 'original' | 'event'
  /** Whether this machine has what it needs. */
  readonly isRunnable: boolean
  /**
   * Makes it ready.
   * @param source its file
   * @param folder for what is made, empty
   * @param env what it will have in its environment, besides this process's
   */
  prepare(source: string, folder: string, env: Readonly<Record<string, string>>): Program
}

const SERVERS = import.meta.dirname
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')
const python = (file: string, ...modules: readonly string[]): ExampleReceiver => {
  const command = pythonWith(...modules)
  return {
    file,
    format: 'original',
    isRunnable: command !== null,
    prepare: (source) => ({ command: command as string, args: [source] }),
  }
}

const node = (file: string, format: ExampleReceiver['format'], prepare: ExampleReceiver['prepare']) => ({
  file,
  format,
  isRunnable: hasNodeFrameworks(),
  prepare,
})

export const EXAMPLE_RECEIVERS: readonly ExampleReceiver[] = [
  python('receive-flask.py', 'flask'),
  python('receive-fastapi.py', 'fastapi', 'uvicorn'),
  python('receive-django.py', 'django'),
  { file: 'receive.go', format: 'original', isRunnable: goProgram() !== null, prepare: prepareGo },
  node('receive-fastify.mjs', 'event', (source) => {
    const program = join(nodeProject(), 'receive.mjs')
    copyFileSync(source, program)
    return { command: process.execPath, args: [program] }
  }),
  node('receive-nest.ts', 'original', prepareNest),
  node('receive-next.js', 'original', prepareNext),
  { file: 'receive-laravel.php', format: 'original', isRunnable: hasLaravel(), prepare: prepareLaravel },
  { file: 'receive-plain.php', format: 'original', isRunnable: hasPhpSite(), prepare: preparePlainPhp },
  { file: 'receive-spring.java', format: 'original', isRunnable: hasSpring(), prepare: prepareSpring },
  { file: 'receive-aspnet.cs', format: 'original', isRunnable: hasMono(), prepare: prepareMono },
]

/** `go run` would not hand signals on to the program. */
function prepareGo(source: string, folder: string): Program {
  const program = join(folder, 'receive')
  const env = { ...process.env, GOCACHE: join(folder, 'cache'), GO111MODULE: 'off', CGO_ENABLED: '0' }
  execFileSync(goProgram() as string, ['vet', source], { env })
  execFileSync(goProgram() as string, ['build', '-o', program, source], { env })
  return { command: program, args: [] }
}

/** A folder that finds the frameworks, and the package @portaria/receiver as npm installs it. */
function nodeProject(): string {
  const folder = mkdtempSync(join(FRAMEWORKS, 'run-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  makeReceiverTree(join(folder, 'node_modules/@portaria/receiver'))
  return folder
}

function prepareNest(source: string): Program {
  const folder = nodeProject()
  copyFileSync(source, join(folder, 'receive.ts'))
  const compilerOptions = {
    target: 'ES2023',
    module: 'NodeNext',
    strict: true,
    skipLibCheck: true,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    types: ['node'],
    outDir: 'out',
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['receive.ts'] }))
  execFileSync(process.execPath, [TSC, '-p', folder], { encoding: 'utf8' })
  return { command: process.execPath, args: [join(folder, 'out/receive.js')] }
}

function prepareNext(source: string, _folder: string, { PORT }: Readonly<Record<string, string>>): Program {
  const folder = nodeProject()
  mkdirSync(join(folder, 'app/hook'), { recursive: true })
  copyFileSync(source, join(folder, 'app/hook/route.js'))
  const next = join(FRAMEWORKS, 'node_modules/next/dist/bin/next')
  const env = { PATH: process.env.PATH, NEXT_TELEMETRY_DISABLED: '1' }
  execFileSync(process.execPath, [next, 'build'], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
  return { command: process.execPath, args: [next, 'start', '-H', '127.0.0.1', '-p', PORT as string], cwd: folder }
}

/** PHP's own server takes the place of PHP-FPM. */
function prepareLaravel(source: string, folder: string, env: Readonly<Record<string, string>>): Program {
  const index = join(folder, 'index.php')
  copyFileSync(join(SERVERS, 'laravel/index.php'), index)
  copyFileSync(source, join(folder, 'HookController.php'))
  // Makes the table.
  execFileSync('php', [index], { env: { ...process.env, ...env } })
  return { command: 'php', args: ['-S', `127.0.0.1:${env.PORT}`, index] }
}

/** As on shared hosting: PHP-FPM behind a web server, and settings beside the public folder. Both programs end at SIGTERM. */
function preparePlainPhp(source: string, folder: string, env: Readonly<Record<string, string>>): Program {
  const site = join(folder, 'public_html')
  mkdirSync(site)
  copyFileSync(source, join(site, 'hook.php'))
  writeFileSync(
    join(folder, 'portaria-settings.php'),
    "<?php return ['secrets' => getenv('WEBHOOK_SECRET'), 'database' => 'sqlite:' . getenv('STORE')];\n",
  )
  const isRoot = process.getuid?.() === 0
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${folder}/${of};`)
  const socket = join(folder, 'php.sock')
  writeFileSync(
    join(folder, 'php.conf'),
    `[global]\nerror_log = ${folder}/php.log\ndaemonize = no\n[www]\nlisten = ${socket}\nclear_env = no\npm = static\npm.max_children = 4
${isRoot ? 'user = root\ngroup = root' : ''}\n`,
  )
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${isRoot ? 'user root; ' : ''}daemon off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log; events {}
http { access_log off; ${temporary.join(' ')} client_max_body_size 20m;
  server { listen 127.0.0.1:${env.PORT};
    location = /hook { include /etc/nginx/fastcgi_params; fastcgi_param SCRIPT_FILENAME ${site}/hook.php; fastcgi_pass unix:${socket}; } } }\n`,
  )
  const php = `${phpFpmProgram()} --fpm-config ${folder}/php.conf ${isRoot ? '--allow-to-run-as-root' : ''}`
  const script = `trap 'kill $php $nginx' TERM; rm -f ${socket}; ${php} & php=$!
    until [ -S ${socket} ]; do sleep 0.1; done; nginx -c ${folder}/nginx.conf & nginx=$!; wait; wait`
  return { command: 'sh', args: ['-c', script] }
}

function prepareSpring(source: string, folder: string): Program {
  const path = SPRING_JARS.join(':')
  const controller = join(folder, 'HookController.java')
  copyFileSync(source, controller)
  // The oldest Java that the example names, whose class files this Spring reads.
  const options = ['--release', '8', '-Xlint:-options', '-cp', path, '-d', folder]
  execFileSync('javac', [...options, controller, join(SERVERS, 'spring/Server.java')], { stdio: 'pipe' })
  return { command: 'java', args: ['-cp', `${folder}:${path}`, 'Server'] }
}

function prepareMono(source: string, folder: string): Program {
  const program = join(folder, 'receive.exe')
  const options = ['-warnaserror', `-out:${program}`, '-r:System.Data,Mono.Data.Sqlite']
  execFileSync('mcs', [...options, source, join(SERVERS, 'csharp/Server.cs')], { stdio: 'pipe' })
  return { command: 'mono', args: [program] }
}
