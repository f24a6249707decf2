import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeProgramTree } from '../../packaging/program-tree.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

it('a package has the documents in both languages', () => {
  const target = join(temporaryFolder(), 'package')
  makeProgramTree({
    target,
    code: temporaryFolder(),
    build: { installed: 'npm', commit: null },
    architecture: null,
  })
  const pages = ['README.md', 'README.pt.md', 'docs/operations.md', 'docs/pt/operations.md']
  expect(pages.filter((page) => !existsSync(join(target, page)))).toEqual([])
})
