import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const LOG = new URL('../../../src/cli/log/log.ts', import.meta.url).href

/** Runs `code` with a `log` of its own; its standard error is read only once it has said something on standard output. */
function runWithLog(code: string): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, argumentsFor(code), { stdio: 'pipe' })
}

function runWithLogTo(standardError: number, code: string) {
  return spawn(process.execPath, argumentsFor(code), { stdio: ['ignore', 'pipe', standardError] })
}

function argumentsFor(code: string): string[] {
  const program = `import { createProcessLog } from ${JSON.stringify(LOG)}; const log = createProcessLog('info'); ${code}`
  return ['--input-type=module', '-e', program]
}

function eventsIn(output: string): Record<string, unknown>[] {
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

it('where standard error is the journal each line begins with its severity, elsewhere none does', async () => {
  const file = join(temporaryFolder(), 'journal')
  const code = `
    log.error({}, 'a.b'); log.warn({}, 'c.d'); log.info({ level: 'none' }, 'e.f'); log.debug({}, 'g.h')
    const { fail } = await import(${JSON.stringify(new URL('../../../src/cli/output.ts', import.meta.url).href)})
    log.flush(() => { fail(new Error('first\\nsecond')); process.exit(0) })`
  async function linesWith(journal: (dev: number, ino: number) => string | undefined): Promise<string[]> {
    const fd = openSync(file, 'w')
    const { dev, ino } = fstatSync(fd)
    const env = { ...process.env, JOURNAL_STREAM: journal(dev, ino) }
    await once(spawn(process.execPath, argumentsFor(code), { stdio: ['ignore', 'ignore', fd], env }), 'close')
    closeSync(fd)
    return readFileSync(file, 'utf8').trimEnd().split('\n')
  }
  const inJournal = await linesWith((dev, ino) => `${dev}:${ino}`)
  expect(inJournal.filter((line) => !/^<[3467]>/.test(line))).toEqual([])
  expect(inJournal.map((line) => line.slice(0, 11)).filter((line) => line.includes('{'))).toEqual([
    '<3>{"level"',
    '<4>{"level"',
    '<6>{"level"',
  ])
  expect(
    inJournal.filter((line) => line.startsWith('<3>portaria: internal error') || line === '<3>second'),
  ).toHaveLength(2)
  for (const other of [undefined, '1:1'])
    expect((await linesWith(() => other)).filter((line) => line.startsWith('<'))).toEqual([])
})

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
    log.flush(() => process.exit(0))`)
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

it.each(['a flush', 'an exit without one', 'an end by itself'])('what was said last is written at %s', async (end) => {
  const how = { 'a flush': 'log.flush(() => process.exit(0))', 'an exit without one': 'process.exit(0)' }[end] ?? ''
  const toPipe = runWithLog(`log.error({}, 'last.words'); ${how}`)
  const file = join(temporaryFolder(), 'log')
  const toFile = runWithLogTo(openSync(file, 'a'), `log.error({}, 'last.words'); ${how}`)
  const output = await text(toPipe.stderr)
  if (toFile.exitCode === null) await once(toFile, 'exit')
  expect([output, readFileSync(file, 'utf8')].map((written) => eventsIn(written).map(({ event }) => event))).toEqual([
    ['last.words'],
    ['last.words'],
  ])
})

const ENOUGH = `for (let i = 0; i < 100_000; i++) log.info({ i, filler: 'x'.repeat(80) }, 'something.happened');`
const TELL_AND_END = `
  log.flush(() => process.stdout.write(String(log.dropped()), () => process.exit(7)))`

it('a reader who never reads keeps nothing from ending', async () => {
  const child = runWithLog(ENOUGH + TELL_AND_END)
  const output = await text(child.stdout)
  if (child.exitCode === null) await once(child, 'exit')
  expect(child.exitCode).toBe(7)
  expect(Number(output)).toBeGreaterThan(1000)
})

it('a full disk costs lines, which are counted, and keeps nothing from ending', async () => {
  const child = runWithLogTo(openSync('/dev/full', 'w'), ENOUGH + TELL_AND_END)
  const output = child.stdout === null ? '' : await text(child.stdout)
  if (child.exitCode === null) await once(child, 'exit')
  expect(child.exitCode).toBe(7)
  // And the line that says so.
  expect(Number(output)).toBe(100_001)
})
