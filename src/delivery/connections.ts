import type { Client as Clients, Dispatcher } from 'undici'
import { Client, errors } from '../platform/http-pool.ts'

/** A request on its way. It calls `ended` exactly once. */
export interface ConnectionUser extends Dispatcher.DispatchHandler {
  readonly request: Dispatcher.DispatchOptions
  /** Set when it has a connection, which may not be open yet. */
  client: Client | undefined
  /** Nothing was sent. */
  failed(error: Error): void
}

/** Kept-alive connections to one origin, each with one request at a time. The latest one that was used is used first, so that others become idle. */
export interface Connections {
  /** Waits where all connections are in use. A request that cannot be sent has `failed`. */
  send(user: ConnectionUser): void
  /** @param isReusable false: its connection is closed */
  ended(user: ConnectionUser, isReusable: boolean): void
  /** Takes no further request, and closes each connection when its request has ended. `onClosed`: when none is in use. */
  close(onClosed: () => void): void
  /** Ends requests that are under way, and closes all connections. */
  destroy(): Promise<void>
}

/** @param limit of open connections */
export function createConnections(origin: string, options: Clients.Options, limit: number): Connections {
  const all = new Set<Client>()
  const free: Client[] = []
  let waiting: ConnectionUser[] = []
  let onEmpty: (() => void) | undefined
  let isClosed = false

  function create(): Client {
    const client = new Client(origin, options)
    all.add(client)
    return client
  }
  function discard(client: Client): void {
    all.delete(client)
    void client.destroy()
    if (isClosed && all.size === 0 && waiting.length === 0) onEmpty?.()
  }
  function start(client: Client, user: ConnectionUser): void {
    user.client = client
    client.dispatch(user.request, user)
  }
  function startWaiting(): void {
    while (waiting.length > 0) {
      const client = free.pop() ?? (all.size < limit ? create() : undefined)
      if (client === undefined) return
      start(client, waiting.shift() as ConnectionUser)
    }
    if (isClosed) for (const client of free.splice(0)) discard(client)
  }

  return {
    send(user) {
      if (isClosed) return user.failed(new errors.ClientClosedError())
      const client = free.pop() ?? (all.size < limit ? create() : undefined)
      if (client === undefined) waiting.push(user)
      else start(client, user)
    },
    ended(user, isReusable) {
      const { client } = user
      if (client === undefined) waiting = waiting.filter((one) => one !== user)
      else if (isReusable && all.has(client)) free.push(client)
      else discard(client)
      if (waiting.length > 0 || isClosed) startWaiting()
    },
    close(onClosed) {
      isClosed = true
      onEmpty = onClosed
      if (all.size === 0) onClosed()
      else startWaiting()
    },
    async destroy() {
      isClosed = true
      const clients = [...all]
      for (const user of waiting.splice(0)) user.failed(new errors.ClientDestroyedError())
      await Promise.all(clients.map((client) => client.destroy()))
    },
  }
}
