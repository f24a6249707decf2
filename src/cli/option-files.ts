import { decodedText } from '../platform/decoded-text.ts'
import { systemWords } from '../platform/errors.ts'
import { isPermissionError, permissionAdvice } from '../platform/permission.ts'
import { readArgumentFile } from '../platform/regular-file.ts'
import { wrongUsage } from './output.ts'

/** Files that options name. Both throw PortariaError `request_invalid` with the option, the file and what to do. */

/** @param maxBytes default 1 MiB */
export function readOptionFile(option: string, file: string, maxBytes?: number): Buffer {
  try {
    return readArgumentFile(file, maxBytes)
  } catch (cause) {
    throw wrongUsage(
      `${option} ${file} cannot be read (${systemWords(cause)}): ${isPermissionError(cause) ? permissionAdvice() : 'check the path'}`,
      cause,
    )
  }
}

/** @returns its text, decoded */
export function readOptionText(option: string, file: string): string {
  return decodedText(readOptionFile(option, file))
}
