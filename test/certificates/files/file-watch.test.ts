import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { watchFiles } from '../../../src/certificates/files/file-watch.ts'
import { type LogLine, recordingLog } from '../../support/gateway.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

async function watched(file: string, { pollMs = 60_000, folder = join(file, '..') } = {}) {
  const changes: number[] = []
  const watch = await watchFiles({
    files: () => [file],
    folders: () => [folder],
    onChange: async () => void changes.push(1),
    log: recordingLog([]),
    quietMs: 20,
    pollMs,
  })
  onTestFinished(() => watch.close())
  return { changes }
}

it('a file that is rewritten, replaced, removed or made is reported, each once', async () => {
  const file = join(temporaryFolder(), 'server.crt')
  writeFileSync(file, 'one')
  const { changes } = await watched(file)

  writeFileSync(file, 'rewritten')
  await until(() => changes.length === 1)
  writeFileSync(`${file}.new`, 'replaced!')
  renameSync(`${file}.new`, file)
  await until(() => changes.length === 2)
  rmSync(file)
  await until(() => changes.length === 3)
  writeFileSync(file, 'made again')
  await until(() => changes.length === 4)
})

it('a link that swings to another folder is reported, as mounted secrets do', async () => {
  const folder = temporaryFolder()
  for (const version of ['v1', 'v2']) {
    mkdirSync(join(folder, version))
    writeFileSync(join(folder, version, 'server.crt'), version)
  }
  symlinkSync('v1', join(folder, 'current'))
  symlinkSync('current/server.crt', join(folder, 'server.crt'))
  const { changes } = await watched(join(folder, 'server.crt'))

  symlinkSync('v2', join(folder, 'next'))
  renameSync(join(folder, 'next'), join(folder, 'current'))

  await until(() => changes.length === 1)
})

it('where the folder itself is replaced, looking from time to time finds it', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'certs/server.crt')
  mkdirSync(join(folder, 'certs'))
  writeFileSync(file, 'one')
  const { changes } = await watched(file, { pollMs: 50 })

  renameSync(join(folder, 'certs'), join(folder, 'old'))
  await until(() => changes.length === 1)
  mkdirSync(join(folder, 'certs'))
  writeFileSync(file, 'two')

  await until(() => changes.length === 2)
})

it('another file of the folder is no change', async () => {
  const file = join(temporaryFolder(), 'server.crt')
  writeFileSync(file, 'one')
  const { changes } = await watched(file)

  writeFileSync(`${file}.bak`, 'something else')
  writeFileSync(`${file}.bak`, 'again')
  writeFileSync(file, 'the change')

  await until(() => changes.length > 0)
  expect(changes).toHaveLength(1)
})

it('a change while the last one is still being taken up is taken up too', async () => {
  const file = join(temporaryFolder(), 'server.crt')
  writeFileSync(file, 'one')
  let count = 0
  const watch = await watchFiles({
    files: () => [file],
    folders: () => [join(file, '..')],
    async onChange() {
      count++
      if (count === 1) writeFileSync(file, 'changed while it was read')
    },
    log: recordingLog([]),
    quietMs: 20,
    pollMs: 60_000,
  })
  onTestFinished(() => watch.close())

  writeFileSync(file, 'two')

  await until(() => count === 2)
})

it('a list of files that cannot be made keeps what was known, is logged once, and changes are found again afterwards', async () => {
  const file = join(temporaryFolder(), 'server.crt')
  writeFileSync(file, 'one')
  const lines: LogLine[] = []
  const list = { looks: 0, problem: null as string | null }
  let changes = 0
  const watch = await watchFiles({
    files() {
      list.looks++
      if (list.problem !== null) throw new Error(list.problem)
      return [file]
    },
    folders() {
      if (list.problem === 'EMFILE') throw new Error(list.problem)
      return [join(file, '..')]
    },
    onChange: async () => void changes++,
    log: recordingLog(lines),
    quietMs: 1,
    pollMs: 5,
  })
  onTestFinished(() => watch.close())
  const looksMore = (count: number) => {
    const before = list.looks
    return until(() => list.looks >= before + count)
  }

  list.problem = 'EACCES'
  await looksMore(3)
  writeFileSync(file, 'changed meanwhile')
  list.problem = 'EMFILE'
  await until(() => lines.length === 2)
  list.problem = null
  await until(() => changes === 1 && lines.length === 3)

  expect(lines.map(({ level, event, error }) => [level, event, error])).toEqual([
    ['error', 'background.failed', 'EACCES'],
    ['error', 'background.failed', 'EMFILE'],
    ['info', 'background.recovered', undefined],
  ])
})
