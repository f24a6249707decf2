import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'

const LOG = new URL('../../src/cli/log.ts', import.meta.url).href

/** Runs `code` with a `log` of its own; its standard error is read only once it has said something on standard output. */
function runWithLog(code: string) {
  const program = `import { createProcessLog } from ${JSON.stringify(LOG)}; const log = createProcessLog('info'); ${code}`
  return spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'pipe'] })
}

function eventsIn(output: string): Record<string, unknown>[] {
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

it('a reader who does not read costs lines, which are counted, and never a wait', async () => {
  const child = runWithLog(`
    for (let i = 0; i < 60_000; i++) {
      log.info({ i, filler: 'x'.repeat(80) }, 'something.happened')
      if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    process.stdout.write(String(log.dropped()))
    await new Promise((resolve) => process.stdin.once('data', resolve))
    log.info({}, 'read.again')
    await new Promise((resolve) => process.stdin.once('data', resolve))
    log.flush()
    process.exit(0)`)
  await once(child.stdout, 'data')
  let output = ''
  const isReadAgain = new Promise<void>((resolve) =>
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('read.again')) resolve()
    }),
  )
  // Not before some room was made: what is written to a full buffer is dropped, also this line.
  await once(child.stderr, 'data')
  child.stdin.write('go on\n')
  await isReadAgain
  child.stdin.write('end\n')
  await once(child, 'close')
  const events = eventsIn(output)
  const { dropped } = events.at(-1) as { dropped: number }
  expect(events.at(-1)).toMatchObject({ event: 'log.dropped', level: 'warn' })
  const kept = events.flatMap(({ i }) => (typeof i === 'number' ? [i] : []))
  expect(dropped).toBeGreaterThan(1000)
  expect(kept.length + dropped).toBe(60_000)
  expect(kept).toEqual(kept.toSorted((a, b) => a - b))
})

it('writes what it has after a moment, without being told to', async () => {
  const child = runWithLog(`
    log.info({ path: 'ä€😀' }, 'first')
    log.debug({}, 'not.at.this.level')
    setInterval(() => undefined, 1000)`)
  const [first] = (await once(child.stderr, 'data')) as [Buffer]
  expect(eventsIn(first.toString())).toEqual([
    { level: 'info', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/), path: 'ä€😀', event: 'first' },
  ])
  child.kill()
  await once(child, 'exit')
})
