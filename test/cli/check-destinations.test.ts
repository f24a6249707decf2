import { createServer } from 'node:https'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { expect, it, onTestFinished } from 'vitest'
import { checkDestinations } from '../../src/cli/check/destinations.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { TAKES_NOTHING_S } from '../../src/domain/overview/destination-judgement.ts'
import { openStore } from '../../src/store/open-store.ts'
import { aCallback, aDestination } from '../support/builders.ts'
import { createSite } from '../support/gateway.ts'
import { reservePort } from '../support/ports.ts'

const LATER_MS = (TAKES_NOTHING_S + 60) * 1000

/** `books` is in the database of a site; what `check` says about it now, and 16 minutes later. */
async function withBooks(url: string) {
  const site = await createSite({ forwarding: { allowedNetworks: ['127.0.0.0/8'] } })
  const config = loadConfig(site.configFile)
  const queue = { events: 100, bytes: 1 << 24 }
  const store = await openStore({
    file: join(site.folder, 'data/portaria.db'),
    deduplicationWindowMs: 86_400_000,
    queue,
  })
  onTestFinished(() => store.close())
  await store.createDestination(aDestination({ name: 'books', url }), Date.now())
  const found = async (aheadMs: number) => {
    const { findings } = await checkDestinations({ config, now: new Date(Date.now() + aheadMs) } as never)
    return findings.filter(({ code }) => code === 'destination.unreachable')
  }
  const levels = async () => [await found(0), await found(LATER_MS)].flat().map(({ level }) => level)
  return { store, found, levels }
}

it('a destination that cannot be reached is a problem once it took nothing for 15 minutes while something waits', async () => {
  const { store, levels } = await withBooks(`http://127.0.0.1:${await reservePort()}/`)
  expect(await levels()).toEqual(['warning', 'warning'])
  await store.storeCallback(aCallback({ receivedAt: Date.now() }))
  expect(await levels()).toEqual(['warning', 'problem'])
  await store.setCircuit(1, Date.now() - LATER_MS)
  expect(await levels()).toEqual(['problem', 'problem'])
  await store.setCircuit(1, Date.now() + LATER_MS)
  expect(await levels()).toEqual(['warning', 'warning'])
  await store.setCircuit(1, null)
  await store.pauseDestination(1, 'maintenance')
  expect(await levels()).toEqual(['warning', 'warning'])
})

it('a certificate of a private authority is named with the command that makes it known, as in deliveries', async () => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' })
  const server = createServer({ cert, key }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  const { found } = await withBooks(`https://127.0.0.1:${port}/`)
  expect((await found(0)).map((one) => one.found)).toEqual([
    expect.stringMatching(/TLS handshake failed: .*private authority .* destinations update dst_1 --ca FILE/),
  ])
})
