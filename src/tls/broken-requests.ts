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

/** Every request gets one answer, in order, also when a later one is broken. */
export function refuseInTurn({ socket, latest, refuse }: BrokenRequest): void {
  if (latest === undefined) refuse()
  else if (latest.req.complete) onceClosed(latest, refuse)
  else refuseBody({ socket, latest, refuse })
}

/** The body of the latest request is broken, which may be answered already. */
function refuseBody(broken: BrokenRequest & { readonly latest: ServerResponse }): void {
  const { socket, latest, refuse } = broken
  if (latest.headersSent) onceClosed(latest, () => socket.destroySoon())
  else if (latest.socket !== null) refuse()
  // It gets its socket in its turn. In the next tick Node has sent what waits for that, such as 100 Continue.
  else latest.once('socket', () => process.nextTick(refuseBody, broken))
}

/** After the answer was sent, or its connection has ended. */
export function onceClosed(response: ServerResponse, then: () => void): void {
  if (response.closed) then()
  else response.once('close', then)
}
