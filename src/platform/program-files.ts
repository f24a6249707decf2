import { join, resolve } from 'node:path'

/** Folder of the program: a clone, or what a package installed. Files that are no code have the same paths in both. */
export const ROOT = resolve(import.meta.dirname, '../..')

/** Whether this is a package, whose code is in `lib/program`: as deep below its root as this file is in a clone. */
export const IS_PACKAGE = import.meta.filename.endsWith('.js')

/** Folder of the code. */
export const CODE = IS_PACKAGE ? import.meta.dirname : join(ROOT, 'src')

/** The modules that a process or a thread begins with. A package has each as one file. */
export const ENTRY_MODULES = {
  main: 'src/main.ts',
  'database-process': 'src/cli/database-process.ts',
  'writer-thread': 'src/store/sqlite/threads/writer-thread.ts',
  'reader-thread': 'src/store/sqlite/threads/reader-thread.ts',
} as const

/** @param path of a file of the program, as in a clone */
export function programFile(path: string): string {
  return join(ROOT, path)
}

export type EntryModule = keyof typeof ENTRY_MODULES

export function entryModule(name: EntryModule): string {
  return IS_PACKAGE ? join(CODE, `${name}.js`) : join(ROOT, ENTRY_MODULES[name])
}
