import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
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

it('a report that cannot be locked is refused in words about the report; a device needs no lock', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const link = join(folder, 'link.jsonl')
  symlinkSync(join(folder, 'missing.jsonl'), link)
  expect(() => lockReport(link)).toThrow(`--report ${link} is a link to a missing file: name the file itself`)
  writeFileSync(join(folder, 'file'), '')
  mkdirSync(join(folder, 'moved.jsonl.lock'))
  for (const [name, reason] of [
    ['file/moved.jsonl', 'it, or a part of its path, is no folder'],
    ['moved.jsonl', 'unable to open'],
  ]) {
    const file = join(folder, `${name}`)
    expect(() => lockReport(file)).toThrow(`--report ${file} cannot be locked (${reason}`)
  }
  lockReport('/dev/null')()
  expect(existsSync('/dev/null.lock')).toBe(false)
})
