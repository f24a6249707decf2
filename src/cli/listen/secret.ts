import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { isSecret, newSecret, SECRET_FORM } from '../../domain/secrets/webhook-secret.ts'
import { createFile } from '../../platform/atomic-file.ts'
import { makeFolder } from '../../platform/folder.ts'
import { readRegularFile } from '../../platform/regular-file.ts'
import { readOptionText } from '../option-files.ts'
import { wrongUsage } from '../output.ts'

/**
 * The secret that signs what a listener sends: that of a file, or the user's own, made at the first use with mode 0600.
 * @throws PortariaError `request_invalid`
 */
export function signingSecret(file: string | undefined): { readonly secret: string; readonly file: string } {
  const path = file ?? ownFile()
  if (file === undefined && !existsSync(path)) {
    makeFolder(dirname(path), 0o700)
    createFile(path, `${newSecret()}\n`, { mode: 0o600 })
  }
  const secret = (file === undefined ? readRegularFile(path).toString() : readOptionText('--secret-file', file)).trim()
  if (!isSecret(secret)) throw wrongUsage(`${path} has no signing secret: it must be ${SECRET_FORM}`)
  return { secret, file: path }
}

/** Below `$XDG_STATE_HOME`, by default ~/.local/state (XDG Base Directory Specification). */
function ownFile(): string {
  const { XDG_STATE_HOME: state = '' } = process.env
  return join(state.startsWith('/') ? state : join(homedir(), '.local/state'), 'portaria/listen-secret')
}
