/** The headers of a SQLite database and of its write-ahead log (https://sqlite.org/fileformat.html, sections 1.3 and 4.1). All numbers are big-endian. */

export const HEADER_BYTES = 100
export const LOG_HEADER_BYTES = 32
export const FRAME_HEADER_BYTES = 24

const MAGIC = Buffer.from('SQLite format 3\0', 'latin1')

export interface FileHeader {
  readonly pageSize: number
  /** Increases with every commit that changes the first page. */
  readonly changes: number
  /** null: an old writer left it out. */
  readonly pages: number | null
  /** Increases with every change of the schema. */
  readonly schemaCookie: number
  /** Number of the schema. */
  readonly userVersion: number
  readonly applicationId: number
}

/** null: not a SQLite database. */
export function parseFileHeader(bytes: Buffer): FileHeader | null {
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return null
  const changes = bytes.readUInt32BE(24)
  const pages = bytes.readUInt32BE(28)
  const pageSize = bytes.readUInt16BE(16)
  return {
    pageSize: pageSize === 1 ? 65_536 : pageSize,
    changes,
    pages: pages === 0 || bytes.readUInt32BE(92) !== changes ? null : pages,
    schemaCookie: bytes.readUInt32BE(40),
    userVersion: bytes.readUInt32BE(60),
    applicationId: bytes.readUInt32BE(68),
  }
}

export interface LogHeader {
  readonly pageSize: number
  /** Two random numbers that every frame of this log repeats. */
  readonly salts: Buffer
}

/** null: not a write-ahead log. */
export function parseLogHeader(bytes: Buffer): LogHeader | null {
  if (bytes.length < LOG_HEADER_BYTES || bytes.readUInt32BE(0) >>> 1 !== 0x377f0682 >>> 1) return null
  return { pageSize: bytes.readUInt32BE(8), salts: Buffer.from(bytes.subarray(16, 24)) }
}

/** @param number of the frame, from 1 */
export function frameOffset(number: number, pageSize: number): number {
  return LOG_HEADER_BYTES + (number - 1) * (FRAME_HEADER_BYTES + pageSize)
}

export function isFrameOf({ salts }: LogHeader, frame: Buffer): boolean {
  return frame.length >= FRAME_HEADER_BYTES && frame.subarray(8, 16).equals(salts)
}
