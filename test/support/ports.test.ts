import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { reservePort, reservePorts } from './ports.ts'

const [FROM = 0, TO = 0] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/).map(Number)

it('nothing listens on a reserved port, and the kernel gives it to no one', async () => {
  const port = await reservePort()
  const socket = connect({ host: '127.0.0.1', port })
  await expect(once(socket, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  expect(port < FROM || port > TO).toBe(true)
})

it('reserved ports are all different, and those behind one are free as well', async () => {
  const ports = await reservePorts(20)
  expect(new Set(ports).size).toBe(20)
  const first = await reservePort(1)
  expect(ports).not.toContain(first)
  for (const port of [first, first + 1]) {
    const server = createServer().listen(port)
    onTestFinished(() => void server.close())
    await once(server, 'listening')
  }
})

it('another process reserves none of them', async () => {
  // Both look at the same ports first.
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const mine = await reservePorts(200)
  const module = JSON.stringify(join(import.meta.dirname, 'ports.ts'))
  const script = `
    Math.random = () => 0
    const { reservePorts } = await import(${module})
    console.log(JSON.stringify(await reservePorts(200)))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const theirs = JSON.parse((await child.stdout.toArray()).join('')) as number[]
  expect(theirs).toHaveLength(200)
  expect(theirs.filter((port) => mine.includes(port))).toEqual([])
})
