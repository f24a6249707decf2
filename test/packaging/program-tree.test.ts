import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeProgramTree } from '../../packaging/program-tree.ts'
import { ROOT } from '../../src/platform/program-files.ts'

const CODE = ['src', 'simulator/src']

/** The files of a folder, with the folder in front. */
function filesIn(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
}

/** Paths in the source that the running program reads, up to what the source puts into them. */
function namedInCode(): string[] {
  const files = CODE.flatMap((folder) => filesIn(ROOT, folder)).filter((file) => file.endsWith('.ts'))
  return files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/programFile\(['`]([^'`$]+)/g)].map(([, path = '']) => path),
  )
}

describe('what a package takes from a clone', () => {
  const work = mkdtempSync(join(tmpdir(), 'portaria-tree-'))
  const [target, code] = [join(work, 'package'), join(work, 'code')]
  beforeAll(() => {
    mkdirSync(code)
    makeProgramTree({ target, code, build: { installed: 'npm', commit: null }, architecture: null })
  })
  afterAll(() => rmSync(work, { recursive: true }))

  it('has every file of the source that is no code, and every path that the source names', () => {
    const wanted = CODE.flatMap((folder) => filesIn(ROOT, folder)).filter((file) => !file.endsWith('.ts'))
    expect(wanted).toContain('src/store/postgres/database/schema.sql')
    const named = namedInCode()
    expect(named).toContain('docs/examples/acme-deploy-hook.sh')
    expect([...wanted, ...named].filter((path) => !existsSync(join(target, path)))).toEqual([])
  })

  it('has no code of its own there', () => {
    expect(CODE.flatMap((folder) => filesIn(target, folder)).filter((file) => file.endsWith('.ts'))).toEqual([])
  })

  it('has the documents in both languages', () => {
    const pages = ['README.md', 'README.pt.md', 'docs/operations.md', 'docs/pt/operations.md']
    expect(pages.filter((page) => !existsSync(join(target, page)))).toEqual([])
  })
})
