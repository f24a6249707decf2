import { Queue, Worker } from 'bullmq'
import { batchesOf, createSender, tellReady } from './jobs.ts'

/** node bullmq.ts SOCKET RECEIVER-PORT JOBS CONCURRENCY */
const [path, receiver, count, atOnce] = process.argv.slice(2) as [string, string, string, string]
const concurrency = Number(atOnce)
const queue = new Queue<string>('forward', { connection: { path } })
const send = createSender(receiver, concurrency)
for (const bodies of batchesOf(Number(count))) await queue.addBulk(bodies.map((data) => ({ name: 'callback', data })))
tellReady()
new Worker<string>('forward', ({ data }) => send(data), {
  connection: { path, maxRetriesPerRequest: null },
  concurrency,
})
