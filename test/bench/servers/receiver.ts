import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An integrator's system that accepts everything; GET tells how many deliveries came. */
let count = 0
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(String(count))
    return
  }
  request.on('data', () => undefined)
  request.on('end', () => {
    count++
    response.writeHead(200, { 'content-length': 0 }).end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
