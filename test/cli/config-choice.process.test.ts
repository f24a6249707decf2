import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { createSite } from '../support/gateway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { portaria } from './program.ts'

const CLONE = resolve(import.meta.dirname, '../..')
const REASON = 'neither --config nor PORTARIA_CONFIG names another'

/** The program copied to this folder, as a clone or an installation has it. */
function copyTo(root: string) {
  for (const name of ['src', 'bin', 'config', 'package.json'])
    cpSync(join(CLONE, name), join(root, name), { recursive: true })
  symlinkSync(join(CLONE, 'node_modules'), join(root, 'node_modules'))
  return (cwd: string, ...args: string[]) => {
    const env = { PATH: `${join(root, '../bin')}:${process.env.PATH}`, NODE_COMPILE_CACHE: join(root, 'compiled') }
    return spawnSync(process.execPath, [join(root, 'src/main.ts'), ...args], { cwd, env, encoding: 'utf8' })
  }
}

it('a clone uses its development configuration, and every command says so with --verbose only', () => {
  const root = join(temporaryFolder(), 'clone')
  const run = copyTo(root)
  const file = join(root, 'config/development.yaml')
  const line = `portaria: the configuration is ${file}: ${REASON}\n`
  const missing = `portaria: there is no database at ${root}/data/portaria.db yet: start the gateway once (bin/portaria serve), or check storage.url\n`
  expect(run(root, 'events', 'list').stderr).toBe(missing)
  expect(run(root, 'events', 'list', '--verbose').stderr).toBe(line + missing)
  expect(run(root, '--verbose', 'events', 'list').stderr).toBe(line + missing)
  expect(run(root, 'storage', 'prune', '--dry-run').stderr).toBe(missing)
  const changing = [
    ['deliveries', 'skip', 'dlv_1'],
    ['certs', 'trust', 'retire', 'chain', '--environment', 'sandbox'],
  ]
  for (const args of changing) {
    expect(run(root, ...args).stderr, args.join(' ')).not.toContain('the configuration is')
    expect(run(root, ...args, '--verbose').stderr.startsWith(line), args.join(' ')).toBe(true)
  }
  const named = run(root, 'deliveries', 'skip', 'dlv_1', '--config', 'config/development.yaml')
  expect(named.stderr).toBe('portaria: there is no delivery dlv_1\n')
})

it('an installation uses its own file, and its hints name the command that is on the PATH', () => {
  const base = temporaryFolder()
  const root = join(base, 'opt/portaria')
  const run = copyTo(root)
  const file = join(base, 'etc/portaria/portaria.yaml')
  mkdirSync(join(base, 'etc/portaria'), { recursive: true })
  writeFileSync(file, readFileSync(join(CLONE, 'config/development.yaml')))
  mkdirSync(join(base, 'opt/bin'))
  symlinkSync(join(root, 'bin/portaria'), join(base, 'opt/bin/portaria'))
  const { stderr } = run(base, 'events', 'list', '--verbose')
  expect(stderr).toContain(`portaria: the configuration is ${file}: ${REASON}\n`)
  expect(stderr).toContain('start the gateway once (portaria serve)')
})

it('--config before the command, before its last word and behind it is the same; two different files are an error', async () => {
  const site = await createSite()
  const other = await createSite()
  const file = site.configFile
  const told = `portaria: the configuration is ${file}: --config names it\n`
  const ways = [
    ['--config', file, 'events', 'list', '--verbose'],
    [`--config=${file}`, '--verbose', 'events', 'list'],
    ['events', '--config', file, 'list', '--verbose'],
    ['events', 'list', '--config', file, '--verbose'],
    ['--config', file, 'events', 'list', '--verbose', '--config', relative(process.cwd(), file)],
  ]
  const ended = await Promise.all(ways.map((args) => portaria(other, ...args)))
  for (const [index, { code, stderr }] of ended.entries())
    expect([code, stderr.split('\n')[0]], ways[index]?.join(' ')).toEqual([1, told.trimEnd()])
  const twice = await portaria(null, '--config', file, 'events', 'list', '--config', other.configFile)
  expect([twice.code, twice.stdout, twice.stderr]).toEqual([
    2,
    '',
    `portaria: --config is given as ${file} and as ${other.configFile}: give one of them\n`,
  ])
})
