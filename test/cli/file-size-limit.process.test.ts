import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSite, type TestSite } from '../support/gateway.ts'
import { type Ended, inShell } from './program.ts'

/** The shell's limit replaces a full disk. Without Node's compile cache, whose files it would cut, too. */
const limited = (site: TestSite, kib: number, line: string): Promise<Ended> =>
  inShell(site, `export NODE_DISABLE_COMPILE_CACHE=1; ulimit -f ${kib}; portaria ${line}`)

it.each([0, 1])(
  'what cannot be written whole, at %i KiB, leaves no part of a key, certificate or configuration',
  async (kib) => {
    const site = await createSite()
    const folder = join(site.folder, 'work')
    mkdirSync(folder)
    const request = `certs csr --name a.example --key-type rsa3072 --key ${folder}/key --out ${folder}/csr`
    const lines = [
      request,
      `certs export --format pem --out ${folder}/pair.pem`,
      `init ${folder}/etc --host-name a.example`,
    ]
    for (const line of lines) {
      const { code, stderr } = await limited(site, kib, line)
      expect(code, line).not.toBe(0)
      expect(stderr).toMatch(
        /^portaria: .* cannot be written \(EFBIG: file too large, write\): check its folder and the disk\n$/,
      )
    }
    expect(readdirSync(folder)).toEqual([])
  },
)

it('a first start for development leaves no part of a certificate', async () => {
  const site = await createSite()
  const folder = join(site.folder, 'work')
  mkdirSync(folder)
  writeFileSync(join(folder, 'portaria.yaml'), DEVELOPMENT)
  const { code, stderr } = await limited(site, 1, `serve --config ${folder}/portaria.yaml`)
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/certificates cannot be written to .*EFBIG: file too large/),
  ])
  expect(readdirSync(folder, { recursive: true }).filter((name) => /crt$|key$|pem$|making/.test(String(name)))).toEqual(
    [],
  )
})

const DEVELOPMENT = `
mode: development
callbacks:
  host: 127.0.0.1
  port: 0
  certificate: certs/server.crt
  privateKey: certs/server.key
  trust: [{ environment: sandbox, chain: certs/trust/sandbox.pem }]
  kinds: { registration: { path: /callbacks/registration } }
api: { host: 127.0.0.1, port: 0 }
storage: { url: "sqlite:data/portaria.db" }
`
