import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { callApi } from '../support/calls.ts'
import { createSite, MAIN, spawnGateway } from '../support/gateway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const LISTING = resolve(import.meta.dirname, '../support/list-modules.ts')

/** Environment of a process whose modules are listed, and the list. */
function listModules() {
  const file = join(temporaryFolder(), 'modules')
  const urls = () => readFileSync(file, 'utf8').trim().split('\n')
  return {
    env: { NODE_OPTIONS: `--import=${LISTING}`, MODULES: file },
    /** Names of packages, each once. */
    packages: () => {
      const names = urls().map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1])
      return [...new Set(names)].flatMap((name) => name ?? []).sort()
    },
    /** Of this program, from `src/` on. */
    own: () => urls().flatMap((url) => /\/src\/(.*\.ts)$/.exec(url)?.[1] ?? []),
    urls,
  }
}

it.each([['--help'], ['evnts'], ['--version']])('portaria %s loads no command', (argument) => {
  const modules = listModules()
  spawnSync(process.execPath, [MAIN, argument], { env: { PATH: process.env.PATH, ...modules.env } })

  expect(modules.packages()).toEqual(['commander'])
  expect(modules.own().filter((file) => /^cli\/[a-z-]+\.ts$/.test(file))).toEqual(['cli/colors.ts', 'cli/output.ts'])
})

it('portaria version loads its own command only', () => {
  const modules = listModules()
  spawnSync(process.execPath, [MAIN, 'version'], { env: { PATH: process.env.PATH, ...modules.env } })

  expect(modules.own().filter((file) => /^cli\/[a-z-]+\.ts$/.test(file))).toEqual([
    'cli/colors.ts',
    'cli/output.ts',
    'cli/version.ts',
  ])
})

it.each([
  [['consumers', 'list', '--help'], 40],
  [['deliveries', 'list', '--help'], 42],
  [['refusals', 'list', '--help'], 40],
  [['replays', 'list', '--help'], 45],
  [['destinations', 'list', '--help'], 58],
  [['clients', 'list', '--help'], 62],
])('portaria %j loads at most %i of its own files', (args, most) => {
  const modules = listModules()
  spawnSync(process.execPath, [MAIN, ...args], { env: { PATH: process.env.PATH, ...modules.env } })

  expect(modules.own().length).toBeGreaterThan(20)
  expect(modules.own().length).toBeLessThanOrEqual(most)
})

it('portaria deliveries list by a profile loads at most 60 of its own files', async () => {
  const modules = listModules()
  const home = temporaryFolder()
  const profile = { api: 'http://127.0.0.1:9', credentials: { token: 'secret' }, ca: null, certificate: null }
  const folder = join(home, 'portaria/profiles')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, 'far.json'), JSON.stringify(profile), { mode: 0o600 })
  const env = { PATH: process.env.PATH, XDG_CONFIG_HOME: home, ...modules.env }
  const { stderr } = spawnSync(process.execPath, [MAIN, 'deliveries', 'list', '--profile', 'far'], {
    env,
    encoding: 'utf8',
  })

  expect(stderr).toContain('no gateway answers at http://127.0.0.1:9')
  expect(modules.own()).toContain('cli/remote/transport.ts')
  expect(modules.own().length).toBeLessThanOrEqual(60)
})

it.each([
  ['pages/find/find.ts', 60],
  ['alarms/runner.ts', 60],
])('%s says its own texts alone: it loads at most %i of the program’s files', (file, most) => {
  const modules = listModules()
  const program = `await import('${resolve(MAIN, '..', file)}')`
  spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    env: { PATH: process.env.PATH, ...modules.env },
  })

  expect(modules.own()).toContain('messages/where.ts')
  expect(modules.own().length).toBeLessThanOrEqual(most)
})

it('a gateway starts its store before it loads what only listeners and deliveries need', () => {
  const modules = listModules()
  const program = `await import('${resolve(MAIN, '../cli/serve.ts')}')`
  spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    env: { PATH: process.env.PATH, ...modules.env },
  })

  const late = ['express', 'helmet', 'jose', 'pg']
  expect(modules.packages().filter((name) => late.includes(name))).toEqual([])
  expect(
    modules.own().filter((file) => /^(pages|messages)\/|^delivery\/send|^(api|receiving)\/.*app\.ts$/.test(file)),
  ).toEqual([])
  expect(modules.own()).toContain('store/sqlite/sqlite-store.ts')
})

it('a gateway starts and answers its API without what only pages, tokens and certificates need; a page loads the pages', async () => {
  const modules = listModules()
  const variables = Object.entries(modules.env).map(([name, value]) => `${name}=${value}`)
  const gateway = await spawnGateway(await createSite(), ['env', ...variables], onTestFinished, MAIN)

  expect((await callApi(gateway.api, '/metrics')).status).toBe(200)

  const unneeded = [
    'jose',
    'openid-client',
    'oauth4webapi',
    '@peculiar/x509',
    'selfsigned',
    'node-forge',
    'prom-client',
    '@opentelemetry/api',
  ]
  expect(modules.packages().filter((name) => unneeded.includes(name))).toEqual([])
  expect(modules.packages()).toEqual(expect.arrayContaining(['undici', 'express', 'better-sqlite3']))
  expect(modules.own().filter((file) => file.startsWith('oidc/'))).toEqual([])
  const files = new Set(modules.urls().filter((url) => url.startsWith('file:')))
  expect(files.size).toBeLessThanOrEqual(1160)
  expect(modules.own()).not.toContain('pages/app.ts')

  const signIn = `http://127.0.0.1:${gateway.api.port}/ui/sign-in`
  const pages = await Promise.all([fetch(signIn), fetch(signIn)])
  expect(pages.map(({ status }) => status)).toEqual([200, 200])
  expect(modules.own().filter((file) => file === 'pages/app.ts')).toHaveLength(1)
  expect(modules.urls().filter((url) => /undici\/(index\.js|lib\/web\/)/.test(url))).toEqual([])
})

it.each(['writer.ts', 'reads.ts'])('the threads of the store load no library but SQLite: %s', (file) => {
  const modules = listModules()
  const program = `await import('${resolve(MAIN, '../store/sqlite/threads', file)}')`
  spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    env: { PATH: process.env.PATH, ...modules.env },
  })

  expect(modules.own()).toContain(`store/sqlite/threads/${file}`)
  expect(modules.packages().filter((name) => name !== 'better-sqlite3')).toEqual([])
})

it('a gateway does not load the fetch of Node', () => {
  const program = [
    `await import('${resolve(MAIN, '../cli/serve.ts')}')`,
    `await (await import('${resolve(MAIN, '../gateway/late-parts.ts')}')).loadParts()`,
    'console.log(process.moduleLoadList.filter((name) => /\\/deps\\/undici/.test(name)))',
  ].join(';')
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })

  expect(stdout).toBe('[]\n')
})

it('a gateway compiles nothing after the installation has filled the compile cache', async () => {
  const cache = join(temporaryFolder(), 'cache')
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: cache }
  spawnSync(process.execPath, [MAIN, 'compile'], { env })
  const filled = filesOf(cache)

  const gateway = await spawnGateway(await createSite(), ['env', `NODE_COMPILE_CACHE=${cache}`], onTestFinished, MAIN)
  gateway.process.kill('SIGTERM')
  await gateway.exited

  expect(filled.length).toBeGreaterThan(500)
  expect(filesOf(cache)).toEqual(filled)
})

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
}
