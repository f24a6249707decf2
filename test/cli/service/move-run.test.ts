import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RunningSimulator, runSimulator } from '../../../simulator/test/running.ts'
import { type Moved, openReport } from '../../../src/cli/service/move-report.ts'
import { type MoveOptions, moveAll } from '../../../src/cli/service/move-run.ts'
import type { ServiceClient } from '../../../src/service/client.ts'
import { clientOf } from '../../service/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const NEW = 'http://127.0.0.1:9/charges/new-token-0123456789'
const OLD = 'http://127.0.0.1:9/charges/old-token-0123456789'

let running: RunningSimulator
let client: ServiceClient
beforeAll(async () => {
  running = await runSimulator()
  client = clientOf(running)
})
beforeEach(() => running.control('DELETE', '/faults'))
afterAll(async () => {
  await client.close()
  await running.stop()
})

async function createCharge(url: string | null): Promise<string> {
  const body = { items: [{ name: 'Book', value: 15010 }], metadata: { notification_url: url, custom_id: 'order' } }
  const { json } = await running.ask('charges', { method: 'POST', path: '/v1/charge', body })
  return String(json.data.charge_id)
}

const createCharges = (...urls: (string | null)[]) => Promise.all(urls.map(createCharge))

async function metadataOf(id: string) {
  const { json } = await running.ask('charges', { path: `/v1/charge/${id}` })
  const { notification_url, custom_id } = json.data
  return { notification_url, custom_id }
}

interface RunOptions extends Partial<MoveOptions> {
  readonly file?: string
}

/** @returns the outcomes of this run */
async function move(ids: readonly string[], { file, ...changes }: RunOptions = {}): Promise<Moved[]> {
  const change = { resource: 'charge', realm: 'sandbox', url: NEW, customId: null } as const
  const moved: Moved[] = []
  await moveAll(ids, {
    client,
    change,
    oldUrl: null,
    isOnlyMoving: false,
    isDryRun: false,
    turn: async () => undefined,
    report: openReport(file ?? null, { ...change, ...changes.change }),
    onMoved: async (one) => void moved.push(one),
    ...changes,
  })
  return moved
}

const resultsOf = (moved: readonly Moved[]) => moved.map(({ id, result }) => [id, result])
const newReport = () => join(temporaryFolder(), 'report.jsonl')
const linesOf = (file: string) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('addresses of charges', () => {
  it('are set one after the other; custom_id stays, and a record that has the address is left alone', async () => {
    const [old, own, none] = (await createCharges(OLD, NEW, null)) as [string, string, string]

    const moved = await move([old, own, none, '999'])

    expect(resultsOf(moved)).toEqual([
      [old, 'changed'],
      [own, 'already'],
      [none, 'changed'],
      ['999', 'failed'],
    ])
    expect(moved.at(-1)?.reason).toMatch(/HTTP 404/)
    const set = { notification_url: NEW, custom_id: 'order' }
    expect(await Promise.all([old, own, none].map(metadataOf))).toEqual([set, set, set])
    expect(JSON.stringify(moved)).not.toMatch(/token-/)
  })

  it('stay where only moved ones are wanted: those without an address, and those with another one than --old-url', async () => {
    const ids = await createCharges(null, OLD, 'https://app.example/own')
    const moved = await move(ids, { isOnlyMoving: true, oldUrl: 'http://127.0.0.1:9/' })
    expect(moved.map(({ result }) => result)).toEqual(['skipped', 'changed', 'skipped'])
    expect(moved.map(({ reason }) => reason)).toEqual([
      'the record has no address',
      null,
      'the record has another address than --old-url',
    ])
  })

  it('are only read by a dry run, which leaves no report', async () => {
    const [id] = (await createCharges(OLD)) as [string]
    const file = newReport()
    expect(resultsOf(await move([id], { isDryRun: true, file }))).toEqual([[id, 'would_change']])
    expect((await metadataOf(id)).notification_url).toBe(OLD)
    expect(() => readFileSync(file)).toThrow(/ENOENT/)
  })

  it('stay where only the custom id is set', async () => {
    const [id] = (await createCharges(OLD)) as [string]
    const change = { resource: 'charge', realm: 'sandbox', url: null, customId: 'another' } as const
    expect(resultsOf(await move([id], { change }))).toEqual([[id, 'changed']])
    expect(await metadataOf(id)).toEqual({ notification_url: OLD, custom_id: 'another' })
  })
})

describe('a run that was interrupted', () => {
  it('goes on behind what its report has, also behind a line that was cut off', async () => {
    const ids = await createCharges(OLD, OLD, OLD)
    const file = newReport()
    const stop = new Error('killed')
    const kill = async (one: Moved) => {
      if (one.id === ids[1]) throw stop
    }
    await expect(move(ids, { file, onMoved: kill })).rejects.toBe(stop)
    const [first = '', second = ''] = readFileSync(file, 'utf8').split('\n')
    writeFileSync(file, `${first}\n${second.slice(0, 60)}`)

    const moved = await move(ids, { file })

    // The second one was changed before the kill, which the line that was cut off does not say any more.
    expect(resultsOf(moved)).toEqual([
      [ids[1], 'already'],
      [ids[2], 'changed'],
    ])
    expect(
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.endsWith('}')),
    ).toHaveLength(3)
    expect(await move(ids, { file })).toEqual([])
  })

  it('tries failed ids again, and all of them for another address', async () => {
    const [id] = (await createCharges(OLD)) as [string]
    const file = newReport()
    await running.control('POST', '/faults', {
      on: 'api',
      fault: 'server_error',
      interface: 'charges',
      path: `/charge/${id}`,
      count: 4,
    })
    expect(resultsOf(await move([id], { file }))).toEqual([[id, 'failed']])
    expect(resultsOf(await move([id], { file }))).toEqual([[id, 'changed']])
    const url = `${NEW}-2`
    const change = { resource: 'charge', realm: 'sandbox', url, customId: null } as const
    expect(resultsOf(await move([id], { file, change }))).toEqual([[id, 'changed']])
    expect(linesOf(file).map(({ result, before }) => [result, before])).toEqual([
      ['failed', null],
      ['changed', 'http://127.0.0.1:9/charges/old-…'],
      ['changed', 'http://127.0.0.1:9/charges/new-…'],
    ])
    expect(readFileSync(file, 'utf8')).not.toContain('token')
  })

  it('is refused with a file that is no report', () => {
    const file = newReport()
    appendFileSync(file, 'charge_id\n1\n')
    const change = { resource: 'charge', realm: 'sandbox', url: NEW, customId: null } as const
    expect(() => openReport(file, change)).toThrow(/holds something else/)
  })
})

describe('a service that does not answer as it should', () => {
  it('is waited for as long as its 429 says, also beyond the patience of one call', async () => {
    const [id] = (await createCharges(OLD)) as [string]
    await running.control('POST', '/faults', { on: 'api', fault: 'rate_limited', interface: 'charges', count: 1 })
    const impatient = clientOf(running, { timeoutMs: 500, callTimeoutMs: 500 })
    const moved = await move([id], { client: impatient })
    await impatient.close()
    expect(resultsOf(moved)).toEqual([[id, 'changed']])
  })

  it('ends the run where every id would fail: the rest is left for another run', async () => {
    const ids = await createCharges(OLD, OLD)
    const file = newReport()
    const refused = clientOf(running, { clientSecret: 'wrong' })
    const failed = await move(ids, { client: refused, file }).catch((error: unknown) => error)
    await refused.close()
    expect(failed).toMatchObject({ code: 'credentials_refused' })
    expect(() => readFileSync(file)).toThrow(/ENOENT/)
  })

  it('ends the run after five ids without an answer', async () => {
    const ids = await createCharges(OLD, OLD, OLD, OLD, OLD, OLD, OLD)
    const file = newReport()
    await running.control('POST', '/faults', {
      on: 'api',
      fault: 'server_error',
      interface: 'charges',
      method: 'GET',
      path: '/v1/charge',
      count: null,
    })
    expect(await move(ids, { file }).catch((error: unknown) => error)).toMatchObject({ code: 'unavailable' })
    expect(linesOf(file).map(({ result }) => result)).toEqual(['failed', 'failed', 'failed', 'failed', 'failed'])
  })
})
