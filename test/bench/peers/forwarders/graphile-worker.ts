import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { batchesOf, createSender, tellReady } from './jobs.ts'

/** `tuned`: with the settings of its page about performance. node graphile-worker.ts SOCKET-FOLDER RECEIVER-PORT JOBS CONCURRENCY [tuned] */
const [host, receiver, count, atOnce, tuned] = process.argv.slice(2) as [string, string, string, string, string?]
const concurrency = Number(atOnce)
const TUNED = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }
const connectionString = `postgres:///postgres?host=${host}&user=postgres`
const logger = new Logger(() => () => undefined)
const send = createSender(receiver, concurrency)

const utils = await makeWorkerUtils({ connectionString, logger })
await utils.migrate()
for (const bodies of batchesOf(Number(count)))
  await utils.addJobs(bodies.map((body) => ({ identifier: 'forward', payload: { body } })))
tellReady()
await run({
  connectionString,
  maxPoolSize: concurrency + 2,
  logger,
  preset: { worker: { concurrentJobs: concurrency, ...(tuned === undefined ? {} : TUNED) } },
  taskList: { forward: (payload) => send((payload as { body: string }).body) },
  parsedCronItems: [],
})
