import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'

/** For certificates, keys, chains and tokens: a larger file is the wrong file. */
export const FILE_LIMIT = 1024 * 1024

/** Descriptors of this process: standard input, and `<(command)` of a shell. */
const OWN_DESCRIPTOR = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/(?:self|\d+)\/fd\/\d+)$/
const CHUNK = 64 * 1024

/** A file that exists and is not read. The message says why and what to do, and begins with a verb. */
export class UnreadableFile extends Error {
  readonly code: 'EISDIR' | 'ENOTREG' | 'EFBIG'

  constructor(code: UnreadableFile['code'], message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Reads a regular file, also through a symbolic link, up to `maxBytes`. Named pipes, devices and sockets are refused, because opening or reading them
 * could block the process forever. @throws UnreadableFile, and errors of the system
 */
export function readRegularFile(file: string, maxBytes: number = FILE_LIMIT): Buffer {
  // Checked before, because opening a device can have effects. A pipe that replaces the file in between does not block.
  requireRegular(statSync(file))
  return readWithStatus(file, { maxBytes }).content
}

/** Content and status of the same file, also when it is replaced during the call; `flags` such as O_NOFOLLOW. */
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

/** The same for a file that the command line names; also reads `/dev/stdin` and `<(command)` to their end. */
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
  // Not the size of the status: files under /proc have none, and a file may grow.
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
