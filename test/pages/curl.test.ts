import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { curlOf } from '../../src/pages/event/curl.ts'
import { startReceiver } from '../support/receiver.ts'

const hasCurl = spawnSync('curl', ['--version']).status === 0
const SHELLS = ['sh', 'bash', 'zsh'].filter((shell) => spawnSync(shell, ['-c', ':']).status === 0)

const EVERY_BYTE = Buffer.from(Array.from({ length: 512 }, (_, index) => (index % 2 === 0 ? index / 2 : 0x37)))
const BODIES: readonly (readonly [name: string, body: Buffer])[] = [
  ['every byte, each before a digit', EVERY_BYTE],
  ['quotes', Buffer.from(`{"a":"it's \\"'\\''\\" $HOME \`id\` $(id) \\\\ !! %s %% *"}`)],
  ['lines', Buffer.from('{\n  "a": "ç 💸"\n}\n\n')],
  ['an at sign', Buffer.from('@/etc/hosts')],
  ['a minus and a format', Buffer.from('-n %d\0')],
  ['nothing', Buffer.alloc(0)],
]
const HEADERS = [
  ['content-type', `application/json; note="it's $(id)"`],
  ['x-latin', 'a\xe9\xff 7'],
  ['x-empty', ''],
  ['x-spaces', 'a  \t b'],
] as const

describe.skipIf(!hasCurl).each(SHELLS)('the curl command in %s', (shell) => {
  it.each(BODIES)('sends target, headers and body byte for byte: %s', async (_name, body) => {
    const receiver = await startReceiver()
    const target = `/a/../b//[1-3]{x,y}?q='$(id)&r=%41"`
    const headers = [['host', `127.0.0.1:${receiver.port}`] as const, ['content-length', '99'] as const, ...HEADERS]
    await run(shell, curlOf({ isTls: false, target, headers, body }))
    const [got, ...more] = receiver.received
    expect(more).toEqual([])
    expect(got?.path).toBe(target)
    expect(got?.body.equals(body)).toBe(true)
    const { accept, 'user-agent': agent, ...kept } = got?.headers ?? {}
    expect([accept, agent]).toEqual([undefined, undefined])
    expect(kept).toMatchObject(Object.fromEntries(HEADERS))
    expect(kept['content-length']).toBe(String(body.length))
  })

  it('takes the body from a file, and sends a target that no URL can have', async () => {
    const receiver = await startReceiver()
    const folder = mkdtempSync(join(tmpdir(), 'portaria-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'clb_1.body'), EVERY_BYTE)
    const headers = [['host', `127.0.0.1:${receiver.port}`] as const]
    await run(shell, curlOf({ isTls: false, target: '/x#y', headers, body: Buffer.alloc(0) }, 'clb_1.body'), folder)
    expect(receiver.received).toHaveLength(1)
    expect(receiver.received[0]?.path).toBe('/x#y')
    expect(receiver.received[0]?.body.equals(EVERY_BYTE)).toBe(true)
    expect(receiver.received[0]?.headers['content-type']).toBeUndefined()
  })
})

it('a host that is none does not lead elsewhere', () => {
  const sent = { isTls: true, target: '/x', body: Buffer.alloc(0) }
  for (const host of ['a@evil.example', "a' -o /x '", '***', 'a/b'])
    expect(curlOf({ ...sent, headers: [['host', host]] })).toContain(" 'https://localhost/x'")
  expect(curlOf({ ...sent, headers: [['host', '[::1]:8443']] })).toContain(" 'https://[::1]:8443/x'")
})

/** A line of the output is nothing that the shell says. */
async function run(shell: string, command: string, cwd = tmpdir()): Promise<void> {
  const { stdout } = await promisify(execFile)(shell, ['-c', command], { cwd })
  expect(stdout).toBe('thanks')
}
