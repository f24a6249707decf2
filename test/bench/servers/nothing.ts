import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import { mutualTls } from './tls.ts'

/** Answers every chunk with prepared bytes and does nothing else: the ceiling of the load generator. */
const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n200')
const server = createServer(mutualTls(process.argv[2] as string), (socket) => {
  socket.on('data', () => socket.write(ANSWER))
  socket.on('error', () => undefined)
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
