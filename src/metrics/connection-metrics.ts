import type { Exposition } from './exposition.ts'

export interface ListenerConnections {
  readonly listener: string
  readonly open: number
  readonly limit: number
}

export function exposeConnections(exposition: Exposition, read: () => readonly ListenerConnections[]): void {
  exposition.gauge(
    { name: 'portaria_connections', help: 'Open connections of callers, handshakes among them.' },
    ['listener'],
    (tell) => {
      for (const { listener, open } of read()) tell({ listener }, open)
    },
  )
  exposition.gauge(
    {
      name: 'portaria_connections_limit',
      help: 'How many there may be: limits.maxConnections, or less where the limit of open files is lower.',
    },
    ['listener'],
    (tell) => {
      for (const { listener, limit } of read()) tell({ listener }, limit)
    },
  )
}
