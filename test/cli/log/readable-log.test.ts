import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { readableLine } from '../../../src/cli/log/readable-log.ts'

const LOG = new URL('../../../src/cli/log/log.ts', import.meta.url).href
const hasScript = spawnSync('script', ['--version']).status === 0
const AT = new Date(2026, 10, 22, 9, 5, 7, 31).toISOString()

const read = (fields: object, hasColors = false) =>
  readableLine(JSON.stringify({ level: 'warn', time: AT, ...fields }), hasColors)

describe('a log line for a person', () => {
  it('has local time, level, event, the fields, and the hint last', () => {
    const fields = { hint: 'try again', node: '24.21.0', api: { port: 1 }, reason: 'a b', ids: ['x'], none: null }
    expect(read({ ...fields, event: 'node.outdated' })).toBe(
      '09:05:07.031 warn  node.outdated node=24.21.0 api={"port":1} reason="a b" ids=["x"] none=null → try again\n',
    )
  })

  it('shows a stack trace on lines of its own', () => {
    expect(read({ level: 'error', error: 'bad', stack: 'Error: bad\n  at x', event: 'gateway.crashed' })).toBe(
      '09:05:07.031 error gateway.crashed error=bad\n    Error: bad\n      at x\n',
    )
  })

  it('has no control characters from outside, and quotes what could be taken for another field', () => {
    const foreign = 'a\u001b[31m\u202eb\nc'
    const line = read({ subject: foreign, other: 'x=y', error: `\u009b${foreign}`, hint: foreign, event: 'e' })
    const escaped = 'a\\u001b[31m\\u202eb'
    expect(line).toBe(
      `09:05:07.031 warn  e subject="${escaped}\\nc" other="x=y" error="\\u009b${escaped}\\nc" → ${escaped}\\u000ac\n`,
    )
  })

  it('is colored only where that is asked for', () => {
    expect(read({ a: 1, event: 'e' }, true)).toBe(
      '\x1b[2m09:05:07.031\x1b[0m \x1b[33mwarn \x1b[0m \x1b[1me\x1b[0m \x1b[2ma=\x1b[0m1\n',
    )
  })
})

describe.skipIf(!hasScript)('the log in a terminal (with script)', () => {
  /** What a terminal shows of one line. */
  function shown(env: Record<string, string>, format = ''): string {
    const code = `import { createProcessLog } from ${JSON.stringify(LOG)}; createProcessLog('info'${format}).warn({ a: 1 }, 'b.c')`
    const command = `"${process.execPath}" --input-type=module -e "$CODE"`
    const { PATH = '' } = process.env
    return spawnSync('script', ['-qec', command, '/dev/null'], {
      env: { PATH, TERM: 'xterm-256color', CODE: code, ...env },
      encoding: 'utf8',
    }).stdout.trim()
  }

  it('is text with colors, without them where NO_COLOR is set, and JSON where that is asked for', () => {
    expect(shown({})).toMatch(
      /^\x1b\[2m[\d:.]{12}\x1b\[0m \x1b\[33mwarn \x1b\[0m \x1b\[1mb\.c\x1b\[0m \x1b\[2ma=\x1b\[0m1$/,
    )
    expect(shown({ NO_COLOR: '1' })).toMatch(/^[\d:.]{12} warn {2}b\.c a=1$/)
    expect(JSON.parse(shown({}, ", 'json'"))).toMatchObject({ level: 'warn', a: 1, event: 'b.c' })
  })
})
