/**
 * A request that Node cannot parse reaches no route. It is answered on the bare connection, as a problem with an id,
 * unless a response is already under way.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { z } from 'zod'
import { STATUS_CODES } from '../../platform/http.ts'
import { refuseInTurn } from '../../tls/broken-requests.ts'
import { isProxyHeader } from '../../tls/proxy-header.ts'
import type { problemSchema } from '../http/problem-schema.ts'
import { newRequestId, REQUEST_ID } from '../http/request-id.ts'

type ParseError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

const TOO_LONG = { status: 431, detail: 'the request target and the headers are too long together' }
const TOO_SLOW = { status: 408, detail: 'the request did not come to its end in time' }
const PROXY_HEADER = {
  status: 400,
  detail:
    'a PROXY protocol header is not read here: switch it off at the load balancer in front (proxy_protocol, send-proxy), or name its address in api.proxyProtocol',
}
const UNREADABLE = { status: 400, detail: 'this is no HTTP request that can be read' }

/** Replaces Node's own answers to unreadable requests and unknown `Expect` headers, which lack the headers of all other answers. */
export function answerUnreadableRequests(server: Server): void {
  const latest = new WeakMap<Socket, ServerResponse>()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    latest.set(request.socket, response)
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response)
  })
  server.on('clientError', (error: ParseError, socket: Socket) => {
    const failure = failureOf(error)
    if (failure === null) return void socket.destroy()
    refuseInTurn({
      socket,
      latest: latest.get(socket),
      refuse() {
        if (socket.writable) socket.write(answerText(failure))
        socket.destroySoon()
      },
    })
  })
}

/** null: the connection itself, or its TLS, is broken, so no answer is possible. */
function failureOf({ code, rawPacket }: ParseError): typeof UNREADABLE | null {
  if (code === 'HPE_HEADER_OVERFLOW') return TOO_LONG
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return TOO_SLOW
  if (code?.startsWith('HPE_') !== true) return null
  return isProxyHeader(rawPacket) ? PROXY_HEADER : UNREADABLE
}

function answerText({ status, detail }: typeof UNREADABLE): string {
  const title = STATUS_CODES[status] ?? 'Error'
  const requestId = newRequestId()
  const code = 'request_invalid'
  const problem: z.output<typeof problemSchema> = { type: 'about:blank', title, status, code, detail, requestId }
  const body = JSON.stringify(problem)
  const lines = [
    `HTTP/1.1 ${status} ${title}`,
    `${REQUEST_ID}: ${requestId}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    'content-type: application/problem+json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}
