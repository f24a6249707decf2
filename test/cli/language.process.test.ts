import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { mainProgram } from '../support/gateway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { compileCache } from './program.ts'

const BRAZIL = { LANG: 'pt_BR.UTF-8' }

function portaria(args: string, env: Readonly<Record<string, string>> = BRAZIL) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [mainProgram(), ...args.split(' ')], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache, ...env },
  })
  return { status, stdout, stderr }
}

const UNKNOWN = { pt: /^erro: opção desconhecida: '--nope'/, en: /^error: unknown option '--nope'/ }

it.each([
  ['version --nope', { LANG: 'pt_BR.UTF-8' }, UNKNOWN.pt],
  ['version --nope', { LANG: 'pt' }, UNKNOWN.pt],
  ['version --nope', { LC_MESSAGES: 'pt_PT', LANG: 'de_DE' }, UNKNOWN.pt],
  ['version --nope', { LC_ALL: 'C', LANG: 'pt_BR.UTF-8' }, UNKNOWN.en],
  ['version --nope', { LANG: 'ptx' }, UNKNOWN.en],
  ['version --nope', {}, UNKNOWN.en],
  ['--lang pt version --nope', { LANG: 'C' }, UNKNOWN.pt],
  ['version --nope --lang=pt', { LC_ALL: 'en_US.UTF-8' }, UNKNOWN.pt],
  ['--lang en version --nope', BRAZIL, UNKNOWN.en],
  ['version --lang en --nope', BRAZIL, UNKNOWN.en],
])('%s with %j', (args, env, pattern) => {
  const { status, stderr } = portaria(args, env)
  expect(stderr).toMatch(pattern)
  expect(status).toBe(2)
})

it('another language is wrong usage', () => {
  expect(portaria('--lang fr version')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("o valor 'fr' da opção '--lang <language>' não é válido. Valores aceitos: en, pt."),
  })
})

it('what packages contain is English in every locale', () => {
  for (const args of ['man', 'completion fish']) expect(portaria(args)).toEqual(portaria(args, {}))
})

it('English loads no other text', () => {
  const listing = join(import.meta.dirname, '../support/list-modules.ts')
  const modules = (env: Record<string, string>) => {
    const file = join(temporaryFolder(), 'modules')
    spawnSync(process.execPath, [join(import.meta.dirname, '../../src/main.ts'), '--help'], {
      env: { PATH: process.env.PATH, NODE_OPTIONS: `--import=${listing}`, MODULES: file, ...env },
    })
    return spawnSync('grep', ['-c', '/src/messages/', file], { encoding: 'utf8' }).stdout.trim()
  }
  expect(modules({})).toBe('0')
  expect(Number(modules(BRAZIL))).toBeGreaterThan(2)
})
