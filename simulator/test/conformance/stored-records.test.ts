import { once } from 'node:events'
import { appendFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { newStoredRecords, type StoreView, viewOfLog, viewOfPoll } from '../../src/conformance/stored-records.ts'

async function pollOf(
  listener: RequestListener,
  path = '/list',
  token: string | null = null,
  timeoutMs = 5000,
): Promise<StoreView> {
  const server = createServer(listener)
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)
  const view = await viewOfPoll({ url, token, authorities: null, timeoutMs })
  onTestFinished(() => view.close())
  return view
}

it('of a file only what was appended since counts, at once', async () => {
  const file = join(temporaryFolder(), 'log')
  writeFileSync(file, 'before\n')
  const stored = newStoredRecords(viewOfLog(file))
  appendFileSync(file, 'first\n')
  // Read before this call gives its promise: a line that follows must not count.
  const missing = stored.missing(['before', 'first', 'second'])
  appendFileSync(file, 'second\n')
  expect(await missing).toEqual(['before', 'second'])
})

it('a file that was written again is read whole', async () => {
  const file = join(temporaryFolder(), 'log')
  writeFileSync(file, 'a long line of before\n')
  const view = viewOfLog(file)
  writeFileSync(file, 'new\n')
  expect(await view.records()).toEqual(['new', ''])
})

it.each([
  ['lines', 'a\nb'],
  ['a JSON array', '["a",{"id":"b"}]'],
  ['a JSON object with an array', '{"count":2,"rows":["a","b"]}'],
])('an address may list what is stored as %s', async (_name, answer) => {
  const view = await pollOf((_request, response) => void response.end(answer))
  const stored = newStoredRecords(view)
  expect([(await view.records()).length, await stored.missing(['a', 'b', 'c'])]).toEqual([2, ['c']])
})

it('an answer without an end is refused at a limit', async () => {
  const piece = Buffer.alloc(1024 ** 2, 'x')
  const endless: RequestListener = (_request, response) => {
    const send = () => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('drain', send)
    send()
  }
  const polled = pollOf(endless, '/list', null, 50_000)
  await expect(polled).rejects.toThrow('its answer has more than 64 MiB')
})

it('pages are followed to the end, and what was there before the run does not count', async () => {
  const rows = ['old-1', 'old-2', 'old-3']
  const asked: string[] = []
  const view = await pollOf(
    (request, response) => {
      const { searchParams } = new URL(request.url ?? '', 'http://localhost')
      asked.push(request.headers.authorization ?? '')
      const after = Number(searchParams.get('after') ?? 0)
      const data = rows.slice(after, after + 2)
      response.end(JSON.stringify({ data, next: String(after + data.length), more: after + 2 < rows.length }))
    },
    '/v1/events',
    'secret',
  )
  rows.push('new-1', 'new-2', 'new-3')
  expect((await view.records()).map((one) => JSON.parse(one))).toEqual(['new-1', 'new-2', 'new-3'])
  expect(new Set(asked)).toEqual(new Set(['Bearer secret']))
})

it('a first page that is empty says where the next one begins', async () => {
  const rows = ['old']
  const view = await pollOf((request, response) => {
    const after = new URL(request.url ?? '', 'http://localhost').searchParams.get('after')
    const start = after === 'latest' ? rows.length : Number(after)
    response.end(JSON.stringify({ data: rows.slice(start), next: String(rows.length) }))
  }, '/v1/events?after=latest')
  rows.push('new')
  expect(await view.records()).toEqual(['"new"'])
})

it('an address that refuses is wrong usage; one that fails later is trouble', async () => {
  await expect(pollOf((_request, response) => void response.writeHead(401).end())).rejects.toThrow(
    /^--poll http:\S+ cannot be read: it answers HTTP 401$/,
  )
  let count = 0
  const view = await pollOf((_request, response) => void response.writeHead(count++ === 0 ? 200 : 500).end())
  const stored = newStoredRecords(view)
  expect([await stored.missing(['a']), stored.trouble]).toEqual([['a'], 'it answers HTTP 500'])
})
