import { request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { atLeast, atMost, type Benchmark, figure } from './benchmark.ts'
import { load, startProduct } from './processes.ts'
import { ABSENT, createBenchSite } from './site.ts'
import { peakMemory } from './start.ts'
import { alternate, LOAD, perSecond } from './variants.ts'

export const handshakes: Benchmark = {
  name: 'handshakes',
  what: 'new mutual-TLS connections/s, a full handshake and one notification each, 16 at a time',
  promises: [atLeast(0.9, 'against a bare Node https server', (r) => figure(r, 'product') / figure(r, 'bare'))],
  run: (rounds, tell) =>
    alternate(rounds, ['product', 'bare'], { connections: 16, reconnect: true }, (results) => tell(perSecond(results))),
}

export const memory: Benchmark = {
  name: 'memory',
  what: 'the most resident memory in MiB under load',
  promises: [
    atMost(180, 'with 64 connections', (r) => figure(r, 'with64'), 'MiB'),
    atMost(210, 'with 256 connections', (r) => figure(r, 'with256'), 'MiB'),
  ],
  async run(rounds, tell) {
    for (let round = 0; round < rounds; round++) tell({ with64: await peakMemory(64), with256: await peakMemory(256) })
  },
}

export const unrelated: Benchmark = {
  name: 'unrelated',
  what: 'p99 in ms of an unrelated GET /healthz, under 300 notifications/s and without load',
  promises: [atMost(2, 'under load against without', (r) => figure(r, 'underLoad') / figure(r, 'idle'))],
  async run(rounds, tell) {
    for (let round = 0; round < rounds; round++) {
      const site = await createBenchSite(ABSENT)
      const served = await startProduct(site.configFile, site.logFile)
      await healthP99(served.apiPort, 1000)
      const idle = await healthP99(served.apiPort, 4000)
      const loading = load({
        ...LOAD,
        measureMs: 6000,
        connections: 32,
        rate: 300,
        port: served.port,
        certs: site.certs,
      })
      await wait(2000)
      const underLoad = await healthP99(served.apiPort, 4000)
      await loading
      await served.stop()
      site.remove()
      tell({ idle, underLoad })
    }
  },
}

async function healthP99(port: number, durationMs: number): Promise<number> {
  const latencies: number[] = []
  const until = performance.now() + durationMs
  while (performance.now() < until) {
    const startedAt = performance.now()
    await new Promise<void>((resolve, reject) => {
      request({ host: '127.0.0.1', port, path: '/healthz', agent: false }, (response) =>
        response.resume().on('end', () => resolve()),
      )
        .on('error', reject)
        .end()
    })
    latencies.push(performance.now() - startedAt)
    await wait(5)
  }
  latencies.sort((a, b) => a - b)
  return Math.round((latencies[Math.floor(latencies.length * 0.99)] ?? 0) * 100) / 100
}
