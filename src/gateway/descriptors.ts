import { readFileSync } from 'node:fs'
import { CONTROL_CONNECTIONS } from '../api/listening/listener.ts'
import type { Config } from '../config/config.ts'
import { PortariaError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { SERVICE_CONNECTIONS } from '../service/connections.ts'

/** The parts that use a file descriptor for each connection. */
export const CONNECTION_USERS = ['callbacks', 'charges', 'api', 'destinations'] as const
export type ConnectionUser = (typeof CONNECTION_USERS)[number]

/** How many file descriptors each part may use. */
export interface DescriptorPlan {
  /** RLIMIT_NOFILE; null: it cannot be read on this system, and nothing is lowered. */
  readonly limit: number | null
  /** Kept free for files, the database, the log, name servers, calls to the service and commands. */
  readonly files: number
  readonly wanted: Readonly<Record<ConnectionUser, number>>
  /** At most `wanted`. */
  readonly allowed: Readonly<Record<ConnectionUser, number>>
}

/**
 * A running gateway has about 45 open. The rest is for backups, reading certificates, name servers, the connections of a client of the service that a
 * reload replaces, and short bursts.
 */
const OPEN_FILES = 128
const FILES = OPEN_FILES + CONTROL_CONNECTIONS
/** A running gateway calls the charges interface only; the other interfaces are called by commands. */
const filesOf = ({ service }: Config): number => FILES + service.length * SERVICE_CONNECTIONS
/**
 * 500 destinations with 8 connections each could use 4,000, but rarely do. Half of this number is for attempts in flight (at most one for each
 * destination with an open circuit), the other half for idle connections.
 */
const DESTINATION_CONNECTIONS = 2048
/** A gateway with fewer connections would be useless. */
const LEAST = 32

/** @throws PortariaError `listen_failed` where even the minimum does not fit */
export function planDescriptors(config: Config, limit: number | null): DescriptorPlan {
  const { callbacks, chargeNotifications, api } = config
  const wanted = {
    callbacks: callbacks.limits.maxConnections,
    charges: chargeNotifications === null ? 0 : callbacks.limits.maxConnections,
    api: api.limits.maxConnections,
    destinations: DESTINATION_CONNECTIONS,
  }
  const files = filesOf(config)
  const least = mapUsers((user) => Math.min(wanted[user], LEAST))
  const available = limit === null ? Number.POSITIVE_INFINITY : limit - files
  if (available < sumOf(least)) {
    throw new PortariaError(
      'listen_failed',
      `the process may open ${limit} files and connections, and needs at least ${files + sumOf(least)}: ${RAISE}`,
    )
  }
  const [isEnough, missing] = [available >= sumOf(wanted), sumOf(wanted) - sumOf(least)]
  const share = isEnough ? 1 : (available - sumOf(least)) / missing
  const allowed = mapUsers((user) => least[user] + Math.floor((wanted[user] - least[user]) * share))
  return { limit, files, wanted, allowed }
}

export const RAISE = 'raise the limit (LimitNOFILE= of the unit, ulimit -n, --ulimit nofile= of a container)'

export function isLowered({ wanted, allowed }: DescriptorPlan): boolean {
  return CONNECTION_USERS.some((user) => allowed[user] < wanted[user])
}

/** The limits of the running gateway. Logs one line where they are lower than configured. */
export function limitListeners({ callbacks, api }: Config, plan: DescriptorPlan, log: Log) {
  if (isLowered(plan)) {
    const advice = `${RAISE}, or lower callbacks.limits.maxConnections and api.limits.maxConnections`
    log.warn({ ...plan, hint: advice }, 'limits.lowered')
  }
  const { allowed } = plan
  return {
    callbacks: lowered(callbacks.limits, allowed.callbacks),
    charges: lowered(callbacks.limits, allowed.charges),
    api: lowered(api.limits, allowed.api),
  }
}

/** The limit for each address is lowered in the same proportion. */
function lowered<T extends { maxConnections: number; connectionsPerAddress: number }>(
  limits: T,
  maxConnections: number,
): T {
  const connectionsPerAddress = Math.ceil((limits.connectionsPerAddress * maxConnections) / limits.maxConnections)
  return { ...limits, maxConnections, connectionsPerAddress }
}

/** RLIMIT_NOFILE of this process; Node raises it to the hard limit when it starts. */
export function descriptorLimit(): number | null {
  try {
    const soft = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return soft === undefined || soft === 'unlimited' ? null : Number(soft)
  } catch {
    // A system without /proc.
    return null
  }
}

function mapUsers(value: (user: ConnectionUser) => number): Record<ConnectionUser, number> {
  return {
    callbacks: value('callbacks'),
    charges: value('charges'),
    api: value('api'),
    destinations: value('destinations'),
  }
}

function sumOf(numbers: Readonly<Record<ConnectionUser, number>>): number {
  return CONNECTION_USERS.reduce((sum, user) => sum + numbers[user], 0)
}
