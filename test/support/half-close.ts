import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { TestSite } from './gateway.ts'

const PROGRAM = join(import.meta.dirname, 'half-close.py')

export type HalfClose = 'tcp' | 'close-notify' | 'fin'

/** What an independent program is answered that sends this request and then no more. */
export function callAndHalfClose(args: readonly string[], request: string): Promise<string> {
  const child = spawn('python3', [PROGRAM, ...args], { timeout: 15_000 })
  const [answer, errors]: [Buffer[], Buffer[]] = [[], []]
  child.stdout.on('data', (chunk: Buffer) => answer.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
  child.stdin.end(Buffer.from(request, 'latin1'))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(answer).toString('latin1'))
      else reject(new Error(`half-close.py ended with ${code}: ${Buffer.concat(errors)}`))
    })
  })
}

/** Arguments for a TLS caller. */
export function tlsArguments(
  { certs }: TestSite,
  { port, how, version, asService = true }: { port: number; how: HalfClose; version: string; asService?: boolean },
): string[] {
  const pair = ['crt', 'key'].map((ending) => join(certs, `service/production-client.${ending}`))
  return [how, String(port), version, join(certs, 'server-ca.crt'), ...(asService ? pair : [])]
}
