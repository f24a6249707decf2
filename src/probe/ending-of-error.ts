import type { Ending } from '../domain/refusal-rules.ts'
import { systemWords } from '../platform/errors.ts'

/** `verdict`: the handshake is done on the client's side, and the server may still refuse. */
export type Phase = 'connect' | 'handshake' | 'verdict' | 'answer'

const NOT_TLS = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|HTTPS_PROXY_REQUEST)$/
const VERSION_NOT_SPOKEN = /^ERR_SSL_(UNSUPPORTED_PROTOCOL|WRONG_SSL_VERSION|VERSION_TOO_LOW|VERSION_TOO_HIGH)$/
const CLOSED = /^(ECONNRESET|EPIPE|ECONNABORTED|ERR_SSL_UNEXPECTED_EOF_WHILE_READING)$/

export const NO_CONNECTION = 'no connection within the time limit: check host, port and firewall'

const UNREACHABLE_TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused: nothing listens there, or a firewall says no: check host and port',
  ENOTFOUND: 'the host name does not exist: check its spelling and DNS',
  EAI_AGAIN: 'the host name could not be looked up: check DNS, and try again',
  EHOSTUNREACH: 'no route to the host: check the network',
  ENETUNREACH: 'no route to the network: check the network',
  ETIMEDOUT: NO_CONNECTION,
}

/** How a request ended that failed in this phase. */
export function endingOfError(error: Error, phase: Phase): Ending {
  const code = 'code' in error ? String(error.code) : ''
  if (phase === 'connect')
    return {
      kind: 'unreachable',
      reason: UNREACHABLE_TEXTS[code] ?? `${systemWords(error)}: check host, port and firewall`,
    }
  const alert = /SSL alert number (\d+)/.exec(error.message)?.[1]
  if (phase === 'handshake' && (alert === '70' || VERSION_NOT_SPOKEN.test(code))) return { kind: 'version-not-spoken' }
  if (alert !== undefined) return { kind: 'alert', alert: Number(alert) }
  if (phase === 'handshake' && NOT_TLS.test(code)) return { kind: 'not-tls' }
  if (CLOSED.test(code)) return { kind: 'closed' }
  if (code.startsWith('HPE_')) return { kind: 'not-http', reason: code }
  if (code.startsWith('ERR_SSL_')) return { kind: 'tls-error', reason: code }
  return { kind: 'broken', reason: code === '' ? error.message : code }
}
