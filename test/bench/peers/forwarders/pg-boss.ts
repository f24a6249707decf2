import { PgBoss } from 'pg-boss'
import { batchesOf, createSender, tellReady } from './jobs.ts'

/** Its defaults fetch one job every two seconds: it is measured with batches, each job with an outcome of its own. node pg-boss.ts SOCKET-FOLDER RECEIVER-PORT JOBS CONCURRENCY */
const [host, receiver, count, atOnce] = process.argv.slice(2) as [string, string, string, string]
const concurrency = Number(atOnce)
const QUEUE = 'forward'
const boss = new PgBoss({ host, user: 'postgres', database: 'postgres' })
boss.on('error', (error) => process.stderr.write(`${error}\n`))
await boss.start()
await boss.createQueue(QUEUE)
const send = createSender(receiver, concurrency)
for (const bodies of batchesOf(Number(count)))
  await boss.insert(
    QUEUE,
    bodies.map((body) => ({ data: { body } })),
  )
tellReady()
await boss.work<{ body: string }>(
  QUEUE,
  { batchSize: 500, localConcurrency: 2, burstWhenBatchFull: true, perJobResults: true },
  (jobs) =>
    Promise.all(
      jobs.map(async ({ id, data }) => {
        await send(data.body)
        return { id, status: 'completed' }
      }),
    ),
)
