import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, it } from 'vitest'
import { commandIn, defaultConfigFile } from '../../src/platform/installation.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** A folder with a program, and folders whose `portaria` is this program, or another one. */
function machine(name = 'clone') {
  const base = temporaryFolder()
  const root = join(base, name)
  for (const folder of ['bin', 'docs']) mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, 'bin/portaria'), '#!/bin/sh\n', { mode: 0o755 })
  for (const folder of ['linked', 'other', 'unusable']) mkdirSync(join(base, folder))
  symlinkSync(join(root, 'bin/portaria'), join(base, 'linked/portaria'))
  copyFileSync(join(root, 'bin/portaria'), join(base, 'other/portaria'))
  writeFileSync(join(base, 'unusable/portaria'), '', { mode: 0o644 })
  const command = (cwd: string | null, ...folders: string[]) =>
    commandIn({ root, cwd, path: folders.map((folder) => join(base, folder)).join(delimiter) })
  return { base, root, command }
}

it('a command is typed as portaria where the PATH has this program, and not where it has another', () => {
  const { base, root, command } = machine()
  expect(command(base, 'linked')).toBe('portaria')
  expect(command(root, 'nothing', 'unusable', 'linked')).toBe('portaria')
  expect(command(null, 'linked')).toBe('portaria')
  expect(command(root, 'other', 'linked')).toBe('bin/portaria')
})

it('in the folder of a clone it is bin/portaria, elsewhere the whole path; npx might ask the registry', () => {
  const { base, root, command } = machine()
  expect(command(root)).toBe('bin/portaria')
  const own = join(root, 'bin/portaria')
  expect([join(root, 'docs'), base, `${root}-2`, null].map((cwd) => command(cwd))).toEqual([own, own, own, own])
  const spaced = machine('my clone')
  expect(spaced.command('/')).toBe(`'${join(spaced.root, 'bin/portaria')}'`)
  expect(commandIn({ root, cwd: root, path: join(root, 'node_modules/.bin') })).toBe('bin/portaria')
})

it('the configuration is that of the package or the installation, or of the clone', () => {
  const { base } = machine()
  expect(defaultConfigFile('/opt/portaria')).toBe('/etc/portaria/portaria.yaml')
  expect(defaultConfigFile(base, true)).toBe('/etc/portaria/portaria.yaml')
  const root = join(base, 'opt/portaria')
  expect(defaultConfigFile(root)).toBe(join(root, 'config/development.yaml'))
  mkdirSync(join(base, 'etc/portaria'), { recursive: true })
  writeFileSync(join(base, 'etc/portaria/portaria.yaml'), '')
  expect(defaultConfigFile(root)).toBe(join(base, 'etc/portaria/portaria.yaml'))
  expect(defaultConfigFile(join(base, 'clone'))).toBe(join(base, 'clone/config/development.yaml'))
})
