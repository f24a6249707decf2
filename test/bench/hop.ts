import { type Benchmark, figure, reported } from './benchmark.ts'
import { measureHop } from './processes.ts'

/** What the hop to the writer thread and back costs when nothing else is in flight. */
export const hop: Benchmark = {
  name: 'hop',
  what: 'µs of a synced commit of one row of 1 KB, one at a time, and of its CPU: in the calling thread, and through a writer thread',
  promises: [
    reported('time through a thread against none', (r) => figure(r, 'threadTime') / figure(r, 'sameTime')),
    reported('CPU through a thread against none', (r) => figure(r, 'threadCpu') / figure(r, 'sameCpu')),
  ],
  async run(rounds, tell) {
    for (let round = 0; round < rounds; round++) tell(await measureHop())
  },
}
