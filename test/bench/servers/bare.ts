import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { mutualTls } from './tls.ts'

/** A bare Node https handler that reads the body and stores nothing. */
const server = createServer(mutualTls(process.argv[2] as string), (request, response) => {
  request.on('data', () => undefined)
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 3 })
    response.end('200')
  })
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
