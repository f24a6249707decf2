import { createServer } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { loadConfig } from '../../../src/config/load-config.ts'
import { startGateway } from '../../../src/gateway/gateway.ts'
import { createSite, type LogLine, recordingLog } from '../../support/gateway.ts'

const FAILURE = new Error('a replay does not end')

vi.mock('../../../src/jobs/replay-runner.ts', () => ({
  createReplayRunner: () => ({ start: () => undefined, stop: () => Promise.reject(FAILURE) }),
}))

it('a part that fails to close does not keep the store open: the database is free for another gateway', async () => {
  const config = loadConfig((await createSite()).configFile)
  const lines: LogLine[] = []
  const start = () => startGateway(config, { log: recordingLog(lines), onLost: () => undefined })
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
  const start = () => startGateway(config, { log: recordingLog(lines), onLost: () => undefined })

  await expect(start()).rejects.toMatchObject({ code: 'listen_failed' })

  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'error', event: 'gateway.not_closed', error: `not closed: ${FAILURE.message}` }),
  )
  // The database is not locked: the second start fails for the same reason as the first.
  await expect(start()).rejects.toMatchObject({ code: 'listen_failed' })
})
