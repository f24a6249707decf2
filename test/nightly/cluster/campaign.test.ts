import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { portaria } from '../../cli/program.ts'
import { startCallers } from '../../support/cluster/callers.ts'
import { createDestinations, startCluster } from '../../support/cluster/cluster.ts'
import { orDiagnose } from '../../support/cluster/diagnosis.ts'
import { allWell, FAULTS, type FaultName, type Scene } from '../../support/cluster/faults.ts'
import { faultsOfConsumer, faultsOfPoller, startReaders } from '../../support/cluster/readers.ts'
import { startClusterReceiver } from '../../support/cluster/receivers.ts'
import { judge, storedEvents, waitingDeliveries } from '../../support/cluster/verdict.ts'
import { seededRandom } from '../../support/crash-rounds.ts'
import { hasFaketime } from '../../support/faketime.ts'
import { hasHaproxy } from '../../support/haproxy.ts'
import { debiansPrograms } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'

const { PORTARIA_CLUSTER_SEED, PORTARIA_CLUSTER_ROUNDS = '1', PORTARIA_CLUSTER_FAULTS } = process.env
/** On a machine that does nothing else. Elsewhere the times are only printed. */
const JUDGES_TIMES = process.env.PORTARIA_CLUSTER_TIMES === 'judged'
const SEED = Number(PORTARIA_CLUSTER_SEED ?? Date.now() % 2 ** 32)
const ROUNDS = Number(PORTARIA_CLUSTER_ROUNDS)
const NAMES = (PORTARIA_CLUSTER_FAULTS?.split(',') ?? Object.keys(FAULTS)) as FaultName[]
/** They differ by a minute. None is behind: the test's certificates are new. */
const CLOCKS = [null, '+30s', '+60s']
const isPossible = hasHaproxy && hasFaketime && debiansPrograms() !== null

it.skipIf(!isPossible)(
  'three nodes lose nothing, double nothing and keep every order while nodes, network and PostgreSQL fail',
  async () => {
    const random = seededRandom(SEED)
    console.log(`seed ${SEED}`)
    const cluster = await startCluster(CLOCKS)
    const { postgres, nodes, balancer } = cluster
    const [{ site }] = nodes as [(typeof nodes)[number]]
    const receivers = await Promise.all([
      startClusterReceiver({ name: 'steady', order: 'none', delayMs: 0, refused: 0, random }),
      startClusterReceiver({ name: 'slow', order: 'none', delayMs: 120, refused: 0, random }),
      startClusterReceiver({ name: 'flaky', order: 'none', delayMs: 5, refused: 0.4, random }),
      startClusterReceiver({ name: 'ordered', order: 'subject', delayMs: 5, refused: 0.05, random }),
      startClusterReceiver({ name: 'ordered-too', order: 'subject', delayMs: 20, refused: 0, random }),
    ])
    await createDestinations(cluster, receivers)
    const callers = startCallers({
      ...{ port: balancer.callbacks, site, count: 4, subjects: 12 },
      ...{ random, pauseMs: 80 },
    })
    const readers = startReaders(nodes, 2, random)
    const scene: Scene = { cluster, callers, receivers, random, crashes: [] }

    await orDiagnose(cluster, 'start', allWell(scene))
    const exceeded: string[] = []
    for (let round = 1; round <= ROUNDS; round++)
      for (const name of shuffled(NAMES, random)) {
        const figures = await orDiagnose(cluster, name, FAULTS[name](scene))
        console.log(`round ${round}, ${name}: ${JSON.stringify(figures)}`)
        if (JUDGES_TIMES)
          exceeded.push(...figures.filter(({ ms, limitMs }) => ms > limitMs).map((figure) => JSON.stringify(figure)))
        await wait(500 * random())
      }

    await callers.stop()
    const delivering = until(
      () => waitingDeliveries(postgres),
      (waiting) => waiting === 0,
      60_000,
    )
    await orDiagnose(cluster, 'quiet', delivering)
    const stored = (await storedEvents(postgres)).map(({ position }) => position)
    const isRead = () => readers.pollers.every((seen) => seen.length >= stored.length) && hasAcknowledged(stored.at(-1))
    const hasAcknowledged = (last: number | undefined) =>
      readers.steps.some((step) => step.what === 'acknowledged' && step.last === last)
    const finishing = readers.finish(isRead)
    await orDiagnose(cluster, 'reading', until(isRead))
    await finishing
    expect(await Promise.all(nodes.map((node) => node.end('SIGTERM')))).toEqual(nodes.map(() => 0))

    const verified = await portaria(site, 'storage', 'verify', '--chain')
    const verdict = await judge(postgres, scene)
    const failures = callers.sent.reduce((sum, one) => sum + one.failures.length, 0)
    console.log(`stored ${stored.length}, failed calls ${failures}`)
    expect({
      ...verdict,
      exceeded,
      pollers: readers.pollers.flatMap((seen) => faultsOfPoller(seen, stored)),
      consumer: faultsOfConsumer(readers.steps, stored, scene.crashes),
      verified: verified.code === 0 ? [] : [verified.stdout, verified.stderr],
    }).toEqual({
      lost: [],
      storedTwice: [],
      missing: [],
      undelivered: [],
      outOfOrder: [],
      repeated: [],
      exceeded: [],
      pollers: [],
      consumer: [],
      verified: [],
    })
  },
  3_600_000,
)

function shuffled<T>(all: readonly T[], random: () => number): T[] {
  return all
    .map((one) => ({ one, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one)
}
