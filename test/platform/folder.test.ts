import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeFolder } from '../../src/platform/folder.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

it('makes what is missing, with its mode, and leaves the rest as it is', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'a'), { mode: 0o755 })
  makeFolder(join(folder, 'a/b/c'), 0o700)
  makeFolder(join(folder, 'a/b/c'), 0o755)
  expect(['a', 'a/b', 'a/b/c'].map((path) => statSync(join(folder, path)).mode & 0o777)).toEqual([0o755, 0o700, 0o700])
})

it('goes through a link to a folder', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'real'))
  symlinkSync('real', join(folder, 'link'))
  makeFolder(join(folder, 'link/inner'))
  expect(statSync(join(folder, 'real/inner')).isDirectory()).toBe(true)
})

it('says so where a folder cannot be', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'file'), '')
  expect(() => makeFolder(join(folder, 'file/inner'))).toThrow(/ENOTDIR/)
})
