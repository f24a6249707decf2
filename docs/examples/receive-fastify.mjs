// Receives forwarded events with Fastify: verifies signatures with the published library, and stores each event once. Node 22.13 or newer.
//   npm install fastify standardwebhooks; WEBHOOK_SECRET=whsec_… PORT=9000 node receive-fastify.mjs
// WEBHOOK_SECRET has two secrets, separated by a space, while you rotate them.
// The library verifies UTF-8 only: give the destination `format: event`, whose bodies always are. The service also sends ISO-8859-1.
import { isUtf8 } from 'node:buffer'
import { DatabaseSync } from 'node:sqlite'
import Fastify from 'fastify'
import { Webhook } from 'standardwebhooks'

const WEBHOOKS = process.env.WEBHOOK_SECRET.split(' ').map((secret) => new Webhook(secret))
const db = new DatabaseSync(process.env.STORE ?? 'events.db')
db.exec('CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, kind TEXT, body BLOB)')
const INSERT = db.prepare('INSERT OR IGNORE INTO events VALUES (?, ?, ?)')

/** Each webhook accepts any one of several signatures, and compares in constant time. */
function isGenuine(headers, body) {
  if (!isUtf8(body)) return false
  return WEBHOOKS.some((webhook) => {
    try {
      webhook.verify(body, headers, { jsonParse: false })
      return true
    } catch {
      return false
    }
  })
}

const app = Fastify({ bodyLimit: 16 * 2 ** 20 })

// The raw bytes of this route: a scope of its own leaves the JSON parser to the other routes.
app.register(async (hooks) => {
  hooks.removeAllContentTypeParsers()
  hooks.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  hooks.post('/hook', (request, reply) => {
    const body = request.body ?? Buffer.alloc(0)
    if (!isGenuine(request.headers, body)) return reply.code(401).send('invalid signature')
    const { changes } = INSERT.run(request.headers['webhook-id'], request.headers['portaria-kind'] ?? null, body)
    // Only now: an answer before the event is stored would lose it in a crash. Work on it later, from the table.
    return reply.send(changes === 1 ? 'stored' : 'repeated')
  })
})

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 9000) })
