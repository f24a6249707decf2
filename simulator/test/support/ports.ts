import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'

const LOWEST = 20_000
const HIGHEST = 65_535
const PORTS = portsToReserve()

/** By port: a UDP socket on it, open until this process ends. It keeps every other process of tests from reserving the port. */
const locks = new Map<number, Socket>()

/**
 * A port on which nothing listens, and nothing will but what this test starts there. Neither the kernel gives it to a server on port 0 or to a
 * connection, nor does another test file get it. A port that was listened on and closed has no such promise.
 * @param following so many ports behind it are reserved too
 */
export async function reservePort(following = 0): Promise<number> {
  const start = Math.floor(Math.random() * PORTS.length)
  for (const first of [...PORTS.slice(start), ...PORTS.slice(0, start)]) {
    const wanted = Array.from({ length: following + 1 }, (_, index) => first + index)
    if (wanted.every((port) => PORTS.includes(port)) && (await allReserved(wanted))) return first
  }
  throw new Error(`no port of ${PORTS.length} is free`)
}

/** As `reservePort`, so many at once. */
export function reservePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => reservePort()))
}

/** Outside the range from which the kernel takes ports, where that leaves any. */
function portsToReserve(): number[] {
  const [from, to] = ephemeralPorts()
  const all = Array.from({ length: HIGHEST - LOWEST + 1 }, (_, index) => LOWEST + index)
  const outside = all.filter((port) => port < from || port > to)
  return outside.length > 0 ? outside : all
}

/** Linux says its range; 49152 to 65535 is that of RFC 6335. */
function ephemeralPorts(): [from: number, to: number] {
  try {
    const [from = 0, to = 0] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/).map(Number)
    return [from, to]
  } catch {
    return [49_152, HIGHEST]
  }
}

async function allReserved(ports: readonly number[]): Promise<boolean> {
  for (const port of ports) if (!(await isLocked(port)) || !(await isUnused(port))) return false
  return true
}

async function isLocked(port: number): Promise<boolean> {
  if (locks.has(port)) return false
  const lock = createSocket('udp4').unref()
  locks.set(port, lock)
  try {
    await once(lock.bind({ port, address: '127.0.0.1' }), 'listening')
    return true
  } catch {
    lock.close()
    return false
  }
}

/** No program outside these tests listens on it, at any address of this machine. */
async function isUnused(port: number): Promise<boolean> {
  const server = createServer().listen(port)
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  await once(server.close(), 'close')
  return true
}

/** Whether something listens on it, at 127.0.0.1. */
export function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
