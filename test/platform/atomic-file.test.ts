import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createFile, replaceFile } from '../../src/platform/atomic-file.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

it('a file is created with its content and mode, and takes the place of another one', () => {
  const folder = temporaryFolder()
  const [from, to] = [join(folder, 'new'), join(folder, 'file')]
  writeFileSync(to, 'before')
  createFile(from, 'after', { mode: 0o666 })
  replaceFile(from, to)
  expect([readdirSync(folder), readFileSync(to, 'utf8')]).toEqual([['file'], 'after'])
  expect(statSync(to).mode & 0o777).toBe(0o666)
})

it('a file that exists is never written over', () => {
  const path = join(temporaryFolder(), 'file')
  writeFileSync(path, 'before')
  expect(() => createFile(path, 'after', { mode: 0o600 })).toThrow(/EEXIST/)
  expect(readFileSync(path, 'utf8')).toBe('before')
})

it('a file that cannot be written to its end is removed', () => {
  const folder = temporaryFolder()
  const noUser = { uid: -2, gid: -2 }
  expect(() => createFile(join(folder, 'file'), 'part', { mode: 0o600, owner: noUser })).toThrow(/out of range/)
  expect(readdirSync(folder)).toEqual([])
})
