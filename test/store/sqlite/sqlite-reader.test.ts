import { expect, it, onTestFinished } from 'vitest'
import { openStoreReader } from '../../../src/store/open-store.ts'
import { aCallback } from '../../support/builders.ts'
import { openTestStore, temporaryDatabase } from '../../support/store.ts'
import { HostedThread } from '../../support/threads/worker-threads.ts'

/** The threads that this test starts. */
function startedThreads(): HostedThread[] {
  const started: HostedThread[] = []
  const add = (worker: object) => void (worker instanceof HostedThread && started.push(worker))
  process.on('worker', add)
  onTestFinished(() => void process.off('worker', add))
  return started
}

it('when the reader thread dies every read fails, the one under way too; writing goes on and the store closes', async () => {
  const threads = startedThreads()
  const errors: Error[] = []
  const store = await openTestStore({ onReaderLost: (error) => errors.push(error) })
  // The writer thread starts first.
  const ended = threads[1]?.terminate()
  const underWay = store.latestPosition()

  const failure = { code: 'store_unavailable', message: 'the reader thread has ended' }
  await expect(underWay).rejects.toMatchObject(failure)
  await ended
  await expect(store.latestPosition()).rejects.toMatchObject(failure)
  expect(errors).toMatchObject([failure])
  expect(await store.storeCallback(aCallback())).toMatchObject({ duplicates: 0 })
  await store.close()
  expect(errors).toHaveLength(1)
})

it('after closing every read fails, and nothing is reported', async () => {
  const errors: Error[] = []
  const file = temporaryDatabase()
  const store = await openTestStore({ file, onReaderLost: (error) => errors.push(error) })
  const reader = await openStoreReader(file)
  await reader.close()
  await store.close()
  const closed = { code: 'store_unavailable', message: 'the store is closed' }
  await expect(reader.latestPosition()).rejects.toMatchObject(closed)
  await expect(store.latestPosition()).rejects.toMatchObject(closed)
  expect(errors).toEqual([])
})
