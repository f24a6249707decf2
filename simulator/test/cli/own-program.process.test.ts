import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

const PROGRAM = resolve(import.meta.dirname, '../../bin/portaria-simulator')
const run = (...args: string[]) => spawnSync(PROGRAM, args, { encoding: 'utf8' })

it('portaria-simulator runs without the command line of the gateway, and names itself in its texts', () => {
  expect(run('--help').stdout).toMatch(/^Usage: portaria-simulator /)
  const alone = run('ctl', 'operations', '--control', 'http://localhost:1')
  expect([alone.status, alone.stderr]).toEqual([1, expect.stringContaining('start one with "portaria-simulator"')])
  expect(run('--port', 'x').status).toBe(2)
  expect(run('contl')).toMatchObject({
    status: 2,
    stderr:
      "error: unknown command 'contl': give ctl, play, conformance, trigger, or none to start\n" +
      '(--help lists commands and options)\n',
  })
})
