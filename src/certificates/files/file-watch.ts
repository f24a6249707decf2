import { type FSWatcher, watch } from 'node:fs'
import { stat } from 'node:fs/promises'
import { guarded } from '../../platform/background.ts'
import type { Log } from '../../platform/log.ts'

export interface FileWatchOptions {
  /** The watched files, read again each time, because a folder's files change. */
  readonly files: () => readonly string[]
  /** The folders that show changes of the files. A file is watched through its folder, because it or a link may be replaced. */
  readonly folders: () => readonly string[]
  /** Called once for changes in close succession, and not again before it has ended. Must not reject. */
  readonly onChange: () => Promise<void>
  readonly log: Pick<Log, 'error' | 'info'>
  /** Quiet time in ms before a change counts, because a certificate and its key are written one after the other. Default 300. */
  readonly quietMs?: number
  /** Interval of polling in ms, for links further up and file systems without notifications. Default 5000. */
  readonly pollMs?: number
}

export interface FileWatch {
  close(): void
}

/**
 * Reports when a file was changed, replaced, created or removed. Where `files` or `folders` throws, the last known state stays in effect, one error
 * line is logged, and the next poll tries again.
 */
export async function watchFiles(options: FileWatchOptions): Promise<FileWatch> {
  const { quietMs = 300, pollMs = 5000, log } = options
  const watchers = new Map<string, FSWatcher>()
  /** As `check` saw the files last. */
  let known = await stateOf(options.files())
  /** Of `soon`, for the next look. */
  let timer: NodeJS.Timeout | undefined
  /** During `look`. */
  let isChecking = false
  /** True for ever after `close`. */
  let isClosed = false

  async function check(): Promise<void> {
    const state = await stateOf(options.files())
    if (isClosed || state === known) return
    known = state
    await options.onChange()
    // Includes changes in the meantime.
    return check()
  }

  const look = guarded(log, 'watching certificate files', async (isPoll: boolean) => {
    if (isChecking) return
    isChecking = true
    try {
      // A replaced folder is no longer watched, without any event.
      if (isPoll) for (const folder of watchers.keys()) disarm(folder)
      // A new folder.
      armWatchers()
      await check()
    } finally {
      isChecking = false
    }
  })

  function soon(): void {
    clearTimeout(timer)
    timer = setTimeout(look, quietMs, false).unref()
  }

  function armWatchers(): void {
    for (const folder of new Set(options.folders())) {
      if (watchers.has(folder)) continue
      try {
        const watcher = watch(folder, { persistent: false }, soon)
        watchers.set(folder, watcher)
        watcher.on('error', () => disarm(folder))
      } catch {
        // The folder is missing, or there are too many watches: polling finds changes.
      }
    }
  }

  function disarm(folder: string): void {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }

  armWatchers()
  const polling = setInterval(look, pollMs, true).unref()

  return {
    close() {
      isClosed = true
      clearTimeout(timer)
      clearInterval(polling)
      for (const folder of watchers.keys()) disarm(folder)
    },
  }
}

/** Inode, time and size of each file, which change when a file or a link is rewritten or replaced. */
async function stateOf(files: readonly string[]): Promise<string> {
  const states = await Promise.all(
    files.map(async (file) => {
      try {
        const { ino, mtimeNs, ctimeNs, size } = await stat(file, { bigint: true })
        return `${file} ${ino} ${mtimeNs} ${ctimeNs} ${size}`
      } catch (error) {
        return `${file} ${error instanceof Error && 'code' in error ? error.code : 'missing'}`
      }
    }),
  )
  return states.join('\n')
}
