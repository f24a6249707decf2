import { AlarmFailure } from '../../alarms/channels/channel.ts'
import { problemOfAlarmAddress } from '../../config/alarms-schema.ts'
import type { AlarmFormat, Config } from '../../config/config.ts'
import { decodedText } from '../../platform/decoded-text.ts'
import { messageOf } from '../../platform/errors.ts'
import { readRegularFile } from '../../platform/regular-file.ts'

export interface AlarmAddress {
  readonly url: string | null
  readonly urlFile: string | null
  /** The key that names the file. */
  readonly key: 'webhookFile' | 'heartbeatFile'
  /** null: of a heartbeat. */
  readonly format: AlarmFormat | null
}

const SMALL_FILE = 16_384

/** Reads its file each time, so that a renewed one needs no reload, and one that cannot be read stops no start. */
export function addressReader({ url, urlFile, key, format }: AlarmAddress, mode: Config['mode']): () => string {
  return function readUrl() {
    if (urlFile === null) return url ?? ''
    const text = contentOf(urlFile, key)
    const problem = problemOfAlarmAddress(text, { format, mode })
    if (problem !== null) throw new AlarmFailure('file_unusable', `${key}: its content ${problem}`)
    return text
  }
}

function contentOf(file: string, key: string): string {
  try {
    return decodedText(readRegularFile(file, SMALL_FILE)).trim()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : messageOf(error)
    throw new AlarmFailure('file_unusable', `${key}: ${code}`)
  }
}
