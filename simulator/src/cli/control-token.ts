import { SimulatorError } from '../errors.ts'
import { readOption } from '../option-files.ts'

/** The token of the control port, which a file has alone. @throws SimulatorError */
export function readControlToken(file: string): string {
  const token = readOption('--control-token-file', file).trim()
  if (/^[\x21-\x7e]{16,500}$/.test(token)) return token
  const text = `--control-token-file ${file} has no token: it must be 16 to 500 visible characters of ASCII, without spaces`
  throw new SimulatorError('settings_invalid', text)
}
