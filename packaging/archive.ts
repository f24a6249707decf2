import { execFileSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'

const MAX_BYTES = 2 ** 30

/**
 * The folder `name` of `parent` as .tar.gz. Owner, order and times do not depend on where and when it is made.
 * @param time of every file, seconds since 1970
 */
export function writeArchive(parent: string, name: string, time: number): Buffer {
  const same = ['--sort=name', `--mtime=@${time}`, '--owner=0', '--group=0', '--numeric-owner', '--format=ustar']
  const tar = execFileSync('tar', [...same, '-C', parent, '-cf', '-', name], { maxBuffer: MAX_BYTES })
  // Level 9 takes four times as long, for 0.4 % less.
  return gzipSync(tar, { level: 6 })
}
