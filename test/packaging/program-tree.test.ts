import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeProgramTree } from '../../packaging/program-tree.ts'
import { ROOT } from '../../src/platform/program-files.ts'

const CODE = ['src', 'simulator/src']

/** The files of a folder, with the folder in front. */
function filesIn(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
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

  it('has no link to a file that is not there, and says that it is in a clone', () => {
    const pages = filesIn(target, '.').filter((file) => file.endsWith('.md'))
    const dead = pages.flatMap((page) =>
      [...readFileSync(join(target, page), 'utf8').matchAll(/\]\((?!\w+:)([^)#\s]+)/g)]
        .filter(([, link = '']) => !existsSync(join(target, dirname(page), link)))
        .map(([, link]) => `${page}: ${link}`),
    )
    expect(dead).toEqual([])
    expect(readFileSync(join(target, 'docs/architecture.md'), 'utf8')).toContain('CONTRIBUTING (in a clone)')
  })

  it('begins with a page of its own, which needs no clone and says which licence there is', () => {
    const pages = ['README.md', 'README.pt.md'].map((name) => readFileSync(join(target, name), 'utf8'))
    for (const page of pages) expect(page).not.toMatch(/npm (ci|start|run|test)/)
    expect(pages[0]).toContain('No licence is given yet')
    expect(pages[1]).toContain('Ainda não há licença')
  })

  it('names the folder of its program: hooks that a page names are there', () => {
    const deb = join(work, 'deb')
    makeProgramTree({ target: deb, code, build: { installed: 'deb', commit: null }, architecture: null })
    const texts = filesIn(deb, 'docs').map((file) => readFileSync(join(deb, file), 'utf8'))
    expect(texts.filter((text) => text.includes('/opt/portaria'))).toEqual([])
    const hooks = texts.flatMap((text) =>
      [...text.matchAll(/\/usr\/lib\/portaria\/([\w./-]+\w)/g)].map(([, path = '']) => path),
    )
    expect(hooks.length).toBeGreaterThan(3)
    expect(hooks.filter((path) => !existsSync(join(deb, path)))).toEqual([])
  })
})
