import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import pg from 'pg'
import { batchesOf, createSender, tellReady } from './jobs.ts'

/** `tuned`: with the settings of its page about performance. node graphile-worker.ts SOCKET-FOLDER RECEIVER-PORT JOBS CONCURRENCY [tuned] */
const [host, receiver, count, atOnce, tuned] = process.argv.slice(2) as [string, string, string, string, string?]
const concurrency = Number(atOnce)
const TUNED = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }
const pgPool = new pg.Pool({ host, user: 'postgres', database: 'postgres', max: concurrency + 2 })
pgPool.on('error', (error) => process.stderr.write(`${error}\n`))
const logger = new Logger(() => () => undefined)
const send = createSender(receiver, concurrency)

const utils = await makeWorkerUtils({ pgPool, logger })
await utils.migrate()
for (const bodies of batchesOf(Number(count)))
  await utils.addJobs(bodies.map((body) => ({ identifier: 'forward', payload: { body } })))
tellReady()
await run({
  pgPool,
  logger,
  preset: { worker: { concurrentJobs: concurrency, ...(tuned === undefined ? {} : TUNED) } },
  taskList: { forward: (payload) => send((payload as { body: string }).body) },
  parsedCronItems: [],
})
