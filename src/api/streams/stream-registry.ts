/**
 * Event streams (WHATWG HTML, section 9.2). A stream holds at most Node's write buffer and the message that filled it:
 * its writer stops while the caller reads slowly. The registry bounds their number, asks again whether each caller's
 * credentials are valid, and ends all streams when the gateway stops.
 */

import type { Request } from 'express'
import { clientOf } from '../../domain/client.ts'
import { guarded } from '../../platform/background.ts'
import { PortariaError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { say } from '../../platform/said.ts'
import { addressOf, networkOf } from '../../tls/remote-address.ts'
import type { BoundedAnswers } from '../answers/bounded-answers.ts'
import { callerOf, isRevoked, isStillAuthenticated } from '../auth/authentication.ts'
import type { Call, Reply } from '../http/endpoint.ts'
import { logFailure, placeOf } from '../http/problem.ts'
import { createOpenStream, type OpenStream } from './open-stream.ts'

/** The streams of one gateway. */
export interface StreamRegistry {
  /**
   * Answers a request over HTTP with a stream, which ends when `write` does. Until `write` sends the first message, an error is answered like any other; a later
   * one ends the stream, and the caller comes back.
   * @throws PortariaError `not_acceptable` where the caller does not accept a stream; `queue_full` where all places, or those of one client, are taken
   */
  serve(call: Call, write: (stream: OpenStream) => Promise<void>): Promise<Reply<never>>
  /** Ends every stream, and all later ones at once. */
  close(): void
}

export interface StreamRegistryOptions {
  readonly log: Log
  readonly answers: Pick<BoundedAnswers, 'accountOf'>
  /** Default 500; each costs a connection and some memory. */
  readonly places?: number
  /** Of one address (IPv6: one /64), so that its other connections are left; default: all. */
  readonly placesOfAddress?: number
  /** A stream without messages sends a comment this often, for proxies that close idle connections; default 15 s. */
  readonly heartbeatMs?: number
  /** How often the credentials of each caller are checked; default 3 s. */
  readonly recheckMs?: number
}

const PLACES = 500
/** Of one client, so that it leaves places for others. */
const SHARE = 0.1
const HEARTBEAT_MS = 15_000
const RECHECK_MS = 3000
/** After which a browser comes back. */
const RETRY_MS = 2000

export function createStreamRegistry(options: StreamRegistryOptions): StreamRegistry {
  const { log, answers, places = PLACES, heartbeatMs = HEARTBEAT_MS, recheckMs = RECHECK_MS } = options
  const { placesOfAddress = places } = options
  const placesOfClient = Math.max(1, Math.floor(places * SHARE))
  const streams = new Map<OpenStream, Request>()
  /** Runs while there are streams: `add` starts it, `remove` ends it. */
  let timer: NodeJS.Timeout | undefined
  /** True for ever after `close`. */
  let isClosed = false

  async function endInvalid(): Promise<void> {
    for (const [stream, request] of streams) if (!(await isStillAuthenticated(request))) stream.end(INVALID)
  }

  /** The next check of all credentials may be seconds away. */
  function endedByRevocation(stream: OpenStream, request: Request): OpenStream {
    return {
      ...stream,
      send(message) {
        if (isRevoked(request)) stream.end(INVALID)
        else stream.send(message)
      },
    }
  }

  function requirePlace(request: Request): void {
    const client = clientOf(callerOf(request))
    const network = networkOf(addressOf(request.socket))
    if (isClosed) throw new PortariaError('queue_full', say`the gateway is stopping: connect again in a moment`)
    if (streams.size >= places)
      throw new PortariaError(
        'queue_full',
        say`${{ count: places }} event streams are open already: connect again later, or poll`,
      )
    const taken = [...streams.values()].filter((request) => clientOf(callerOf(request)) === client).length
    if (taken >= placesOfClient)
      throw new PortariaError(
        'queue_full',
        say`${{ count: taken }} event streams of this client are open already, and no client may have more: close one, or share one among your processes`,
      )
    const near = [...streams.values()].filter(({ socket }) => networkOf(addressOf(socket)) === network).length
    if (near >= placesOfAddress)
      throw new PortariaError(
        'queue_full',
        say`${{ count: near }} event streams from ${{ address: network }} are open already, half of api.limits.connectionsPerAddress: close one, or raise the limit`,
      )
  }

  function add(stream: OpenStream, request: Request): void {
    streams.set(stream, request)
    timer ??= setInterval(guarded(log, 'checking the tokens of event streams', endInvalid), recheckMs).unref()
  }

  function remove(stream: OpenStream): void {
    streams.delete(stream)
    if (streams.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  function fail(stream: OpenStream, request: Request, error: unknown): void {
    if (!stream.isBegun()) throw error
    if (!(error instanceof PortariaError)) logFailure(log, placeOf(request), error)
    stream.end(error instanceof PortariaError ? error.message : 'the gateway failed')
  }

  return {
    async serve({ http }, write) {
      if (http === null) throw new TypeError('unreachable: pages and commands do not ask for streams')
      const { request, response } = http
      if (request.accepts('text/event-stream') === false) throw new PortariaError('not_acceptable', NOT_ACCEPTABLE)
      requirePlace(request)
      const account = answers.accountOf(request)
      const stream = createOpenStream(response, { heartbeatMs, retryMs: RETRY_MS, account })
      add(stream, request)
      try {
        await write(endedByRevocation(stream, request))
      } catch (error) {
        fail(stream, request, error)
      } finally {
        remove(stream)
      }
      stream.end()
      return { isSent: true }
    },
    close() {
      isClosed = true
      for (const stream of streams.keys()) stream.end('the gateway is stopping: connect again')
    },
  }
}

const INVALID = 'the access token is no longer valid: get another one'
const NOT_ACCEPTABLE =
  'this answer is an event stream: send "Accept: text/event-stream" or no Accept header, or poll the same data as JSON'
