// What an app does with the client that the generator makes of /openapi.json.

import { client } from './portaria/client.gen.js'
import { createDestination, getToken, listEvents } from './portaria/index.js'

const [baseUrl = '', client_id = '', client_secret = ''] = process.argv.slice(2)
client.setConfig({ baseUrl })
const { data: token } = await getToken({
  body: { grant_type: 'client_credentials', client_id, client_secret },
  throwOnError: true,
})
client.setConfig({ auth: token.access_token })
const { data: page } = await listEvents({ query: { kind: ['payment'], order: 'desc', limit: 2 }, throwOnError: true })
const { error } = await createDestination({ body: { url: 'https://app.example/hook' } })
const events = page.data.map(({ subject, status, environment }) => [subject, status, environment])
console.log(JSON.stringify({ events, hasNext: typeof page.next === 'string', refused: error?.code }))

/** Calls that must not compile: an error that the compiler does not find is an error itself. */
export async function wrong() {
  // @ts-expect-error: an order is asc or desc
  await listEvents({ query: { order: 'newest' } })
  // @ts-expect-error: a destination has a URL
  await createDestination({ body: { name: 'app' } })
  // @ts-expect-error: an event has no member of this name
  return page.data.map(({ identificador }) => identificador)
}
