import { createServer } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { loadConfig } from '../../../src/config/load-config.ts'
import type { GatewayOptions } from '../../../src/gateway/gateway.ts'
import { createSite, type LogLine, recordingLog } from '../../support/gateway.ts'

const FAILURE = new Error('a replay does not end')

const PART = '../../../src/jobs/replay-runner.ts'

/** Starts a gateway with a part that fails to close. Its modules are loaded for one test: the files of a worker share all others. */
async function loadFailing(options: Pick<GatewayOptions, 'log'>) {
  vi.resetModules()
  vi.doMock(PART, () => ({
    createReplayRunner: () => ({ start: () => undefined, stop: () => Promise.reject(FAILURE) }),
  }))
  onTestFinished(() => {
    vi.doUnmock(PART)
    vi.resetModules()
  })
  const { startGateway } = await import('../../../src/gateway/gateway.ts')
  return (config: Parameters<typeof startGateway>[0]) => startGateway(config, { ...options, onLost: () => undefined })
}

it('a part that fails to close does not keep the store open: the database is free for another gateway', async () => {
  const config = loadConfig((await createSite()).configFile)
  const lines: LogLine[] = []
  const startFailing = await loadFailing({ log: recordingLog(lines) })
  const start = () => startFailing(config)
  const first = await start()

  await expect(first.stop()).rejects.toMatchObject({ message: `not closed: ${FAILURE.message}`, cause: FAILURE })

  const second = await start()
  await expect(second.stop()).rejects.toThrow(FAILURE.message)
})

it('a start that fails closes what it had opened, logs what does not close, and says why it failed', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void taken.close())
  const { port } = taken.address() as { port: number }
  const site = await createSite({ api: { host: '127.0.0.1', port, operatorTokenFile: 'operator-token' } })
  const config = loadConfig(site.configFile)
  const lines: LogLine[] = []
  const startFailing = await loadFailing({ log: recordingLog(lines) })
  const start = () => startFailing(config)

  await expect(start()).rejects.toMatchObject({ code: 'listen_failed' })

  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'error', event: 'gateway.not_closed', error: `not closed: ${FAILURE.message}` }),
  )
  // The database is not locked: the second start fails for the same reason as the first.
  await expect(start()).rejects.toMatchObject({ code: 'listen_failed' })
})
