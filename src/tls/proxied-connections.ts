import type { Socket } from 'node:net'
import { compileNetworks } from '../domain/address-rules.ts'
import { putBack } from './pipelining.ts'
import { type ProxyHeaderRefusal, readProxyHeader } from './proxy-header.ts'
import { addressOf, setRemoteEnd } from './remote-address.ts'

export interface ProxiedConnectionsOptions {
  /** Connections from these must begin with a PROXY protocol header, and no others may. */
  readonly networks: readonly string[]
  /** For the header of a connection. */
  readonly timeoutMs: number
  /** Gives the connection a place while its header is read. False: it was closed. */
  readonly admitUnread: (socket: Socket) => boolean
  /** Whether a command on this machine makes the connection: it has no load balancer in front, and sends no header. */
  readonly isOwn: (socket: Socket) => boolean
  readonly onRefused: (socket: Socket, refusal: ProxyHeaderRefusal) => void
}

/** Calls `then` once the caller of the connection is known, and all bytes that it sent wait in the socket. */
export type CallerReader = (socket: Socket, then: () => void) => void

/** @returns null: there are no networks. */
export function createCallerReader(options: ProxiedConnectionsOptions): CallerReader | null {
  if (options.networks.length === 0) return null
  const hasHeader = compileNetworks(options.networks)

  return function readCaller(socket, then) {
    // Health checks may reset a connection before it is accepted. Then it has no address any more, and no caller.
    if (socket.remoteAddress === undefined) socket.destroy()
    else if (!hasHeader(addressOf(socket)) || options.isOwn(socket)) then()
    else if (options.admitUnread(socket)) readHeader(socket, options, then)
  }
}

function readHeader(socket: Socket, options: ProxiedConnectionsOptions, then: () => void): void {
  /** Of the header. `read` adds to it; its limit is that of `readProxyHeader`, and one read of Node's more. */
  let bytes = Buffer.alloc(0)
  const timer = setTimeout(() => refuse(LATE), options.timeoutMs)
  socket.on('readable', read).on('end', hangUp).on('error', hangUp).on('close', stop)

  function read(): void {
    const chunk: Buffer | null = socket.read()
    if (chunk === null) return
    bytes = Buffer.concat([bytes, chunk])
    const header = readProxyHeader(bytes)
    if (header === null) return
    if ('code' in header) return refuse(header)
    stop()
    if (header.end !== null) setRemoteEnd(socket, header.end)
    putBack(socket, bytes.subarray(header.length))
    then()
  }

  /** A connection that ends without a byte only checked whether the port is open. */
  function hangUp(): void {
    if (bytes.length > 0) refuse(BROKEN_OFF)
    else socket.destroy()
  }

  function refuse(refusal: ProxyHeaderRefusal): void {
    stop()
    options.onRefused(socket, refusal)
    socket.destroy()
  }

  function stop(): void {
    clearTimeout(timer)
    socket.off('readable', read).off('end', hangUp).off('error', hangUp).off('close', stop)
  }
}

const LATE: ProxyHeaderRefusal = {
  code: 'proxy_header_missing',
  reason: 'it sent no complete PROXY protocol header in time',
}
const BROKEN_OFF: ProxyHeaderRefusal = {
  code: 'proxy_header_invalid',
  reason: 'it closed the connection within its PROXY protocol header',
}
