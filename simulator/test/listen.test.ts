import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createPlainServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { reservePort } from './support/ports.ts'
import { listen } from '../src/listen.ts'

it('a port that another program has on ::1 only is in use, and the port on 127.0.0.1 is free again', async () => {
  const port = await reservePort()
  const other = createPlainServer().listen(port, '::1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const wanted = { host: null, port, option: '--port' }
  await expect(listen(createServer(), wanted)).rejects.toMatchObject({
    code: 'port_in_use',
    message: `port ${port} on ::1 is used by another program: stop that program, or choose another port with --port`,
  })
  const alone = await listen(createServer(), { ...wanted, host: '127.0.0.1' })
  expect(alone.port).toBe(port)
  await alone.close()
})

it('a connection is kept for longer than clients leave one idle', async () => {
  const server = createServer((_request, response) => void response.end())
  const listening = await listen(server, { host: '127.0.0.1', port: 0, option: '--port' })
  onTestFinished(() => listening.close())
  const { headers } = await fetch(`http://127.0.0.1:${listening.port}/`)
  expect(headers.get('keep-alive')).toBe('timeout=65')
})
