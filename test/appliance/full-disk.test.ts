import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Answer, allEvents, callApi, callBack, keepAliveAgent } from '../support/calls.ts'
import { damageOf } from '../support/crash-rounds.ts'
import { createSite, type SpawnedGateway, spawnGateway } from '../support/gateway.ts'
import { startReceiver, type TestReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const canMount = process.platform === 'linux' && process.getuid?.() === 0 && mountsAndUnmounts()

describe.skipIf(!canMount)('a data folder on a disk of 8 MB (needs root and mount)', { timeout: 60_000 }, () => {
  it('while somebody else fills the disk, callbacks get 503 and Retry-After; with space again all goes on without a restart', async () => {
    const appliance = await startOnSmallDisk()
    const { api } = appliance.gateway
    const before = await appliance.send(20)
    const filler = fillDisk(appliance.data)

    const refused = [...(await appliance.send(20)), ...(await appliance.send(20)), ...(await appliance.send(20))]
    const [alive, notReady] = await Promise.all(['/healthz', '/readyz'].map((path) => callApi(api, path)))
    rmSync(filler)
    const after = await appliance.send(20)
    const ready = await callApi(api, '/readyz')

    expect([alive?.status, notReady?.status, ready.status]).toEqual([200, 503, 200])
    expect(JSON.parse(notReady?.body ?? '')).toEqual({
      status: 'not ready',
      reasons: [expect.stringMatching(/^the last callback could not be stored: .*disk is full/)],
    })
    expect(statusesOf(before)).toEqual([200])
    expect(statusesOf(refused)).toEqual([503])
    expect(new Set(refused.map(({ answer }) => answer.headers['retry-after']))).toEqual(new Set(['5']))
    expect(statusesOf(after)).toEqual([200])
    await expectKept(appliance, [...before, ...after])
  })

  it('when its own callbacks fill the disk, it acknowledges none that it does not keep, and goes on when the disk grows', async () => {
    const appliance = await startOnSmallDisk()
    const calls: Call[] = []
    await until(
      async () => calls.push(...(await appliance.send(40, 20_000))),
      () => calls.some(({ answer }) => answer.status !== 200),
      30_000,
    )
    calls.push(...(await appliance.send(40, 20_000)))
    mount('remount,size=64m', appliance.data)
    const after = await appliance.send(20)

    expect(statusesOf(calls)).toEqual([200, 503])
    expect(statusesOf(after)).toEqual([200])
    await expectKept(appliance, [...calls.filter(({ answer }) => answer.status === 200), ...after])
  })
})

interface Call {
  readonly subject: string
  readonly answer: Answer
}

interface Appliance {
  readonly gateway: SpawnedGateway
  readonly receiver: TestReceiver
  readonly data: string
  /** That many callbacks over keep-alive connections, each with padding. */
  send(count: number, padding?: number): Promise<Call[]>
}

async function startOnSmallDisk(): Promise<Appliance> {
  const site = await createSite()
  const data = join(site.folder, 'data')
  mkdirSync(data)
  mount('size=8m,mode=0700', data)
  onTestFinished(() => unmount(data))
  const receiver = await startReceiver()
  const gateway = await spawnGateway(site)
  await callApi(gateway.api, '/v1/destinations', { method: 'POST', body: { url: receiver.url, name: 'books' } })
  const agent = keepAliveAgent(site)
  onTestFinished(() => agent.destroy())
  let last = 0
  async function sendOne(padding: number): Promise<Call> {
    const subject = `subject-${++last}`
    const body = JSON.stringify({ identificador: subject, padding: 'x'.repeat(padding) })
    return { subject, answer: await callBack({ callbacks: gateway.callbacks, site }, { body, agent }) }
  }
  return {
    gateway,
    receiver,
    data,
    send: (count, padding = 0) => Promise.all(Array.from({ length: count }, () => sendOne(padding))),
  }
}

/** Exactly these are in the store, each is delivered, the process never ended and the database is sound. */
async function expectKept({ gateway, receiver, data }: Appliance, kept: readonly Call[]): Promise<void> {
  const events = await allEvents(gateway.api)
  expect(events.map(({ subject }) => subject).sort()).toEqual(kept.map(({ subject }) => subject).sort())
  const ids = events.map(({ id }) => id).sort()
  await until(
    () => deliveredTo(receiver).length,
    (count) => count >= ids.length,
    20_000,
  )
  expect(deliveredTo(receiver)).toEqual(ids)
  expect(gateway.process.exitCode).toBe(null)
  gateway.process.kill('SIGTERM')
  expect(await gateway.exited).toBe(0)
  expect(damageOf(join(data, 'portaria.db'))).toEqual([])
}

/** Without repetitions. */
function deliveredTo(receiver: TestReceiver): string[] {
  return [...new Set(receiver.received.map(({ headers }) => String(headers['webhook-id'])))].sort()
}

function statusesOf(calls: readonly Call[]): number[] {
  return [...new Set(calls.map(({ answer }) => answer.status))].sort()
}

/** To the last byte. */
function fillDisk(folder: string): string {
  const file = join(folder, 'filler')
  const descriptor = openSync(file, 'w')
  try {
    for (;;) writeSync(descriptor, Buffer.alloc(4096))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(descriptor)
  }
  return file
}

function mount(options: string, folder: string): void {
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`mount: ${stderr}`)
}

/** Lazily: a gateway that is still being killed may hold it. */
function unmount(folder: string): void {
  spawnSync('umount', ['--lazy', folder])
}

function mountsAndUnmounts(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-mount-'))
  try {
    mount('size=1m', folder)
    unmount(folder)
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true })
  }
}
