import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from './support/temporary-folder.ts'

const ROOT = resolve(import.meta.dirname, '..')

/** A clone with these dependencies, in a folder with a space in its name. */
function cloneWith(dependencies: readonly string[]): string {
  const root = join(temporaryFolder(), 'a clone')
  for (const folder of ['bin', 'test', 'node_modules']) mkdirSync(join(root, folder), { recursive: true })
  for (const file of ['bin/node', 'bin/find-node', 'test/run-vitest', 'package.json'])
    copyFileSync(join(ROOT, file), join(root, file))
  for (const name of dependencies) symlinkSync(join(ROOT, 'node_modules', name), join(root, 'node_modules', name))
  return root
}

function npmTest(root: string) {
  const { status, stdout, stderr } = spawnSync('npm', ['test', '--silent'], { cwd: root, encoding: 'utf8' })
  return { status, stdout, stderr: stderr.replaceAll(/^npm warn .*\n/gm, '') }
}

it('npm test without the development dependencies names the command that installs them', () => {
  const root = cloneWith([`node-linux-${process.arch}`])
  expect(npmTest(root)).toEqual({
    status: 1,
    stdout: '',
    stderr: `The tests need the development dependencies: run 'npm ci --include=dev' in ${root}.\n`,
  })
})

it('npm test without the part of vitest that an old npm leaves out says which Node.js installs it', () => {
  const root = cloneWith([`node-linux-${process.arch}`, 'vitest'])
  expect(npmTest(root)).toEqual({
    status: 1,
    stdout: '',
    stderr: `npm of a Node.js older than 20.19 leaves out a part of vitest: for the tests, run 'npm ci' with a newer one in ${root}.\n`,
  })
})

it('npm test runs the tests in a folder with a space in its name', () => {
  const root = cloneWith([`node-linux-${process.arch}`])
  for (const name of ['vitest', '@rolldown/binding-here'])
    mkdirSync(join(root, 'node_modules', name), { recursive: true })
  writeFileSync(join(root, 'node_modules/vitest/vitest.mjs'), 'console.log(process.argv.slice(2).join())')
  expect(npmTest(root)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^run\nProcessor time: \d+ s\n$/),
    stderr: '',
  })
})

it('every script that runs tests does so through run-vitest', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const tests = Object.entries(scripts).filter(([name]) => /^test(:|$)/.test(name))
  expect(tests.map(([, script]) => script.split(' ')[0])).toEqual(tests.map(() => 'test/run-vitest'))
})

it('npm ci does not warn of packages that want a newer Node.js than the one that installs', () => {
  const folder = temporaryFolder()
  const engines = { node: '>=99' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'clone', version: '1.0.0', engines }))
  writeFileSync(
    join(folder, 'package-lock.json'),
    JSON.stringify({ name: 'clone', version: '1.0.0', lockfileVersion: 3, packages: { '': { engines } } }),
  )
  // `npm test` hands the settings of its own folder on.
  const env = { ...process.env, npm_config_loglevel: undefined }
  const install = () => spawnSync('npm', ['ci', '--offline', '--no-audit'], { cwd: folder, env, encoding: 'utf8' })
  expect(install().stderr).toContain('EBADENGINE')
  copyFileSync(join(ROOT, '.npmrc'), join(folder, '.npmrc'))
  expect(install()).toMatchObject({ status: 0, stderr: '' })
})
