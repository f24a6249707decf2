import type { SendHttp } from '../../alarms/channels/webhook.ts'
import { createGuardedConnector } from '../../delivery/guarded-connect.ts'
import type { Resolve } from '../../delivery/name-resolver.ts'
import { compileAddressRules } from '../../domain/address-rules.ts'
import { Pool } from '../../platform/http-pool.ts'
import { exchange } from '../../service/exchange.ts'

const CONNECT_TIMEOUT_MS = 10_000
/** More of an answer ends the exchange as a failure. */
const ANSWER_BYTES = 64 * 1024
/** The operator may have alarms sent to any address; metadata addresses of clouds are refused nevertheless. */
const EVERYWHERE = ['0.0.0.0/0', '::/0']

/** Requests of alarms, each on a connection of its own. */
export function createAlarmHttp(resolve: Resolve): SendHttp {
  const connect = createGuardedConnector({
    rules: compileAddressRules(EVERYWHERE),
    resolve,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  })
  return async function sendHttp({ method, url, headers, body }, signal) {
    const { origin, pathname, search } = new URL(url)
    const pool = new Pool(origin, { connect, connections: 1, allowH2: false })
    try {
      const request = { method, path: `${pathname}${search}`, headers, body }
      const limits = { signal, answerBytes: ANSWER_BYTES, keepsBody: () => true, onBegan: () => undefined }
      const { status, body: answer } = await exchange(pool, request, limits)
      return { status, body: Buffer.from(answer).toString('utf8') }
    } finally {
      await pool.destroy()
    }
  }
}
