import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The end of a connection whose next bytes are no request. */
export interface BrokenRequest {
  readonly socket: Socket
  /** To the latest request whose headers were read; undefined: there was none. */
  readonly latest: ServerResponse | undefined
  /** Answers the broken request, and ends the connection. */
  readonly refuse: () => void
}

/** The rest of a broken request causes more errors. */
const broken = new WeakSet<Socket>()

/** Every request gets one answer, in order, also when a later one is broken. Only the first call for a connection has an effect. */
export function refuseInTurn({ socket, latest, refuse }: BrokenRequest): void {
  if (broken.has(socket)) return
  broken.add(socket)
  if (latest === undefined) refuse()
  else if (latest.req.complete) onceClosed(latest, refuse)
  else refuseBody({ socket, latest, refuse })
}

/** The body of the latest request is broken, which may be answered already. */
function refuseBody(request: BrokenRequest & { readonly latest: ServerResponse }): void {
  const { socket, latest, refuse } = request
  if (latest.headersSent) onceClosed(latest, () => socket.destroySoon())
  else if (latest.socket !== null) refuse()
  // It gets its socket in its turn. In the next tick Node has sent what waits for that, such as 100 Continue.
  else latest.once('socket', () => process.nextTick(refuseBody, request))
}

/** After the answer was sent, or its connection has ended. */
export function onceClosed(response: ServerResponse, then: () => void): void {
  if (response.closed) then()
  else response.once('close', then)
}
