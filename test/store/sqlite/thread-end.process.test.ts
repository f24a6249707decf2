import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { openStore } from '../../../src/store/open-store.ts'
import { storeOptions } from '../../support/store.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const library = dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json'))
const NATIVE_CODE = join(library, `prebuilds/${process.platform}-${process.arch}.node`)
const LOAD_MS = 500
const canTrace = spawnSync('strace', ['-f', '-e', 'trace=none', 'true']).status === 0 && existsSync(NATIVE_CODE)

const sourceOf = (module: string) => pathToFileURL(join(import.meta.dirname, '../../../src', module)).href

/** Tells when a thread begins to load native code. */
const TELL = `
  import { writeFileSync } from 'node:fs'
  const load = process.dlopen
  process.dlopen = (...args) => { writeFileSync(process.env.BEGUN, ''); load(...args) }`

const endWhileLoading = (start: string, end: string) => `
  import { existsSync } from 'node:fs'
  import { setTimeout } from 'node:timers/promises'
  ${start}
  for (const until = Date.now() + 10_000; !existsSync(process.env.BEGUN) && Date.now() < until; ) await setTimeout(1)
  ${end}`

/** Runs a program whose threads take `LOAD_MS` to load SQLite. Without a compile cache, which Node would write before it ends. */
async function run(program: string) {
  const folder = temporaryFolder()
  const file = join(folder, 'portaria.db')
  const store = await openStore(storeOptions({ file }))
  await store.close()
  writeFileSync(join(folder, 'tell.mjs'), TELL)
  writeFileSync(join(folder, 'program.mjs'), program)
  const slowly = ['-f', '-qq', '-o', join(folder, 'trace'), '-P', NATIVE_CODE]
  const { status, signal, stderr } = spawnSync(
    'strace',
    [
      ...[...slowly, '-e', 'trace=openat', '-e', `inject=openat:delay_exit=${LOAD_MS * 1000}`],
      ...[process.execPath, '--import', join(folder, 'tell.mjs'), join(folder, 'program.mjs')],
    ],
    { env: { BEGUN: join(folder, 'begun'), FILE: file }, encoding: 'utf8', timeout: 15_000 },
  )
  return { end: status ?? signal, stderr }
}

const STORE = `
  import { openSqliteStore } from '${sourceOf('store/sqlite/sqlite-store.ts')}'
  openSqliteStore({ file: process.env.FILE, deduplicationWindowMs: 1000, queue: { events: 10, bytes: 1e6 } })`
const READER = `
  import { startSqliteReader } from '${sourceOf('store/sqlite/sqlite-reader.ts')}'
  const reader = startSqliteReader(process.env.FILE)
  reader.open().catch(() => undefined)`

it.skipIf(!canTrace).each([
  ['the process ends', STORE, 'process.exit(3)'],
  ['the process of a command ends', READER, 'process.exit(3)'],
  ['the thread is terminated', READER, 'await reader.abandon(); process.exitCode = 3'],
])('nothing aborts the process where %s while a thread loads SQLite (needs strace)', async (_, start, end) => {
  expect(await run(endWhileLoading(start, end))).toEqual({ end: 3, stderr: '' })
})
