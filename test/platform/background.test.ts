import { expect, it } from 'vitest'
import { guarded } from '../../src/platform/background.ts'
import { PortariaError } from '../../src/platform/errors.ts'
import { type LogLine, recordingLog } from '../support/gateway.ts'

function guarding() {
  const lines: LogLine[] = []
  const run = guarded(recordingLog(lines), 'looking', (work: () => unknown) => work())
  const events = () => lines.map(({ event, error }) => [event, error].filter(Boolean).join(': '))
  return { run, lines, events }
}

const failing = (message: string) => () => {
  throw new Error(message)
}

it('what throws, or is rejected, ends in one error line for each reason, and another line when it works again', async () => {
  const { run, lines, events } = guarding()
  run(failing('EMFILE'))
  run(failing('EMFILE'))
  run(async () => failing('EMFILE')())
  run(async () => failing('EACCES')())
  await new Promise(setImmediate)
  run(() => undefined)
  run(() => undefined)
  run(failing('EMFILE'))

  expect(events()).toEqual([
    'background.failed: EMFILE',
    'background.failed: EACCES',
    'background.recovered',
    'background.failed: EMFILE',
  ])
  expect(lines[0]).toMatchObject({
    level: 'error',
    task: 'looking',
    hint: expect.any(String),
    stack: expect.any(String),
  })
})

it('a promise that is fulfilled counts as success only then', async () => {
  const { run, events } = guarding()
  run(failing('EMFILE'))
  const work = Promise.withResolvers<void>()
  run(() => work.promise)
  expect(events()).toEqual(['background.failed: EMFILE'])
  work.resolve()
  await new Promise(setImmediate)
  expect(events()).toEqual(['background.failed: EMFILE', 'background.recovered'])
})

it('reasons that are always different are logged ten times at most, and details of an error are named', () => {
  const { run, lines } = guarding()
  run(() => {
    throw new PortariaError('certificate_invalid', 'two problems', { details: ['one', 'other'] })
  })
  for (let count = 0; count < 20; count++) run(failing(`reason ${count}`))
  expect(lines).toHaveLength(10)
  expect(lines[0]).toMatchObject({ error: 'two problems; one; other' })
})
