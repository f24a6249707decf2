import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'

// A commit of one row, one at a time, in this thread and in a worker, in turn: node hop.ts

const COMMITS = 500
const TURNS = 7

function openTable(file: string): (body: Uint8Array) => void {
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec('create table if not exists callbacks (id integer primary key, body blob)')
  const insert = db.prepare('insert into callbacks (body) values (?)')
  return (body) => void insert.run(body)
}

if (isMainThread) await compare()
else serve()

function serve(): void {
  const insert = openTable(workerData as string)
  parentPort?.on('message', (body: Uint8Array) => {
    insert(body)
    parentPort?.postMessage(true)
  })
}

async function compare(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-bench-hop-'))
  const insert = openTable(join(folder, 'same.db'))
  const worker = new Worker(import.meta.filename, { workerData: join(folder, 'thread.db'), name: 'writer' })
  const results: Record<'same' | 'thread', { time: number; cpu: number }[]> = { same: [], thread: [] }
  async function turn(name: keyof typeof results, commit: (body: Buffer) => unknown): Promise<void> {
    const [from, before] = [performance.now(), process.cpuUsage()]
    for (let i = 0; i < COMMITS; i++) await commit(Buffer.alloc(1024, 'x'))
    const { user, system } = process.cpuUsage(before)
    results[name].push({ time: ((performance.now() - from) * 1000) / COMMITS, cpu: (user + system) / COMMITS })
  }
  for (let i = 0; i < TURNS; i++) {
    await turn('same', insert)
    await turn('thread', (body) => {
      worker.postMessage(body)
      return once(worker, 'message')
    })
  }
  const middle = (name: keyof typeof results, what: 'time' | 'cpu') =>
    Math.round(results[name].map((one) => one[what]).sort((a, b) => a - b)[Math.floor(TURNS / 2)] ?? 0)
  const figures = {
    sameTime: middle('same', 'time'),
    sameCpu: middle('same', 'cpu'),
    threadTime: middle('thread', 'time'),
    threadCpu: middle('thread', 'cpu'),
  }
  process.stdout.write(`${JSON.stringify(figures)}\n`)
  await worker.terminate()
  rmSync(folder, { recursive: true, force: true })
}
