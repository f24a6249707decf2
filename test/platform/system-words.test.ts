import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { systemWords } from '../../src/platform/errors.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

function wordsOf(call: () => unknown): string {
  try {
    call()
  } catch (error) {
    return systemWords(error)
  }
  return 'nothing was thrown'
}

it('says in our words what the system refuses', () => {
  const folder = temporaryFolder()
  const at = (name: string) => join(folder, name)
  writeFileSync(at('file'), '')
  mkdirSync(at('folder'))
  symlinkSync(at('circle'), at('circle'))
  const words = ['missing', 'file/inner', 'folder', 'circle', 'x'.repeat(300)].map((name) =>
    wordsOf(() => readFileSync(at(name))),
  )
  expect(words).toEqual([
    'it does not exist',
    'it, or a part of its path, is no folder',
    'it is a folder',
    'its links lead in a circle',
    'its name is too long',
  ])
  expect(wordsOf(() => writeFileSync('/dev/full', 'x'))).toBe('the disk is full')
})

it('says what a port refuses, and leaves errors that are not of the system as they are', async () => {
  const [first, second] = [createServer(), createServer()]
  onTestFinished(() => void first.close())
  await once(first.listen(0, '127.0.0.1'), 'listening')
  const refused = once(second, 'error')
  second.listen(first.address())
  expect((await refused).map(systemWords)).toEqual(['another program uses it'])
  expect(systemWords(Object.assign(new Error('own words'), { code: 'ENOENT' }))).toBe('own words')
  expect(systemWords('text')).toBe('text')
})
