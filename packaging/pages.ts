import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Build } from '../src/cli/program/build.ts'
import { PROGRAM } from '../src/platform/installation.ts'
import { programFile } from '../src/platform/program-files.ts'

/** Where the Debian package has the program. */
export const DEB_FOLDER = '/usr/lib/portaria'

const FIRST_PAGES = { 'README.md': 'in a clone', 'README.pt.md': 'em um clone' } as const

/** Makes the pages of a package from those of a clone: its own first page, no link to what only a clone has, and the paths of its program. */
export function adaptPages(target: string, installed: Build['installed']): void {
  for (const name of Object.keys(FIRST_PAGES)) {
    const page = readFileSync(programFile(`packaging/${name}`), 'utf8').replaceAll('](../', '](')
    // A tarball has its command in its folder, which is on no PATH.
    const typed = installed === 'tarball' ? page.replaceAll(/^portaria /gm, './portaria ') : page
    writeFileSync(join(target, name), typed)
  }
  adaptLinks(target, installed)
}

/** Leaves out the links to what only a clone has, and names the paths of the installed program. */
export function adaptLinks(target: string, installed: Build['installed']): void {
  for (const file of pagesAndExamples(target)) {
    const text = readFileSync(file, 'utf8')
    const linked = file.endsWith('.md') ? withoutDeadLinks(file, text) : text
    writeFileSync(file, installed === 'deb' ? linked.replaceAll(PROGRAM, DEB_FOLDER) : linked)
  }
}

function pagesAndExamples(target: string): string[] {
  const entries = readdirSync(target, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && (entry.name.endsWith('.md') || entry.parentPath.endsWith('docs/examples')))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes('/node_modules/'))
}

function withoutDeadLinks(file: string, text: string): string {
  const isPortuguese = /\.pt\.md$|\/pt\/[^/]+$/.test(file)
  const where = FIRST_PAGES[isPortuguese ? 'README.pt.md' : 'README.md']
  return text.replaceAll(/\[([^\]\n]+)\]\((?!\w+:)([^)#\s]+)[^)\s]*\)/g, (link, words: string, path: string) =>
    existsSync(join(dirname(file), path)) ? link : `${words} (${where})`,
  )
}
