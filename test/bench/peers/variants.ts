import { readFileSync } from 'node:fs'
import { get } from 'node:https'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { createApiClient, type Page } from '../api-client.ts'
import { CONCURRENCY, fillWithDeliveries, resume } from '../deliveries.ts'
import { type Manner, type Served, startProduct, startServer } from '../processes.ts'
import type { BenchSite } from '../site.ts'
import { startNginx } from './services/nginx.ts'
import { startPostgres } from './services/postgres.ts'
import { startRabbitmq } from './services/rabbitmq.ts'
import { startRedis } from './services/redis.ts'
import type { Service } from './services/service.ts'

/** A variant that runs. */
export interface Running {
  readonly port: number
  /** 0: it has no API. */
  readonly apiPort: number
  /** All its processes are these or come from them. */
  readonly pids: readonly number[]
}

export interface Variant {
  readonly name: string
  /** Packages of Debian. */
  readonly needs: readonly string[]
}

export interface Receiver extends Variant {
  /** Starts on what an earlier start left in the site. */
  start(site: BenchSite, manner: Manner): Promise<Running>
  /** The numbers of the callbacks that it has; null: it stores nothing. */
  readonly stored: ((site: BenchSite, running: Running) => Promise<readonly string[]>) | null
}

export interface Forwarder extends Variant {
  /** Stores so many jobs, then starts to send them to the receiver. */
  start(site: BenchSite, receiver: Served, jobs: number): Promise<Running>
}

type StartService = (site: string, manner: Manner) => Promise<Service>

export const RECEIVERS: readonly Receiver[] = [
  { name: 'Portaria', needs: [], start: startPortaria, stored: storedByPortaria },
  { name: 'Express + better-sqlite3', needs: [], start: startExpress, stored: storedByExpress },
  receiverWith('Express + pg', 'postgresql', startPostgres, 'express-pg.ts'),
  { name: 'nginx → Express + better-sqlite3', needs: ['nginx-light'], start: startProxy, stored: storedByExpress },
  receiverWith('Express + BullMQ', 'redis-server', startRedis, 'bullmq.ts'),
  receiverWith('Express + RabbitMQ', 'rabbitmq-server', startRabbitmq, 'rabbitmq.ts'),
  { name: 'bare `node:https`', needs: [], start: startBare, stored: null },
  { name: 'nginx `return 200`', needs: ['nginx-light'], start: startAnswer, stored: null },
]

export const FORWARDERS: readonly Forwarder[] = [
  { name: 'Portaria', needs: [], start: forwardWithPortaria },
  forwarderWith('graphile-worker', 'postgresql', startPostgres, 'graphile-worker.ts'),
  forwarderWith('graphile-worker (tuned)', 'postgresql', startPostgres, 'graphile-worker.ts', 'tuned'),
  forwarderWith('pg-boss (batches)', 'postgresql', startPostgres, 'pg-boss.ts'),
  forwarderWith('BullMQ', 'redis-server', startRedis, 'bullmq.ts'),
]

async function startPortaria(site: BenchSite, manner: Manner): Promise<Running> {
  return runningOf(await startProduct(site.configFile, site.logFile, manner))
}

async function startExpress(site: BenchSite, manner: Manner): Promise<Running> {
  return runningOf(await startPeer('servers/express-sqlite.ts', [site.folder, site.certs], manner))
}

async function startBare(site: BenchSite, manner: Manner): Promise<Running> {
  return runningOf(await startServer('bare.ts', [site.certs], manner))
}

async function startProxy(site: BenchSite, manner: Manner): Promise<Running> {
  const express = await startPeer('servers/express-sqlite.ts', [site.folder], manner)
  const upstream = `upstream app { server 127.0.0.1:${express.port}; keepalive 64; keepalive_requests 1000000000; }`
  const location = 'proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection "";'
  const nginx = await startNginx(site, manner, location, upstream)
  return { ...runningOf(express, nginx.pids), port: nginx.port }
}

async function startAnswer(site: BenchSite, manner: Manner): Promise<Running> {
  const nginx = await startNginx(site, manner, 'return 200 "200";')
  return { ...nginx, apiPort: 0 }
}

/** Express that keeps each callback in a service. */
function receiverWith(name: string, needed: string, startService: StartService, script: string): Receiver {
  return {
    name,
    needs: [needed],
    async start(site, manner) {
      const { address, pids } = await startService(site.folder, manner)
      return runningOf(await startPeer(`servers/${script}`, [address, site.certs], manner), pids)
    },
    stored: storedByExpress,
  }
}

function forwarderWith(
  name: string,
  needed: string,
  startService: StartService,
  script: string,
  ...more: readonly string[]
): Forwarder {
  return {
    name,
    needs: [needed],
    async start(site, receiver, jobs) {
      const { address, pids } = await startService(site.folder, {})
      const numbers = [receiver.port, jobs, CONCURRENCY].map(String)
      return runningOf(await startPeer(`forwarders/${script}`, [address, ...numbers, ...more], {}), pids)
    },
  }
}

async function forwardWithPortaria(site: BenchSite, receiver: Served, jobs: number): Promise<Running> {
  await fillWithDeliveries(site, receiver, jobs)
  const served = await startProduct(site.configFile, site.logFile)
  await resume(served)
  return runningOf(served)
}

function startPeer(script: string, args: readonly string[], manner: Manner): Promise<Served> {
  return startServer(`../peers/${script}`, args, manner)
}

function runningOf({ port, apiPort, pid }: Served, services: readonly number[] = []): Running {
  return { port, apiPort, pids: [pid, ...services] }
}

const PAGE = 1000

async function storedByPortaria(_site: BenchSite, { apiPort }: Running): Promise<readonly string[]> {
  const client = createApiClient(apiPort)
  const numbers: string[] = []
  let query = ''
  for (;;) {
    const page = await client.get<Pick<Page, 'next' | 'more'> & { data: readonly { subject: string }[] }>(
      `/v1/events?limit=${PAGE}${query}`,
    )
    numbers.push(...page.data.map(({ subject }) => subject))
    if (!page.more) break
    query = `&after=${page.next}`
  }
  client.close()
  return numbers
}

function storedByExpress({ certs }: BenchSite, { port }: Running): Promise<readonly string[]> {
  const [cert, key, ca] = ['service/production-client.crt', 'service/production-client.key', 'server-ca.crt'].map(
    (name) => readFileSync(join(certs, name)),
  )
  return new Promise((done, fail) => {
    get(
      { host: '127.0.0.1', servername: 'localhost', port, path: '/stored', cert, key, ca, agent: false },
      (response) => {
        json(response).then((numbers) => done(numbers as string[]), fail)
      },
    ).once('error', fail)
  })
}
