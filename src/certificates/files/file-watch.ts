import { type FSWatcher, watch } from 'node:fs'
import { stat } from 'node:fs/promises'
import { guarded } from '../../platform/background.ts'
import type { Log } from '../../platform/log.ts'

export interface FileWatchOptions {
  /** The files whose content matters, asked anew each time: in a folder they come and go. */
  readonly files: () => readonly string[]
  /** The folders in which a change of them shows. A file is watched by its folder: it may be replaced, or a link swung to another. */
  readonly folders: () => readonly string[]
  /** Called once for changes that come close together; not again before it has ended. Must not reject. */
  readonly onChange: () => Promise<void>
  readonly log: Pick<Log, 'error' | 'info'>
  /** How long it must be quiet: a certificate and its key are written one after the other. Default 300. */
  readonly quietMs?: number
  /** How often the files are looked at all the same: a link further up, or a file system that tells nothing. Default 5000. */
  readonly pollMs?: number
}

export interface FileWatch {
  close(): void
}

/**
 * Tells when one of the files was changed, replaced, made or removed. Where `files` or `folders` throws, the last known state stays, with one error
 * line, and the next look tries again.
 */
export async function watchFiles(options: FileWatchOptions): Promise<FileWatch> {
  const { quietMs = 300, pollMs = 5000, log } = options
  const watchers = new Map<string, FSWatcher>()
  let known = await stateOf(options.files())
  let timer: NodeJS.Timeout | undefined
  let isChecking = false
  let isClosed = false

  async function check(): Promise<void> {
    const state = await stateOf(options.files())
    if (isClosed || state === known) return
    known = state
    await options.onChange()
    // What changed meanwhile, too.
    return check()
  }

  const look = guarded(log, 'watching certificate files', async (isPoll: boolean) => {
    if (isChecking) return
    isChecking = true
    try {
      // A folder that was itself replaced is watched no more, and nothing says so.
      if (isPoll) for (const folder of watchers.keys()) disarm(folder)
      // A folder that has just been made.
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
        // Not there (yet), or too many watches: the poll finds what changes.
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

/** Inode, time and size of each: what replacing, rewriting or swinging a link changes. */
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
