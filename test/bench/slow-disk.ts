import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atLeast, type Benchmark, figure } from './benchmark.ts'
import { alternate, perSecond } from './variants.ts'

const SLOWER_MS = 2

/** A disk that takes longer for a sync, by a library loaded before the C library. strace is as precise, but needs the right to trace. */
export const slowDisk: Benchmark = {
  name: 'slow-disk',
  what: `durable, acknowledged notifications/s, 64 connections, every fsync and fdatasync ${SLOWER_MS} ms slower`,
  promises: [atLeast(25, 'against the naive way', (r) => figure(r, 'product') / figure(r, 'naive'))],
  needs: ['gcc'],
  async run(rounds, tell) {
    const folder = mkdtempSync(join(tmpdir(), 'portaria-bench-slow-disk-'))
    try {
      const library = join(folder, 'slow-sync.so')
      const source = join(import.meta.dirname, 'servers/slow-sync.c')
      execFileSync('gcc', ['-O2', '-shared', '-fPIC', '-o', library, source, '-ldl'])
      const environment = { LD_PRELOAD: library, SLOW_SYNC_US: String(SLOWER_MS * 1000) }
      await alternate(rounds, ['product', 'naive'], { connections: 64, manner: { environment } }, (results) =>
        tell(perSecond(results)),
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}
