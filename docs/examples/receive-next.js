// Receives forwarded events with Next.js: verifies signatures with @portaria/receiver, and stores each event once. Node 22.13 or newer.
// Copy it to app/hook/route.js.
//   npm install ./portaria-receiver-VERSION.tgz; npx --no -- next build; WEBHOOK_SECRET=whsec_… PORT=9000 npx --no -- next start
// WEBHOOK_SECRET has two secrets, separated by a space, while you rotate them.
import { DatabaseSync } from 'node:sqlite'
import { createReceiver, ReceiverError } from '@portaria/receiver'

const MOST_BYTES = 16 * 2 ** 20

/** Made at the first request: `next build` loads this file too, where the secret may be missing. */
let parts

function open() {
  const receiver = createReceiver({ secrets: process.env.WEBHOOK_SECRET ?? '' })
  const db = new DatabaseSync(process.env.STORE ?? 'events.db')
  db.exec('CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, kind TEXT, body BLOB)')
  return { receiver, insert: db.prepare('INSERT OR IGNORE INTO events VALUES (?, ?, ?)') }
}

/** The raw bytes: request.json() and request.text() change them. null: no event is so long. */
async function bodyOf(request) {
  const chunks = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.length
    if (size > MOST_BYTES) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

export async function POST(request) {
  parts ??= open()
  const { receiver, insert } = parts
  const body = await bodyOf(request)
  if (body === null) return new Response('too large', { status: 413 })
  try {
    const { id, kind } = receiver.verify(request.headers, body)
    const { changes } = insert.run(id, kind, body)
    // Only now: an answer before the event is stored would lose it in a crash. Work on it later, from the table.
    return new Response(changes === 1 ? 'stored' : 'repeated')
  } catch (error) {
    if (error instanceof ReceiverError) return new Response(error.message, { status: error.status })
    throw error // Next.js answers 500, and the event comes again.
  }
}
