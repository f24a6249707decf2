import { expect, it } from 'vitest'
import { BALANCER_ADDRESS, startBalancer, usedNodes } from '../../support/cluster/balancer.ts'
import { longestWait, startCallers } from '../../support/cluster/callers.ts'
import { seededRandom } from '../../support/crash-rounds.ts'
import { BASE_CALLBACKS, createSite, spawnGateway } from '../../support/gateway.ts'
import { hasHaproxy } from '../../support/haproxy.ts'
import { reservePorts } from '../../support/ports.ts'
import { until } from '../../support/until.ts'

/** Until the 200, with what is tried before. */
const LIMIT_MS = 10_000

/** Each with a database of its own: this is about the balancer. */
async function prepareNode() {
  const [callbacks = 0, api = 0] = await reservePorts(2)
  const proxyProtocol = [BALANCER_ADDRESS]
  const tls = { certificate: 'certs/server.crt', privateKey: 'certs/server.key' }
  const site = await createSite({
    callbacks: { ...BASE_CALLBACKS, port: callbacks, proxyProtocol },
    api: { host: '127.0.0.1', port: api, operatorTokenFile: 'operator-token', proxyProtocol, ...tls },
  })
  return { site, ports: { callbacks, api }, start: () => spawnGateway(site) }
}

it.skipIf(!hasHaproxy)(
  'behind the haproxy of the example, callers get their 200 soon, although a node is killed, frozen or stopped',
  async () => {
    const [one, other] = await Promise.all([prepareNode(), prepareNode()])
    const { site } = one
    const balancer = await startBalancer([one.ports, other.ports], site.certs)
    const first = await one.start()
    const second = await other.start()
    const areUsed = (...expected: boolean[]) =>
      until(
        () => usedNodes(balancer),
        (used) => JSON.stringify(used) === JSON.stringify(expected),
      )
    await areUsed(true, true)
    const callers = startCallers({
      port: balancer.callbacks,
      site,
      count: 6,
      subjects: 5,
      random: seededRandom(1),
      pauseMs: 5,
    })
    /** Every callback that has begun is acknowledged, and many more. @returns the longest wait for a 200 */
    async function waits(from: number): Promise<number> {
      const { length } = callers.sent
      const begun = [...callers.sent]
      await until(() => begun.every(({ endedAt }) => endedAt !== null) && callers.sent.length > length + 100)
      return longestWait(callers.sent, from).ms
    }
    const measured: Record<string, number> = {}
    await waits(0)

    let from = performance.now()
    first.process.kill('SIGKILL')
    await areUsed(false, true)
    measured.killed = await waits(from)
    await one.start()
    await areUsed(true, true)
    await waits(performance.now())

    from = performance.now()
    second.process.kill('SIGSTOP')
    await areUsed(true, false)
    measured.frozen = await waits(from)
    second.process.kill('SIGCONT')
    await areUsed(true, true)
    await waits(performance.now())

    from = performance.now()
    second.process.kill('SIGTERM')
    await second.exited
    measured.stopped = await waits(from)
    await callers.stop()
    console.log(`longest wait for a 200, ms: ${JSON.stringify(measured)}`)
    expect(Object.entries(measured).filter(([, ms]) => ms > LIMIT_MS)).toEqual([])
  },
)
