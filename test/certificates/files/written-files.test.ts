import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { replaceFiles, writeNewFile } from '../../../src/certificates/files/written-files.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { refusalOf } from './bundles.ts'

const modeOf = (path: string) => statSync(path).mode & 0o777
const contentsOf = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))

it('a new file never overwrites one, not even a dangling link', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'key')
  writeNewFile({ path, content: 'one', mode: 0o600 })
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'link'))
  for (const taken of [path, join(folder, 'link')]) {
    const error = await refusalOf(() => writeNewFile({ path: taken, content: 'two', mode: 0o600 }))
    expect([error.code, error.message]).toEqual(['conflict', expect.stringContaining('is never overwritten')])
  }
  expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['one', 0o600])
  expect(readdirSync(folder).sort()).toEqual(['key', 'link'])
})

it('what is replaced is kept beside it, however often; what is the same already is left alone', () => {
  const folder = temporaryFolder()
  const pair = (version: string) => [
    { path: join(folder, 'key'), content: `key ${version}`, mode: 0o600 },
    { path: join(folder, 'crt'), content: `crt ${version}`, mode: 0o644 },
  ]
  const [key, crt] = [join(folder, 'key'), join(folder, 'crt')]
  expect(replaceFiles(pair('1'))).toEqual({ replaced: [key, crt], kept: [] })
  expect(replaceFiles(pair('1'))).toEqual({ replaced: [], kept: [] })
  expect(replaceFiles(pair('2')).kept).toEqual([`${key}.previous`, `${crt}.previous`])
  // The same key for a new certificate: the key's file is not touched.
  expect(replaceFiles([...pair('2').slice(0, 1), ...pair('3').slice(1)])).toEqual({
    replaced: [crt],
    kept: [`${crt}.previous-2`],
  })
  expect(contentsOf(folder)).toEqual({
    key: 'key 2',
    'key.previous': 'key 1',
    crt: 'crt 3',
    'crt.previous': 'crt 1',
    'crt.previous-2': 'crt 2',
  })
  expect([key, `${key}.previous`, crt, `${crt}.previous`].map(modeOf)).toEqual([0o600, 0o600, 0o644, 0o644])
})

it('a group that alone may read the key keeps the right to, and no one else gets one', () => {
  const folder = temporaryFolder()
  const modes = [0o640, 0o660, 0o644, 0o600].map((mode) => {
    const path = join(folder, mode.toString(8))
    writeFileSync(path, 'old')
    chmodSync(path, mode)
    replaceFiles([{ path, content: 'new', mode: 0o600 }])
    return modeOf(path)
  })
  expect(modes).toEqual([0o640, 0o640, 0o600, 0o600])
})

it('when one file cannot be written none is replaced, and nothing is left behind', async () => {
  const folder = temporaryFolder()
  const [key, crt] = [join(folder, 'key'), join(folder, 'nowhere', 'crt')]
  writeFileSync(key, 'old')
  const error = await refusalOf(() =>
    replaceFiles([
      { path: key, content: 'new', mode: 0o600 },
      { path: crt, content: 'new', mode: 0o644 },
    ]),
  )
  expect(error.message).toBe(`there is no folder ${join(folder, 'nowhere')}: create it or name another file`)
  expect(contentsOf(folder)).toEqual({ key: 'old' })
})
