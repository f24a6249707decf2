import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { VERSION } from '../../../src/platform/version.ts'
import { createAuthority } from '../../support/authority.ts'
import { builtPackages } from '../../support/built-packages.ts'
import { callBack } from '../../support/calls.ts'
import { followGateway, type SpawnedGateway } from '../../support/gateway.ts'
import { hasOpenssl, openssl } from '../../support/openssl.ts'
import { reservePort } from '../../support/ports.ts'
import { startReceiver } from '../../support/receiver.ts'

const NOBODY = 65_534
const HOST = 'callbacks.example.com'
const NAME = `portaria-${VERSION}-linux-${process.arch}`
const isRoot = process.getuid?.() === 0
const work = mkdtempSync(join(tmpdir(), 'portaria-typed-'))
const folder = join(work, NAME)
const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, HOME: work, LC_ALL: 'C.UTF-8' }
const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {}

/** A line as an ordinary user types it in the unpacked folder. The receiver of the test answers meanwhile. */
async function type(line: string): Promise<{ readonly status: number | null; readonly said: string }> {
  const shell = spawn('sh', ['-c', `exec 2>&1; ${line}`], {
    ...user,
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let said = ''
  shell.stdout.on('data', (chunk) => (said += String(chunk)))
  const [status] = await once(shell, 'close')
  return { status, said }
}

async function succeed(line: string): Promise<void> {
  const { status, said } = await type(line)
  expect(status, `${line}\n${said}`).toBe(0)
}

function giveToUser(): void {
  if (isRoot) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, work])
}

/** The line of the first page with this command, which is one of two. */
function firstPage(command: string): string {
  const page = readFileSync(join(folder, 'README.md'), 'utf8')
  const lines = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.trim().split('\n'))
  expect(lines).toHaveLength(2)
  return lines.find((line) => line.startsWith(`./portaria ${command} `)) ?? `the page has no ${command}`
}

beforeAll(async () => {
  const archive = join(await builtPackages(), `${NAME}.tar.gz`)
  chmodSync(work, 0o755)
  execFileSync('tar', ['-xzf', archive, '-C', work])
  giveToUser()
}, 600_000)

afterAll(() => rmSync(work, { recursive: true }))

/** The Debian package and its page: deb.test.ts. A laptop: test/packaging/laptop-page.process.test.ts. */
describe.skipIf(!hasOpenssl)('the pages of the unpacked tarball, typed by an ordinary user', () => {
  it('the first page runs the demo', async () => {
    await succeed(firstPage('demo'))
  })

  it('the first page writes a configuration', async () => {
    const [callbacks, api] = [await reservePort(), await reservePort()]
    // The documented ports may be taken on the machine of the test.
    await succeed(
      firstPage('init').replace(/ init \S+/, (text) => `${text} --callbacks-port ${callbacks} --api-port ${api}`),
    )
  })

  it('its next steps lead to a gateway that stores a callback and delivers it', async () => {
    const app = await startReceiver()
    const authority = createAuthority(join(work, 'authority'))
    const ca = authority.issue({ name: 'ca', ca: true })
    const certs = join(work, 'certs')
    cpSync(inject('testCa'), certs, { recursive: true })
    copyFileSync(ca.certFile, join(certs, 'server-ca.crt'))
    copyFileSync(ca.certFile, join(folder, 'INTERMEDIATES.pem'))
    for (const environment of ['production', 'sandbox'])
      copyFileSync(join(certs, `trust/${environment}.pem`), join(folder, `${environment.toUpperCase()}-CHAIN.pem`))
    const site = join(folder, 'my-portaria')
    const file = join(site, 'portaria.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/allowedNetworks: .*/, 'allowedNetworks: [loopback]'))
    giveToUser()

    function sign(): void {
      const extensions = join(work, 'extensions')
      writeFileSync(extensions, `subjectAltName=DNS:${HOST},DNS:localhost\nextendedKeyUsage=serverAuth\n`)
      const signer = ['-CA', ca.certFile, '-CAkey', ca.keyFile, '-CAcreateserial', '-extfile', extensions]
      const request = join(site, 'certs/server.csr')
      openssl(['x509', '-req', '-in', request, ...signer, '-days', '30', '-out', join(folder, 'ISSUED.pem')])
      giveToUser()
    }

    let gateway: SpawnedGateway | undefined
    const typed: string[] = []
    for (const [, line = ''] of readFileSync(join(site, 'NEXT-STEPS.md'), 'utf8').matchAll(/^ {4}(\S.*)$/gm)) {
      const [command = ''] = /^(\S+ )?[a-z-]+( (?!-|\/)\S+)?/.exec(line.replace('bin/', '')) ?? []
      typed.push(command)
      if (line.startsWith('export ')) env.PORTARIA_CONFIG = line.split('=')[1]
      // The internet and root have these.
      else if (line.startsWith('certbot ')) expect(statSync(hookOf(line)).mode & 0o111).toBe(0o111)
      else if (/^chown |check --url| service /.test(line)) continue
      // Certificates of a private authority are problems of it, so only that it came to its end is judged.
      else if (line.endsWith(' check')) expect((await type(line)).said).toMatch(/^listeners$/m)
      else if (line.endsWith(' serve')) {
        const child = spawn('sh', ['-c', `exec ${line}`], {
          ...user,
          cwd: folder,
          env,
          stdio: ['ignore', 'ignore', 'pipe'],
        })
        gateway = await followGateway(child)
      } else await succeed(line.replace('https://app.example/callbacks', app.url))
      if (line.includes(' certs csr ')) sign()
    }

    expect(typed.join('\n')).toMatch(/certs csr[\s\S]*certs import[\s\S]*certs trust[\s\S]*serve[\s\S]*destinations/)
    const called = { callbacks: (gateway as SpawnedGateway).callbacks, site: { folder: site, configFile: file, certs } }
    expect((await callBack(called, { body: '{"identificador":"78"}' })).status).toBe(200)
    await expect.poll(() => app.received.map(({ body }) => String(body))).toContain('{"identificador":"78"}')
  })
})

function hookOf(line: string): string {
  return /(\/\S+acme-deploy-hook\.sh)/.exec(line)?.[1] ?? ''
}
