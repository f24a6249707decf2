import { backlog } from './backlog.ts'
import type { Benchmark } from './benchmark.ts'
import { bigStores } from './big-store.ts'
import { budget } from './budget.ts'
import { cluster, clusterSearch, clusterTakeover, clusterWakeups } from './cluster.ts'
import { consumer } from './consumer.ts'
import { cpu, cpuDelivered } from './cpu.ts'
import { deliveries, deliveriesOneCore } from './deliveries.ts'
import { evidence } from './evidence.ts'
import { firstPaint } from './first-paint.ts'
import { hop } from './hop.ts'
import { pages } from './pages.ts'
import { pollers } from './pollers.ts'
import { polls } from './polls.ts'
import { handshakes, memory, unrelated } from './receiving.ts'
import { reconcileBeside, reconcileSubjects } from './reconcile.ts'
import { retention } from './retention.ts'
import { search } from './search.ts'
import { simulatorCallbacks, simulatorRequests, simulatorYear } from './simulator.ts'
import { slowDisk } from './slow-disk.ts'
import { start } from './start.ts'
import {
  durable,
  durable256,
  durableOneCore,
  durableSoon,
  firstCallbacks,
  latency,
  latencyOneCore,
} from './throughput.ts'
import { subjects } from './subjects.ts'
import { resolvedTokens, tokenCallbacks } from './tokens.ts'
import { verifyChain } from './verify-chain.ts'
import { wakeups } from './wakeups.ts'
import { written } from './written.ts'

export interface Sizes {
  /** Events in the stores of `growth`, `deliveries` and `reads`. */
  readonly stored: number
  /** Events that are searched. */
  readonly searched: number
  readonly tokens: number
}

/** The benchmarks by table of `docs/performance.md`. */
export function benchmarkGroups({ stored, searched, tokens }: Sizes): Readonly<Record<string, readonly Benchmark[]>> {
  return {
    callbacks: [
      ...[durable, durable256, durableOneCore, durableSoon, latency, latencyOneCore, firstCallbacks, slowDisk],
      ...[handshakes, unrelated],
    ],
    cost: [cpu, cpuDelivered, budget, written, evidence, hop, memory, start],
    deliveries: [deliveries, deliveriesOneCore, backlog(stored)],
    growth: [...bigStores(stored), verifyChain(stored)],
    reads: [
      wakeups,
      pollers,
      polls(stored),
      pages(stored),
      subjects(stored),
      firstPaint,
      consumer(stored),
      retention(stored),
      search(searched),
    ],
    cluster: [cluster, clusterWakeups, clusterTakeover, clusterSearch(stored)],
    service: [tokenCallbacks, resolvedTokens(tokens), reconcileSubjects, reconcileBeside],
    simulator: [simulatorRequests, simulatorCallbacks, simulatorYear],
  }
}
