import { requiresCertificate, TOKEN_PATHS } from '../interfaces.ts'
import { type Filled, targetOf } from './caller-calls.ts'
import { type Operation, TOKEN } from './operations.ts'
import type { Caller, Surroundings } from './surroundings.ts'

/** The request as commands for a shell, which can be pasted in any folder: one that fetches the token, and the request itself. */
export function curlOf(surroundings: Surroundings, caller: Caller, operation: Operation, filled: Filled): string {
  const { on, method } = operation
  const base = surroundings.baseOf(caller.environment, on)
  const trusted = [`--cacert ${quoted(surroundings.serverCaFile)}`]
  const shown = requiresCertificate(on)
    ? [...trusted, `--cert ${quoted(caller.files.cert)}`, `--key ${quoted(caller.files.key)}`]
    : trusted
  const { clientId, clientSecret } = caller.application
  const basic = `-u ${quoted(`${clientId}:${clientSecret}`)}`
  const body =
    filled.body === undefined ? [] : [`-H ${quoted(JSON_TYPE)}`, `--data-raw ${quoted(JSON.stringify(filled.body))}`]
  const address = quoted(`${base}${targetOf(operation, filled)}`)
  if (operation.id === TOKEN) return linesOf(['curl -sS -i', ...shown, basic, ...body, address])
  const token = linesOf([
    'TOKEN=$(curl -sS',
    ...shown,
    basic,
    `-d grant_type=client_credentials ${quoted(`${base}${TOKEN_PATHS[on]}`)} |`,
    `sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')`,
  ])
  return `${token}\n${linesOf([`curl -sS -i -X ${method}`, ...shown, '-H "authorization: Bearer $TOKEN"', ...body, address])}`
}

const JSON_TYPE = 'content-type: application/json'

/** Each part in a line of its own. */
function linesOf(parts: readonly string[]): string {
  return parts.map((part, index) => (index === 0 ? part : `  ${part}`)).join(' \\\n')
}

/** For a shell. */
function quoted(text: string): string {
  return /^[\w./@+:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
