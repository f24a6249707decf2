// Polls for events and keeps its position in a file. Requests its own access token and renews it. Node 20 or newer, nothing else.
//   PORTARIA_URL=http://127.0.0.1:8080 PORTARIA_CLIENT_ID=cli_… PORTARIA_CLIENT_SECRET=… CURSOR_FILE=cursor node poll.mjs
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const { PORTARIA_URL = 'http://127.0.0.1:8080', PORTARIA_CLIENT_ID, PORTARIA_CLIENT_SECRET } = process.env
const { CURSOR_FILE = 'cursor' } = process.env
if (!PORTARIA_CLIENT_ID || !PORTARIA_CLIENT_SECRET) {
  console.error('set PORTARIA_CLIENT_ID and PORTARIA_CLIENT_SECRET: "portaria clients create" prints them')
  process.exit(2)
}

/** Your code. After a kill between this and savePosition the same event comes again: deduplicate on its id. */
function handleEvent(event) {
  console.log(JSON.stringify(event))
}

function savePosition(cursor) {
  writeFileSync(`${CURSOR_FILE}.new`, cursor)
  renameSync(`${CURSOR_FILE}.new`, CURSOR_FILE)
  return cursor
}

async function request(path, options) {
  const response = await fetch(PORTARIA_URL + path, { ...options, signal: AbortSignal.timeout(60_000) })
  const answer = await response.json()
  if (response.ok) return answer
  const { status, headers } = response
  const error = new Error(`${status}: ${answer.detail ?? answer.error_description}`)
  throw Object.assign(error, { status, next: answer.next, retryAfter: Number(headers.get('retry-after') ?? 0) })
}

let token = ''
let renewAt = 0

/** Renewed after nine tenths of its lifetime, so that no request carries an expired token. */
async function accessToken() {
  if (Date.now() < renewAt) return token
  const credentials = { client_id: PORTARIA_CLIENT_ID, client_secret: PORTARIA_CLIENT_SECRET }
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...credentials })
  const answer = await request('/oauth/token', { method: 'POST', body })
  token = answer.access_token
  renewAt = Date.now() + answer.expires_in * 900
  return token
}

let cursor = existsSync(CURSOR_FILE) ? readFileSync(CURSOR_FILE, 'utf8').trim() : ''
let failures = 0
for (;;) {
  try {
    const query = new URLSearchParams({ limit: '100', wait: '30', ...(cursor !== '' && { after: cursor }) })
    const headers = { authorization: `Bearer ${await accessToken()}` }
    const page = await request(`/v1/events?${query}`, { headers })
    for (const event of page.data) handleEvent(event)
    cursor = savePosition(page.next)
    failures = 0
  } catch (error) {
    console.error(`${error}`)
    // 410: retention removed events that this poller has not read. The answer says once where to continue.
    if (error.status === 410) {
      cursor = savePosition(error.next)
      continue
    }
    // 401: the token expired or was revoked.
    if (error.status === 401) renewAt = 0
    // 429, 503, no answer: each further failure doubles the pause, up to a minute.
    await pause(1000 * Math.max(error.retryAfter ?? 0, Math.min(60, 2 ** failures++)))
  }
}
