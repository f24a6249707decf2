import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { lockReport } from '../../../src/cli/service/move-report.ts'

it('one run at a time writes a report: the second is refused in words, and may begin when the first has ended', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'moved.jsonl')
  const unlock = lockReport(file)
  expect(() => lockReport(file)).toThrow(`another run writes the report ${file}: wait until it has ended`)
  lockReport(join(folder, 'other.jsonl'))()
  unlock()
  lockReport(file)()
})
