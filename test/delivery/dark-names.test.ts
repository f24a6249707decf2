import { createHook } from 'node:async_hooks'
import { expect, onTestFinished, test } from 'vitest'
import { createNameResolver } from '../../src/delivery/name-resolver.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { until } from '../support/until.ts'
import { startDispatching } from './dispatching.ts'
import { startHttp } from './receiver.ts'

const DARK = Array.from({ length: 20 }, (_, i) => `dark-${i}.test`)

test('20 destinations with silent name servers keep the deliveries of another one waiting for nothing', async () => {
  const names = Object.fromEntries(DARK.map((name) => [name, { silent: 'all' as const }]))
  const { address, questions } = await startDnsServer({ ...names, 'good.test': { addresses: ['127.0.0.1'] } })
  const receiver = await startHttp()
  const { addDestination, receive, deliveries } = await startDispatching({
    resolve: createNameResolver({ servers: [address], resolvConf: '/dev/null' }),
  })
  for (const name of DARK) await addDestination(`http://${name}:${receiver.port}/`, { name, timeoutMs: 60_000 })
  const kinds = new Set<string>()
  const hook = createHook({ init: (_id, type) => void kinds.add(type) }).enable()
  onTestFinished(() => void hook.disable())

  await receive(['1'])
  await until(() => DARK.every((name) => questions.includes(`A ${name}`)))
  await addDestination(`http://good.test:${receiver.port}/`, { name: 'good', timeoutMs: 60_000 })
  await receive(['2', '3', '4'])
  await until(() => receiver.received.length === 3)

  const failed = (await deliveries()).filter(({ lastError }) => lastError !== null)
  expect([failed, kinds.has('GETADDRINFOREQWRAP')]).toEqual([[], false])
})
