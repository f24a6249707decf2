import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { NewCallback } from '../../../src/domain/event.ts'
import { publishedEventsOf } from '../../../src/domain/event-bus.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { type ApiChanges, startApi } from '../api.ts'

type Api = Awaited<ReturnType<typeof startApi>>

export interface ReaderDatabase {
  /** How the API opens it. */
  open(): Pick<ApiChanges, 'file' | 'openStore'>
  /** From now on what the open store does reaches the database no more. */
  crash(): Promise<void>
}

/** As a crash leaves it, the database is what is in its files at that moment. */
export function databaseInFiles(): ReaderDatabase {
  const folder = temporaryFolder()
  let lives = 0
  const fileOf = (life: number) => join(folder, String(life), 'portaria.db')
  return {
    open() {
      mkdirSync(join(folder, String(lives)), { recursive: true })
      return { file: fileOf(lives) }
    },
    async crash() {
      const oldFile = fileOf(lives)
      lives++
      mkdirSync(join(folder, String(lives)), { recursive: true })
      // Nothing moves the log into the database meanwhile: it is too short for that.
      for (const end of ['', '-wal']) if (existsSync(oldFile + end)) copyFileSync(oldFile + end, fileOf(lives) + end)
    },
  }
}

/** The real store and the real API, which can be killed. */
export async function createReaderWorld(now: () => number, database: ReaderDatabase) {
  let api: Api = await open()

  function open(): Promise<Api> {
    return startApi({ ...database.open(), now })
  }

  async function stop({ waiting, stop: end }: Api): Promise<void> {
    waiting.close()
    await end()
  }

  return {
    api: () => api,

    async receive(callback: NewCallback) {
      const { store, bus } = api
      const stored = await store.storeCallback(callback)
      bus.publish(publishedEventsOf(callback, stored))
      return stored
    },

    /** In an orderly way. */
    async restart(): Promise<void> {
      await stop(api)
      api = await open()
    },

    /**
     * So many turns of the event loop after something has begun. Says whether that had been answered by then; if not it may be done, or not.
     * @param settle lets everybody go who still waits for an answer of the life before
     */
    async kill(begun: Promise<unknown>, turns: number, settle: () => Promise<void>): Promise<boolean> {
      let isAnswered = false
      const settled = begun.then(
        () => (isAnswered = true),
        () => (isAnswered = true),
      )
      for (let i = 0; i < turns; i++) await turn()
      const wasAnswered = isAnswered
      const old = api
      await database.crash()
      old.waiting.close()
      await settled
      await settle()
      await stop(old)
      api = await open()
      return wasAnswered
    },

    stop: () => stop(api),
  }
}

export type ReaderWorld = Awaited<ReturnType<typeof createReaderWorld>>
