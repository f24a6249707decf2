import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openFolder } from '../../src/folder/folder.ts'
import { contentsOf, firstStart, now } from './support.ts'

const first = firstStart(['a.example.com'])
const openWith = (path: string, ...hostNames: string[]) => openFolder(path, { now, hostNames })

const OWN = ['DNS:localhost', 'IP Address:127.0.0.1', 'IP Address:0:0:0:0:0:0:0:1']

it('other host names issue the server certificate again, and change no other file', async () => {
  const path = first.copy()
  const before = contentsOf(path)
  const folder = await openWith(path, 'b.example.com', '10.0.0.7', 'C.example.com')
  const changed = Object.entries(contentsOf(path)).filter(([file, content]) => before[file] !== content)
  expect(changed.map(([file]) => file)).toEqual(['server.crt'])
  expect(folder.server.cert).toBe(readFileSync(join(path, 'server.crt'), 'utf8'))
  const certificate = new X509Certificate(folder.server.cert)
  const names = ['DNS:b.example.com', 'IP Address:10.0.0.7', 'DNS:c.example.com']
  expect(certificate.subjectAltName?.split(', ')).toEqual([...OWN, ...names])
})

it('fewer host names issue it again too', async () => {
  const path = first.copy()
  const { server } = await openWith(path)
  expect(new X509Certificate(server.cert).subjectAltName?.split(', ')).toEqual(OWN)
})

it('the same host names in another order, letter case or number change nothing', async () => {
  const path = first.copy()
  await openWith(path, 'a.example.com', 'b.example.com')
  const before = contentsOf(path)
  await openWith(path, 'B.example.com', 'a.example.com', 'b.EXAMPLE.com', 'localhost', '::1')
  expect(contentsOf(path)).toEqual(before)
})

it('a damaged folder stays as it is, whatever host names are asked for', async () => {
  const path = first.copy()
  const before = contentsOf(path)
  const later = () => new Date(Date.now() + 900 * 86_400_000)
  await expect(openFolder(path, { now: later, hostNames: ['b.example.com'] })).rejects.toThrow(/server\.crt expired on/)
  expect(contentsOf(path)).toEqual(before)
})
