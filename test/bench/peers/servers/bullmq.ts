import { Queue } from 'bullmq'
import { serve } from './express-app.ts'

/** One job a request: node bullmq.ts SOCKET CERTS */
const [path, certs] = process.argv.slice(2) as [string, string]
const queue = new Queue('callbacks', { connection: { path } })
await queue.waitUntilReady()

serve(certs, {
  keep: (key, body) => queue.add('callback', body.toString(), { jobId: key }),
  keys: async () => (await queue.getWaiting()).map(({ id = '' }) => id),
})
