// Receives forwarded events with Express and verifies their signatures (Standard Webhooks). Node 20 or newer.
//   npm install express; WEBHOOK_SECRET=whsec_… PORT=9000 node receive-express.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import express from 'express'

const KEY = Buffer.from(process.env.WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64')
if (KEY.length < 24) throw new Error('WEBHOOK_SECRET is not whsec_ and base64')
const TOLERANCE_SECONDS = 300

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

const app = express()

// Verify the raw bytes. The function accepts every content type, and a callback without one, which '*/*' would leave unread.
app.post('/hook', express.raw({ type: () => true, limit: '16mb' }), (request, response) => {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  if (!isGenuine(request.headers, body)) return response.status(401).send('invalid signature')
  // Your code. The same id comes again where an answer was lost: deduplicate on it.
  console.log('genuine', request.headers['webhook-id'], body.toString())
  response.status(204).end()
})

// Do not do this: express.json() parses "valor":150.10 into the number 150.1, and JSON.stringify writes 150.1. These are not the signed bytes.
app.post('/wrong', express.json(), (request, response) => {
  const body = Buffer.from(JSON.stringify(request.body))
  if (!isGenuine(request.headers, body)) return response.status(401).send(`invalid signature of ${body}`)
  response.status(204).end()
})

const server = app.listen(Number(process.env.PORT ?? 9000), '127.0.0.1', () => {
  console.log('listening', server.address().port)
})
