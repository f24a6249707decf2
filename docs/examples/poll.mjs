// Polls for events and keeps its place in a file. Node 20 or newer, nothing else.
//   PORTARIA_URL=http://127.0.0.1:8080 PORTARIA_TOKEN=… CURSOR_FILE=cursor node poll.mjs
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const { PORTARIA_URL = 'http://127.0.0.1:8080', PORTARIA_TOKEN, CURSOR_FILE = 'cursor' } = process.env

/** Yours. Killed between this and keepPlace, it sees the same event again: deduplicate on its id. */
function handleEvent(event) {
  console.log(JSON.stringify(event))
}

function keepPlace(cursor) {
  writeFileSync(`${CURSOR_FILE}.new`, cursor)
  renameSync(`${CURSOR_FILE}.new`, CURSOR_FILE)
}

let cursor = existsSync(CURSOR_FILE) ? readFileSync(CURSOR_FILE, 'utf8').trim() : ''
for (;;) {
  try {
    const query = new URLSearchParams({ limit: '100', wait: '30', ...(cursor !== '' && { after: cursor }) })
    const response = await fetch(`${PORTARIA_URL}/v1/events?${query}`, {
      headers: { authorization: `Bearer ${PORTARIA_TOKEN}` },
      signal: AbortSignal.timeout(60_000),
    })
    const answer = await response.json()
    if (response.ok) for (const event of answer.data) handleEvent(event)
    else console.error(`${response.status}: ${answer.detail}`)
    // 410: retention removed events that this poller has not read. It says where to go on, once.
    if (response.ok || response.status === 410) keepPlace((cursor = answer.next))
    else await pause(5000)
  } catch (error) {
    console.error(`${error}`)
    await pause(5000)
  }
}
