import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'

/** Certificates, keys, chains, tokens and the like: a larger file is the wrong one. */
export const FILE_LIMIT = 1024 * 1024

/** The descriptors of this process: standard input, and what a shell passes as `<(command)`. */
const OWN_DESCRIPTOR = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/(?:self|\d+)\/fd\/\d+)$/
const CHUNK = 64 * 1024

/** A file that was found and is not read. The message says what is wrong with it and what to do, and begins with a verb. */
export class UnreadableFile extends Error {
  readonly code: 'EISDIR' | 'ENOTREG' | 'EFBIG'

  constructor(code: UnreadableFile['code'], message: string) {
    super(message)
    this.code = code
  }
}

/**
 * The content of a regular file, or of one that a symbolic link leads to, at most `maxBytes`. A named pipe, a device or a socket is refused: opening or
 * reading one could block the process for ever, or never end. @throws UnreadableFile, and what the system says
 */
export function readRegularFile(file: string, maxBytes: number = FILE_LIMIT): Buffer {
  // Opening a device can have effects of its own; a pipe that takes the file's place meanwhile does not block.
  requireRegular(statSync(file))
  return readWithStatus(file, { maxBytes }).content
}

/** The content with the status of the file that it was read from, whatever takes its place meanwhile; `flags` such as O_NOFOLLOW. */
export function readWithStatus(
  file: string,
  { maxBytes = FILE_LIMIT, flags = 0 }: { maxBytes?: number; flags?: number } = {},
): { readonly content: Buffer; readonly status: Stats } {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | flags)
  try {
    const status = fstatSync(descriptor)
    requireRegular(status)
    return { content: readAll(descriptor, maxBytes), status }
  } finally {
    closeSync(descriptor)
  }
}

/** The same for a file that is named on the command line, where `/dev/stdin` and `<(command)` are read to their end, too. */
export function readArgumentFile(file: string, maxBytes: number = FILE_LIMIT): Buffer {
  if (!OWN_DESCRIPTOR.test(file)) return readRegularFile(file, maxBytes)
  const descriptor = openSync(file, 'r')
  try {
    return readAll(descriptor, maxBytes)
  } finally {
    closeSync(descriptor)
  }
}

function requireRegular(status: Stats): void {
  if (status.isFile()) return
  if (status.isDirectory()) throw new UnreadableFile('EISDIR', 'is a directory: name a file')
  const what = status.isFIFO() ? 'a named pipe' : status.isSocket() ? 'a socket' : 'a device'
  throw new UnreadableFile('ENOTREG', `is ${what} and not a regular file: write its content to a file and name that`)
}

function readAll(descriptor: number, maxBytes: number): Buffer {
  const chunks: Buffer[] = []
  // Not the size that the system says: files under /proc have none, and one may grow.
  for (let length = 0; ; ) {
    const chunk = Buffer.allocUnsafe(CHUNK)
    const read = readSync(descriptor, chunk, 0, CHUNK, null)
    if (read === 0) return Buffer.concat(chunks)
    length += read
    if (length > maxBytes)
      throw new UnreadableFile('EFBIG', `is longer than ${maxBytes / 1024} KiB: name the right file`)
    chunks.push(chunk.subarray(0, read))
  }
}
