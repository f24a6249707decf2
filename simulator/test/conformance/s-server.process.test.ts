import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { hasOpenssl } from '../support/openssl.ts'
import { reservePort } from '../support/ports.ts'
import { runConformance } from '../../src/conformance/run.ts'
import { type Bed, idsWith, makeBed, optionsFor } from './hand-made.ts'

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\nconnection: close\r\n\r\n200'

let bed: Bed
beforeAll(async () => {
  bed = await makeBed()
})
afterAll(() => bed.remove())

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** OpenSSL's own server, one connection after the other, with an answer for each whole request. */
async function startServer(...options: string[]): Promise<URL> {
  const port = await reservePort()
  const chain = join(bed.folder, 'chain.pem')
  writeFileSync(chain, bed.laboratory.environments.production.chain)
  const files = ['server.crt', 'server.key'].map((file) => join(inject('testCa'), file)) as [string, string]
  const args = ['s_server', '-quiet', '-accept', `127.0.0.1:${port}`, '-cert', files[0], '-cert_chain', files[0]]
  const child = spawn('openssl', [...args, '-key', files[1], '-CAfile', chain, ...options])
  children.push(child)
  child.stdin.on('error', () => undefined)
  let heard = ''
  child.stdout.on('data', (bytes: Buffer) => {
    heard = (heard + bytes.toString('latin1')).replace(/^[\s\S]*(?=POST )/, '')
    const [head = '', ...rest] = heard.split('\r\n\r\n')
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
    if (rest.length === 0 || rest.join('\r\n\r\n').length < length) return
    heard = ''
    child.stdin.write(ANSWER)
  })
  for (let tries = 0; !(await isListening(port)); tries++) {
    if (tries > 200) throw new Error('openssl s_server does not listen')
    await pause(50)
  }
  return new URL(`https://localhost:${port}/callback`)
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

describe.skipIf(!hasOpenssl)('openssl s_server that', () => {
  it('verifies the chain fails for the sibling alone', async () => {
    const url = await startServer('-Verify', '3', '-verify_return_error')
    const report = await runConformance(optionsFor(bed, url))
    expect(idsWith('fail', report)).toEqual(['sibling'])
  })

  it('asks for a certificate and verifies nothing fails for every wrong caller', async () => {
    const url = await startServer('-verify', '3')
    const report = await runConformance(optionsFor(bed, url))
    expect(idsWith('fail', report)).toEqual([
      ...['certless', 'certless-without-name', 'certless-by-address', 'tls-1-2', 'tls-1-3'],
      ...['sibling', 'foreign', 'foreign-same-name', 'expired', 'server-only', 'session-without-certificate'],
    ])
  })

  it('speaks old versions fails for them', async () => {
    const url = await startServer('-Verify', '3', '-verify_return_error', '-cipher', 'DEFAULT@SECLEVEL=0')
    const report = await runConformance(optionsFor(bed, url))
    expect(idsWith('fail', report)).toEqual(['tls-older', 'sibling'])
  })
})
