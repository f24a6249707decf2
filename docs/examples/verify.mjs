// Receives forwarded events and verifies their signatures (Standard Webhooks). Node 20 or newer, nothing else.
//   WEBHOOK_SECRET=whsec_… PORT=9000 node verify.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const KEY = Buffer.from(process.env.WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64')
if (KEY.length < 24) throw new Error('WEBHOOK_SECRET is not whsec_ and base64')
const TOLERANCE_SECONDS = 300
const MOST_BYTES = 16 * 2 ** 20

function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp = '', 'webhook-signature': signatures = '' } = headers
  // An old delivery that was recorded and is sent again is refused.
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - timestamp) > TOLERANCE_SECONDS) return false
  const expected = createHmac('sha256', KEY).update(`${id}.${timestamp}.`).update(body).digest()
  // While the secret rotates there are two signatures; one of them must be right.
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.startsWith('v1,') ? signature.slice(3) : '', 'base64')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

const server = createServer((request, response) => {
  const chunks = []
  let size = 0
  request.on('data', (chunk) => {
    size += chunk.length
    // No event is so long: it would only fill the memory.
    if (size > MOST_BYTES) request.destroy()
    else chunks.push(chunk)
  })
  request.on('end', () => {
    const body = Buffer.concat(chunks) // the raw bytes: never parsed and written again
    const isGood = isGenuine(request.headers, body)
    // Your code. The same id comes again where an answer was lost: deduplicate on it.
    console.log(isGood ? 'genuine' : 'refused', request.headers['webhook-id'], body.toString())
    response.writeHead(isGood ? 204 : 401).end()
  })
})
server.listen(Number(process.env.PORT ?? 9000), '127.0.0.1', () => console.log('listening', server.address().port))
