import { execFileSync } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { FILE_LIMIT, readArgumentFile, readRegularFile } from '../../src/platform/regular-file.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const MODULE = new URL('../../src/platform/regular-file.ts', import.meta.url).href

it('a regular file is read, also through links to it, and where the system says no size', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'server-1.crt'), 'content')
  symlinkSync('server-1.crt', join(folder, 'current'))
  symlinkSync('current', join(folder, 'server.crt'))
  expect(readRegularFile(join(folder, 'server.crt')).toString()).toBe('content')
  expect(readRegularFile('/proc/version').toString()).toBe(readFileSync('/proc/version', 'utf8'))
})

it.each(['readRegularFile', 'readArgumentFile'] as const)(
  '%s refuses at once what is no regular file',
  async (name) => {
    const read = name === 'readRegularFile' ? readRegularFile : readArgumentFile
    const folder = temporaryFolder()
    const [pipe, link, socket] = ['pipe', 'link', 'socket'].map((file) => join(folder, file)) as [
      string,
      string,
      string,
    ]
    execFileSync('mkfifo', [pipe])
    symlinkSync(pipe, link)
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(socket, resolve))
    onTestFinished(() => void server.close())

    expect(() => read(pipe)).toThrow(/is a named pipe and not a regular file: write its content to a file/)
    expect(() => read(link)).toThrow(/is a named pipe/)
    expect(() => read(socket)).toThrow(/is a socket/)
    expect(() => read('/dev/zero')).toThrow(/is a device/)
    expect(() => read(folder)).toThrow(/is a directory/)
    expect(() => read(join(folder, 'missing'))).toThrow(/ENOENT/)
  },
)

it('a file of exactly the limit is read, and one more byte is refused', () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, Buffer.alloc(FILE_LIMIT))
  expect(readRegularFile(file)).toHaveLength(FILE_LIMIT)
  writeFileSync(file, Buffer.alloc(FILE_LIMIT + 1))
  expect(() => readRegularFile(file)).toThrow(/is longer than 1024 KiB/)
})

it('of what is named on a command line, standard input and <(command) are read to their end', () => {
  const program = (file: string) =>
    `"${process.execPath}" --input-type=module -e 'import { readArgumentFile as read } from "${MODULE}"; process.stdout.write(read(process.argv[1]))' ${file}`
  const run = (script: string) => execFileSync('/bin/bash', ['-c', script], { stdio: ['ignore', 'pipe', 'pipe'] })
  expect(run(`printf secret | ${program('/dev/stdin')}`).toString()).toBe('secret')
  expect(run(program('<(printf secret)')).toString()).toBe('secret')
  expect(() => run(`head -c 2000000 /dev/zero | ${program('/dev/stdin')}`)).toThrow(/is longer than/)
})
