import { lchownSync, lstatSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { realFileOf } from '../platform/real-file.ts'

const FILES = ['', '-wal', '-shm', '.lock', '.lock-journal', '.position']

/** Gives files that root created to the owner of the database's folder: a gateway that runs as that user could not start otherwise. */
export function giveToFolderOwner(named: string): void {
  if (process.geteuid?.() !== 0) return
  const database = realFileOf(named)
  const { uid, gid } = statSync(dirname(database))
  if (uid === 0) return
  for (const path of FILES.map((suffix) => `${database}${suffix}`)) {
    const there = lstatSync(path, { throwIfNoEntry: false })
    // Never through a link: the folder's owner could name any file of the machine.
    if (there?.isFile() && there.uid === 0) lchownSync(path, uid, gid)
  }
}
