import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { openTransport } from '../../src/cli/remote/transport.ts'

it('an answer without an end is refused at a limit', async () => {
  const piece = Buffer.alloc(1024 ** 2, 'x')
  const server = createServer((_request, response) => {
    const send = () => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('drain', send)
    send()
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const transport = await openTransport({ api, ca: null, certificate: null }, '--api-')
  onTestFinished(() => transport.close())
  const asked = transport.exchange('/v1/events', { method: 'GET' }, null)
  await expect(asked).rejects.toThrow(`no gateway answers at ${api}: the answer has more than 64 MiB`)
})
