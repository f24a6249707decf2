import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { siteOf } from '../../src/cli/init/answers.ts'
import { nextSteps } from '../../src/cli/init/next-steps.ts'
import { filesOf } from '../../src/cli/init/site-files.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { COMMAND } from '../../src/platform/installation.ts'
import { SAFE_NODE } from '../../src/platform/version.ts'
import { createAuthority } from '../support/authority.ts'
import { MAIN, type TestSite } from '../support/gateway.ts'
import { hasOpenssl, openssl } from '../support/openssl.ts'
import { reservePorts } from '../support/ports.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { findingsAt, trouble } from './checking.ts'
import { inShell, portaria } from './program.ts'

const hasScript = spawnSync('script', ['--version']).status === 0
const HOST = 'callbacks.example.com'

let folder: string
let dir: string

beforeEach(() => {
  folder = temporaryFolder()
  dir = join(folder, 'etc')
})

const modeOf = (path: string) => (statSync(join(dir, path)).mode & 0o777).toString(8)

describe('init', () => {
  it('writes a configuration, folders and tokens with the right modes, and what you still have to supply', async () => {
    const { code, stdout, stderr } = await portaria(null, 'init', dir, '--host-name', HOST)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toBe(readFileSync(join(dir, 'NEXT-STEPS.md'), 'utf8'))
    expect(stdout).toContain(
      `portaria certs csr --name ${HOST} --key ${dir}/certs/server.key --out ${dir}/certs/server.csr`,
    )
    expect(stdout).toContain('portaria certs trust activate service-sandbox --environment sandbox')
    expect(stdout).toContain(`portaria check --url https://${HOST}:8443/callbacks/registration`)
    const modes = ['.', 'certs', 'certs/trust', 'secrets', 'data', 'portaria.yaml', 'secrets/operator-token'].map(
      modeOf,
    )
    expect(modes).toEqual(['750', '750', '750', '750', '700', '640', '600'])
    expect(readFileSync(join(dir, 'secrets/operator-token'), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
    const config = loadConfig(join(dir, 'portaria.yaml'))
    expect(config).toMatchObject({
      mode: 'production',
      callbacks: { host: '0.0.0.0', port: 8443, certificate: join(dir, 'certs/server.crt') },
      chargeNotifications: null,
      api: { host: '127.0.0.1', port: 8080, operatorTokenFile: join(dir, 'secrets/operator-token') },
      storage: { database: { file: join(dir, 'data/portaria.db') } },
    })
    expect(config.forwarding.allowedNetworks).toEqual([])
    expect(config.callbacks.trust.map(({ environment }) => environment)).toEqual(['production', 'sandbox'])
    expect(readdirSync(join(dir, 'certs'))).toEqual(['trust'])
    const written = readFileSync(join(dir, 'portaria.yaml'), 'utf8')
    expect(written).toContain(`\n# After every change: ${COMMAND} reload --config ${dir}/portaria.yaml\n`)
    expect(written).toContain(`: ${COMMAND} destinations create URL\n`)
  })

  it('in a container the API is reachable under TLS, and the steps are those of a container', () => {
    const site = siteOf('/etc/portaria', { hostName: HOST }, true)
    const { content = '' } = filesOf(site).find(({ path }) => path === '/etc/portaria/portaria.yaml') ?? {}
    expect(parse(`${content}`)).toMatchObject({
      callbacks: { host: '0.0.0.0', port: 8443 },
      api: { host: '0.0.0.0', port: 8080, certificate: 'certs/server.crt', privateKey: 'certs/server.key' },
      storage: { url: 'sqlite:/data/portaria.db' },
    })
    const steps = nextSteps(site)
    expect(steps).toContain('Each command runs in a container of the same image with the same volumes')
    expect(steps).toContain('portaria certs csr')
    expect(steps).not.toMatch(/certbot|chown/)
  })

  it('names the folder to give where there is no default', async () => {
    const { code, stderr } = await portaria(null, 'init', '--host-name', HOST)
    expect([code, stderr]).toEqual([2, expect.stringContaining('name the folder to write, such as /etc/portaria')])
  })

  it('puts certbot first, with a hook that is there, and leads to a destination', () => {
    const steps = nextSteps(siteOf(join(dir, 'my site'), { hostName: HOST }))
    const [, hook = ''] = /^ {4}certbot certonly --standalone -d \S+ --deploy-hook (.*)$/m.exec(steps) ?? []
    // certbot runs the hook in a shell.
    const [command = ''] = spawnSync('/bin/sh', ['-c', `printf '%s\\n' ${hook}`], { encoding: 'utf8' }).stdout.split(
      '\n',
    )
    const words = spawnSync('/bin/sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' }).stdout.split('\n')
    expect(words.slice(0, 2)).toEqual(['env', `PORTARIA_CONFIG=${join(dir, 'my site/portaria.yaml')}`])
    expect(statSync(words[2] as string).mode & 0o111).toBe(0o111)
    const order = [
      'certbot certonly',
      'certs csr',
      'certs trust stage',
      'portaria serve',
      'destinations create',
      'Register at',
    ]
    const places = order.map((text) => steps.indexOf(text))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places).not.toContain(-1)
    expect(steps).toContain('portaria destinations create https://app.example/callbacks --name app')
    expect(steps).toContain('write `allowedNetworks: [loopback]` under `forwarding`')
  })

  it('says which Node to install where this one lacks fixes, and only there', () => {
    const site = siteOf(dir, { hostName: HOST })
    const advice =
      /runs on Node\.js 24\.20\.0 here.*`portaria check` fails.*install Node\.js 24\.22\.1 or newer.*\/usr\/local\/bin/s
    expect(nextSteps(site, '24.20.0')).toMatch(advice)
    expect(nextSteps(site, '24.21.0')).not.toContain('Node.js')
    expect(nextSteps(site, SAFE_NODE)).not.toContain('Node.js')
  })

  it('takes everything from flags', async () => {
    const flags = [
      ...['--host-name', HOST, '--callbacks-host', '::', '--callbacks-port', '9443', '--public-port', '443'],
      ...[
        '--api-port',
        '9080',
        '--environments',
        'homologacao',
        '--kinds',
        'registration,openBanking=/hooks/open banking',
      ],
      ...['--charge-port', '9444', '--data', join(folder, 'var lib'), '--local-receiver'],
    ]
    const refused = await portaria(null, 'init', dir, ...flags)
    expect([refused.code, refused.stdout]).toEqual([2, ''])
    expect(refused.stderr).toContain('these values make no valid configuration, and nothing was written')
    expect([existsSync(dir), existsSync(join(folder, 'var lib'))]).toEqual([false, false])

    const { code, stdout } = await portaria(
      null,
      'init',
      dir,
      ...flags.map((flag) => flag.replace('open banking', 'open')),
    )
    expect(code).toBe(0)
    expect(stdout).toContain(`- openBanking: https://${HOST}/hooks/open\n`)
    expect(stdout).toContain('Let the service reach port 443 of callbacks.example.com, redirected to port 9443')
    expect(stdout).toContain(`chown -R portaria: ${dir} '${join(folder, 'var lib')}'`)
    const config = loadConfig(join(dir, 'portaria.yaml'))
    expect(config).toMatchObject({
      callbacks: { host: '::', port: 9443 },
      chargeNotifications: { port: 9444, tokens: [{ environment: 'sandbox' }] },
      api: { port: 9080 },
      forwarding: { allowedNetworks: ['loopback'] },
      storage: { database: { file: join(folder, 'var lib/portaria.db') } },
    })
    expect(config.callbacks.kinds.map(({ name, path }) => [name, path])).toEqual([
      ['registration', '/callbacks/registration'],
      ['openBanking', '/hooks/open'],
      ['charge', '/callbacks/charge'],
    ])
    expect(modeOf('secrets/charge-token-sandbox')).toBe('600')
  })

  it('writes institutions with their own chains and paths, beside the unnamed one or without it', () => {
    const institution = ['bank-a:instant-payment', 'bank-b:open-finance', 'bank-c']
    const written = (kinds?: string) => {
      const site = siteOf(dir, { hostName: HOST, environments: 'production', institution, ...(kinds && { kinds }) })
      const { content = '' } = filesOf(site).find(({ path }) => path.endsWith('portaria.yaml')) ?? {}
      mkdirSync(join(dir, 'secrets'), { recursive: true })
      writeFileSync(join(dir, 'secrets/operator-token'), 'ab'.repeat(16))
      writeFileSync(join(dir, 'portaria.yaml'), content)
      return { config: loadConfig(join(dir, 'portaria.yaml')), steps: nextSteps(site) }
    }
    const { config, steps } = written()
    const chain = (name: string) => join(dir, `certs/trust/${name}.pem`)
    expect(config.callbacks.trust.map(({ environment, chain }) => [environment, chain])).toEqual([
      ['production', chain('production')],
      ...['bank-a', 'bank-b', 'bank-c'].map((name) => [`${name}/production`, chain(`${name}-production`)]),
    ])
    const paths = config.callbacks.kinds.filter(({ institution }) => institution !== null).map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining(['/bank-a/pix', '/bank-c/payment']))
    const lines = [
      '- bank-a: your institution (the PSP that receives) gives you the chain',
      '    portaria certs trust stage PRODUCTION-CHAIN.pem --environment production --name service-production\n',
      '    portaria certs trust activate bank-b-production --institution bank-b --environment production\n',
      `    portaria check --url https://${HOST}:8443/bank-b/open-banking/webhook/v1/payments/1/consents/1\n`,
      `- bank-a: https://${HOST}:8443/bank-a/rec\n`,
      `- bank-b: https://${HOST}:8443/bank-b\n`,
      '- institutions.bank-a.kinds.pix.accounts.allow\n',
    ]
    for (const line of lines) expect(steps).toContain(line)

    const alone = written('none')
    expect(alone.config.callbacks.trust.map(({ environment }) => environment)).not.toContain('production')
    expect(alone.config.callbacks.kinds.map(({ institution }) => institution)).not.toContain(null)
    expect(alone.steps).not.toMatch(/service-production|section `service`|callbacks\.kinds/)
  })

  it('never overwrites anything', async () => {
    mkdirSync(join(dir, 'secrets'), { recursive: true })
    writeFileSync(join(dir, 'secrets/operator-token'), 'mine')
    const { code, stderr } = await portaria(null, 'init', dir, '--host-name', HOST)
    expect(code).toBe(1)
    expect(stderr).toBe(
      `portaria: ${dir}/secrets/operator-token exists already, and nothing is overwritten: name another folder, or move them away\n`,
    )
    expect(readdirSync(dir, { recursive: true }).sort()).toEqual(['secrets', 'secrets/operator-token'])
    expect(readFileSync(join(dir, 'secrets/operator-token'), 'utf8')).toBe('mine')
  })

  it('says what is wrong with what was asked, and writes nothing', async () => {
    const asked: [string[], string][] = [
      [[], '--host-name DNS is required without a terminal'],
      [
        ['--host-name', '192.0.2.1', '--environments', 'test'],
        '--environments "test": write production, sandbox, or both',
      ],
      [['--host-name', HOST, '--api-port', '8443'], 'the ports 8443, 8443 must all be different'],
      [
        ['--host-name', HOST, '--institution', 'bank-a:open-finace'],
        '--institution bank-a:open-finace: there is no preset "open-finace"; did you mean "open-finance"?',
      ],
      [['--host-name', HOST, '--kinds', 'none'], '--kinds none: name the kinds, or add --institution NAME'],
    ]
    const ended = await Promise.all(asked.map(([flags]) => portaria(null, 'init', dir, ...flags)))
    for (const [index, { code, stderr }] of ended.entries()) {
      expect(code).toBe(2)
      expect(stderr).toContain(asked[index]?.[1])
    }
    // Only the written configuration says so, and it is removed: not at the same time as the others.
    const badName = await portaria(null, 'init', dir, '--host-name', HOST, '--institution', 'Bank')
    expect([badName.code, badName.stderr]).toEqual([2, expect.stringContaining('is not a name for an institution')])
    expect(existsSync(dir)).toBe(false)
  })

  it.skipIf(!hasScript)('asks on a terminal (with script)', async () => {
    const command = `"${process.execPath}" "${MAIN}" init "${dir}" --kinds payment`
    const terminal = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] })
    const ended = new Promise((done) => terminal.once('close', done))
    const answers: Record<string, string> = {
      'DNS name under which': HOST,
      'Port for': '',
      Environments: 'sandbox',
      'Other institutions, as NAME or NAME:PRESET': 'bank-a, bank-b:open-finance',
      'a program on this machine': 'yes',
    }
    let shown = ''
    terminal.stdout.on('data', (text: Buffer) => {
      shown += text.toString()
      for (const [question, answer] of Object.entries(answers)) {
        if (!shown.includes(question)) continue
        delete answers[question]
        terminal.stdin.write(`${answer}\n`)
      }
    })
    await ended
    expect(answers).toEqual({})
    const { callbacks, forwarding, institutions } = loadConfig(join(dir, 'portaria.yaml'))
    expect(institutions.map(({ name, answer }) => [name, answer.status])).toEqual([
      ['bank-a', 200],
      ['bank-b', 202],
    ])
    expect(forwarding.allowedNetworks).toEqual(['loopback'])
    expect(shown).toContain('portaria destinations create http://localhost:3000/callbacks --name app')
    expect([callbacks.port, callbacks.trust.length, callbacks.kinds.length]).toEqual([8443, 3, 7])
  })

  it.skipIf(!hasOpenssl)(
    'with what is to be supplied, by the commands that it shows, check finds nothing wrong (with openssl)',
    async () => {
      const authority = createAuthority(join(folder, 'authority'))
      const root = authority.issue({ name: 'root', ca: true, days: 400 })
      const service = authority.issue({ name: 'service', ca: true, days: 400 })
      for (const name of ['PRODUCTION', 'SANDBOX', 'BANK-A-PRODUCTION', 'BANK-A-SANDBOX']) {
        const issuing = authority.issue({ name, ca: true, issuer: service, days: 300 })
        writeFileSync(join(folder, `${name}-CHAIN.pem`), issuing.chain)
      }
      const [callbacks, api] = await reservePorts(2)
      const ports = ['--callbacks-port', `${callbacks}`, '--api-port', `${api}`]
      const { stdout } = await portaria(
        null,
        'init',
        dir,
        '--host-name',
        HOST,
        '--callbacks-host',
        '127.0.0.1',
        '--institution',
        'bank-a:instant-payment',
        ...ports,
      )
      const typed = stdout.split('\n').filter((line) => line.startsWith(`    ${COMMAND} certs`))
      const commands = typed.map((line) => line.replace(COMMAND, 'portaria'))
      expect(commands).toHaveLength(10)
      const [csr = '', ...others] = commands
      const site: TestSite = { folder: dir, configFile: join(dir, 'portaria.yaml'), certs: join(dir, 'certs') }
      expect((await inShell(site, csr)).code).toBe(0)

      const extensions = join(folder, 'extensions')
      writeFileSync(extensions, `basicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\nsubjectAltName=DNS:${HOST}\n`)
      const signer = ['-CA', root.certFile, '-CAkey', root.keyFile, '-days', '90', '-extfile', extensions]
      const issued = ['-in', join(dir, 'certs/server.csr'), '-out', join(folder, 'ISSUED.pem')]
      openssl(['x509', '-req', ...issued, ...signer])
      writeFileSync(join(folder, 'INTERMEDIATES.pem'), root.cert)
      const { code, stderr } = await inShell(site, `set -e; cd "${folder}"; ${others.join('\n')}`)
      expect([code, stderr]).toEqual([0, ''])
      const findings = await findingsAt(site, { ca: root.certFile })
      expect(trouble(findings)).toEqual([])
      expect(
        findings.flatMap(({ area, what }) => (area === 'trust' && what.startsWith('bank-a/') ? [what] : [])),
      ).toEqual(['bank-a/production', 'bank-a/sandbox'])
      const only = findings.find(({ code }) => code === 'forwarding.none')
      expect(only?.nextStep).toContain(`${COMMAND} destinations create `)
      expect(only?.nextStep).toContain(`${COMMAND} clients create --name app --environment any --scopes events.read`)
      for (const [, line] of stdout.matchAll(/`([^`]*portaria[^`]*)`/g)) expect(line).toMatch(RegExp(`^${COMMAND} `))
    },
    // Thirteen processes: 9 s for nine on a busy machine, and 20 s were missed on one with four test runs at once.
    60_000,
  )
})
