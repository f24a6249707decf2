import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runInChild } from '../../src/cli/child-process.ts'
import { copyDatabase } from '../../src/cli/storage/copy.ts'
import { openStore } from '../../src/store/open-store.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** As Ctrl-C does, though only for who began to listen in `start`. */
async function interrupted<T>(start: () => Promise<T>): Promise<T> {
  const before = process.listeners('SIGINT')
  const running = start()
  for (const listener of process.listeners('SIGINT')) if (!before.includes(listener)) listener('SIGINT')
  return running
}

it.each(['SIGINT', 'SIGHUP'] as const)(
  '%s interrupts what a child process does, however busy that is, and leaves no listener behind',
  async (signal) => {
    const listeners = process.listenerCount(signal)
    const module = join(import.meta.dirname, 'busy-process.ts')
    const steps: unknown[] = []
    let interruptIt = () => undefined as unknown
    const running = runInChild({
      module,
      args: [],
      interrupted: 'interrupted',
      onStep(step) {
        steps.push(step)
        interruptIt()
      },
    })
    const [listener] = process.listeners(signal).slice(listeners)
    interruptIt = () => listener?.(signal)
    await expect(running).rejects.toMatchObject({ code: 'store_unavailable', message: 'interrupted' })
    expect(steps).toEqual(['busy'])
    expect(process.listenerCount(signal)).toBe(listeners)
  },
)

it('a copy that is interrupted leaves nothing behind', async () => {
  const file = join(temporaryFolder(), 'portaria.db')
  const queue = { events: 9, bytes: 9 }
  await (await openStore({ file, deduplicationWindowMs: 0, queue })).close()
  const folder = temporaryFolder()
  const target = join(folder, 'backup.db')
  // As SQLite leaves it when it is killed while it writes.
  writeFileSync(`${target}-journal`, '')
  const copying = interrupted(() => copyDatabase({ file, target, leaveBytes: 0, isQuiet: true }))
  await expect(copying).rejects.toMatchObject({ message: 'interrupted: nothing was written' })
  expect(readdirSync(folder)).toEqual([])
})

it('where a child process crashes, the error has what it wrote', async () => {
  const module = join(import.meta.dirname, 'no-such-process.ts')
  await expect(runInChild({ module, args: [], onStep: () => undefined, interrupted: '' })).rejects.toThrow(
    /ended with 1: .*Cannot find module/s,
  )
})
