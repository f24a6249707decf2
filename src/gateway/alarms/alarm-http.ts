import { AlarmFailure } from '../../alarms/channels/channel.ts'
import type { ConnectMail } from '../../alarms/channels/email.ts'
import type { SendHttp } from '../../alarms/channels/webhook.ts'
import {
  ConnectFailure,
  codeOf,
  connectPlain,
  createGuardedConnector,
  handshakeWords,
} from '../../delivery/guarded-connect.ts'
import type { Resolve } from '../../delivery/name-resolver.ts'
import { compileAddressRules } from '../../domain/address-rules.ts'
import { PortariaError } from '../../platform/errors.ts'
import { Pool } from '../../platform/http-pool.ts'
import { isLoopback } from '../../platform/loopback.ts'
import { proxyVariable } from '../../platform/proxy-variables.ts'
import { alertWords } from '../../platform/tls-alerts.ts'
import { exchange } from '../../service/exchange.ts'
import { unlessAborted } from '../../service/time-limit.ts'

const CONNECT_TIMEOUT_MS = 10_000
/** More of an answer ends the exchange as a failure. */
const ANSWER_BYTES = 64 * 1024
/** The operator may have alarms sent to any address; metadata addresses of clouds are refused nevertheless. */
const EVERYWHERE = ['0.0.0.0/0', '::/0']

/** Requests of alarms, each on a connection of its own. */
export function createAlarmHttp(resolve: Resolve): SendHttp {
  const connect = createGuardedConnector(guardOf(resolve))
  return async function sendHttp({ method, url, headers, body }, signal) {
    const { origin, hostname, pathname, search } = new URL(url)
    const pool = new Pool(origin, { connect, connections: 1, allowH2: false })
    try {
      const request = { method, path: `${pathname}${search}`, headers, body }
      const limits = { signal, answerBytes: ANSWER_BYTES, keepsBody: () => true, onBegan: () => undefined }
      const { status, headers: given, body: answer } = await exchange(pool, request, limits)
      const retryAfter = [given['retry-after']].flat()[0]
      return { status, body: Buffer.from(answer).toString('utf8'), retryAfter }
    } catch (error) {
      throw failureOf(error, hostname)
    } finally {
      await pool.destroy()
    }
  }
}

/** Connections to mail servers: as those above, one address of a name after the other. */
export function createAlarmMail(resolve: Resolve): ConnectMail {
  return async function connectMail(host, port, signal) {
    const connecting = connectPlain(host, port, guardOf(resolve))
    try {
      return await unlessAborted(connecting, signal)
    } catch (error) {
      if (signal.aborted)
        void connecting.then(
          (socket) => socket.destroy(),
          () => undefined,
        )
      throw failureOf(error, host)
    }
  }
}

function guardOf(resolve: Resolve) {
  return { rules: compileAddressRules(EVERYWHERE), resolve, connectTimeoutMs: CONNECT_TIMEOUT_MS }
}

/** The error itself where it is none of the connection. */
function failureOf(error: unknown, host: string): unknown {
  if (error instanceof PortariaError && error.code === 'address_forbidden') return new AlarmFailure('address_forbidden')
  const alert = alertWords(error)
  if (alert !== null) return new AlarmFailure('tls_refused', alert)
  if (!(error instanceof ConnectFailure)) {
    const code = codeOf(error) ?? ''
    return BROKEN.has(code) ? new AlarmFailure('unreachable', code) : error
  }
  if (error.stage === 'handshake')
    return new AlarmFailure('certificate_untrusted', handshakeWords(error.cause ?? error))
  const isName = error.stage === 'name'
  const words = isName ? host : (error.code ?? error.message)
  if (!isLoopback(host) && proxyVariable() !== null) return new AlarmFailure('proxy_not_used', words)
  return new AlarmFailure(isName ? 'name_unknown' : 'unreachable', words)
}

const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])
