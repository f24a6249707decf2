import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A file system in memory can be had; it needs root and mount. */
export const canMount = process.platform === 'linux' && process.getuid?.() === 0 && mountsAndUnmounts()

/** Makes the folder a file system of its own until the test ends. */
export function mountSmall(folder: string, size: string): void {
  mkdirSync(folder, { recursive: true })
  mount(`size=${size},mode=0700`, folder)
  onTestFinished(() => unmount(folder))
}

export function resizeSmall(folder: string, size: string): void {
  mount(`remount,size=${size}`, folder)
}

/** Somebody else's file. */
export interface Filler {
  /** Makes it so large that no more than so many bytes are free; 0: to the last byte. */
  leave(bytes: number): void
  remove(): void
}

export function fillerIn(folder: string): Filler {
  const file = join(folder, 'filler')
  return {
    leave(bytes) {
      const descriptor = openSync(file, 'a')
      try {
        while (bytes === 0 || freeBytesIn(folder) > bytes) writeSync(descriptor, Buffer.alloc(PAGE_BYTES))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      } finally {
        closeSync(descriptor)
      }
    },
    remove: () => rmSync(file),
  }
}

const PAGE_BYTES = 4096

function freeBytesIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

function mount(options: string, folder: string): void {
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`mount: ${stderr}`)
}

/** Lazily: a gateway that is still being killed may hold it. */
function unmount(folder: string): void {
  spawnSync('umount', ['--lazy', folder])
}

function mountsAndUnmounts(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-mount-'))
  try {
    mount('size=1m', folder)
    unmount(folder)
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true })
  }
}
