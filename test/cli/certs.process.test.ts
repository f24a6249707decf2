import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { loadServerCertificate } from '../../src/certificates/live/server-certificate.ts'
import { type Authority, createAuthority, type IssuedCertificate } from '../support/authority.ts'
import { createSite, MAIN, type TestSite } from '../support/gateway.ts'
import { hasOpenssl, openssl } from '../support/openssl.ts'
import { until } from '../support/until.ts'
import { inShell, linesOf, portaria } from './program.ts'

const PASSWORD = 'maçã€ 7'
const hasScript = spawnSync('script', ['--version']).status === 0
const read = (file: string) => readFileSync(file, 'utf8')

describe.skipIf(!hasOpenssl)('certs (with openssl)', () => {
  let site: TestSite
  let work: string
  let authority: Authority
  let root: IssuedCertificate
  let intermediate: IssuedCertificate
  const at = (name: string) => join(work, name)

  beforeEach(async () => {
    site = await createSite()
    work = join(site.folder, 'work')
    mkdirSync(work)
    writeFileSync(at('password'), `${PASSWORD}\n`, { mode: 0o600 })
    authority = createAuthority(at('authority'))
    root = authority.issue({ name: 'root', ca: true })
    intermediate = authority.issue({ name: 'intermediate', ca: true, issuer: root })
  })

  const SERVER = [
    'basicConstraints=CA:FALSE',
    'subjectAltName=DNS:callbacks.example.com',
    'extendedKeyUsage=serverAuth',
  ]

  /** What the authority makes of a request. */
  function sign(request: string, certificate: string): void {
    const signer = ['-CA', intermediate.certFile, '-CAkey', intermediate.keyFile, '-days', '30']
    writeFileSync(at('extensions'), SERVER.join('\n'))
    openssl(['x509', '-req', '-in', request, ...signer, '-extfile', at('extensions'), '-out', certificate])
  }

  function makePkcs12(file: string, issued: IssuedCertificate, password: string, ...options: string[]): void {
    const own = ['-inkey', issued.keyFile, '-in', issued.certFile, '-certfile', intermediate.chainFile]
    openssl(['pkcs12', '-export', ...own, ...options, '-passout', `pass:${password}`, '-out', file])
  }

  it('from a request to an installed certificate: the old pair is kept, and a gateway can load the new one', async () => {
    const [key, request] = [at('new.key'), at('new.csr')]
    const made = await portaria(site, 'certs', 'csr', '--name', 'callbacks.example.com', '--key', key, '--out', request)
    expect([made.code, made.stderr]).toEqual([0, ''])
    expect(made.stdout).toContain(`portaria certs import ISSUED.pem --key ${key}`)
    expect(statSync(key).mode & 0o777).toBe(0o600)
    sign(request, at('issued.pem'))
    const before = { key: read(join(site.certs, 'server.key')), certificate: read(join(site.certs, 'server.crt')) }

    writeFileSync(at('chain.pem'), `# chain\r\n${root.cert}${intermediate.cert}`.replaceAll('\n', '\r\n'))
    const ended = await portaria(site, 'certs', 'import', at('chain.pem'), at('issued.pem'), '--key', key)
    expect([ended.code, ended.stderr]).toEqual([0, ''])
    const files = { certificate: join(site.certs, 'server.crt'), privateKey: join(site.certs, 'server.key') }
    expect(ended.stdout.split('\n')).toEqual([
      expect.stringMatching(
        /^1\. CN=callbacks\.example\.com for callbacks\.example\.com, until 20\d\d-\d\d-\d\d \(in 29 days\)$/,
      ),
      expect.stringMatching(/^2\. CN=intermediate, until /),
      'left out: the root "CN=root", which callers have themselves',
      `kept the old file: ${files.privateKey}.previous`,
      `kept the old file: ${files.certificate}.previous`,
      `installed ${files.privateKey} and ${files.certificate}`,
      '',
    ])
    const loaded = loadServerCertificate(files, new Date())
    expect([loaded.cert, loaded.key, loaded.warnings]).toEqual([
      read(at('issued.pem')) + intermediate.cert,
      read(key),
      [],
    ])
    expect([read(`${files.privateKey}.previous`), read(`${files.certificate}.previous`)]).toEqual([
      before.key,
      before.certificate,
    ])
    expect([files.privateKey, files.certificate].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o644])
    expect(readdirSync(site.certs).filter((name) => name.startsWith('.'))).toEqual([])
  })

  it('a request overwrites neither a key nor a request, and leaves nothing behind', async () => {
    writeFileSync(at('there'), 'mine')
    const [one, two] = await Promise.all([
      portaria(site, 'certs', 'csr', '--name', 'a.example', '--key', at('there'), '--out', at('new')),
      portaria(site, 'certs', 'csr', '--name', 'a.example', '--key', at('new'), '--out', at('there')),
    ])
    for (const { code, stdout, stderr } of [one, two]) {
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/there exists already and is never overwritten/)
    }
    expect([read(at('there')), readdirSync(work).includes('new')]).toEqual(['mine', false])
  })

  it('a refused import changes nothing, and says why', async () => {
    const leaf = authority.issue({ name: 'leaf', issuer: intermediate, extensions: SERVER })
    makePkcs12(at('locked.p12'), leaf, PASSWORD, '-legacy')
    writeFileSync(at('wrong'), 'wrong')
    writeFileSync(at('garbage'), 'f00ba4')
    const names = () => readdirSync(site.certs)
    const before = [names(), read(join(site.certs, 'server.key'))]
    const cases: [string[], number, RegExp][] = [
      [[leaf.certFile, leaf.keyFile], 1, /the certificate of "CN=intermediate", which issued "CN=leaf", is missing/],
      [[leaf.chainFile], 1, /the private key is not the key of "CN=leaf"/],
      [[at('garbage')], 1, /garbage holds neither a certificate nor a key/],
      [[at('locked.p12'), '--password-file', at('wrong')], 1, /the password does not open .*locked\.p12/],
      [[at('locked.p12')], 2, /needs a password, and there is no terminal to ask for it: give --password-file/],
      [[leaf.chainFile, '--for', 'forwarding'], 2, /names no certificate under forwarding\.clientCertificate/],
      [[leaf.chainFile, '--out-cert', at('x')], 2, /--out-cert and --out-key belong together/],
      [[leaf.chainFile, '--password-file', at('nowhere')], 2, /password file .*nowhere cannot be read/],
    ]
    const ended = await Promise.all(cases.map(([args]) => portaria(site, 'certs', 'import', ...args)))
    for (const [index, [args, code, reason]] of cases.entries()) {
      const { stdout, stderr, ...end } = ended[index] ?? { code: null, stdout: '', stderr: '' }
      expect([end.code, stdout, stderr], String(args)).toEqual([code, '', expect.stringMatching(reason)])
    }
    expect([names(), read(join(site.certs, 'server.key'))]).toEqual(before)
  })

  it('an old .p12 is opened with a systemd credential; a dry run writes nothing; twice changes nothing', async () => {
    const leaf = authority.issue({ name: 'leaf', issuer: intermediate, extensions: SERVER })
    makePkcs12(at('old.p12'), leaf, PASSWORD, '-legacy', '-certpbe', 'PBE-SHA1-RC2-40', '-keypbe', 'PBE-SHA1-RC2-40')
    const out = `--out-cert ${at('a.pem')} --out-key ${at('a.pem')}`
    const ended = await inShell(
      site,
      `export CREDENTIALS_DIRECTORY=${work}
       command="portaria certs import ${at('old.p12')} --password-credential password ${out}"
       $command --dry-run && ls ${at('a.pem')}; $command && $command`,
    )
    expect(ended.code).toBe(0)
    expect(ended.stderr).toMatch(/^ls: .*a\.pem.*\n$/)
    const lines = ended.stdout.split('\n').filter((line) => !/^(\d\.|left out:) /.test(line))
    expect(lines).toEqual([
      'valid; nothing was written (--dry-run)',
      `installed ${at('a.pem')}`,
      'nothing to change: these are installed already',
      '',
    ])
    // Certificate and key in one file: a secret.
    expect(statSync(at('a.pem')).mode & 0o777).toBe(0o600)
    expect(loadServerCertificate({ certificate: at('a.pem'), privateKey: at('a.pem') }, new Date()).warnings).toEqual(
      [],
    )
  })

  it('what is exported as .p12 is read by openssl, what is exported as PEM by all; neither overwrites', async () => {
    const options = ['--password-file', at('password')]
    const [p12, pem, sealed] = await Promise.all([
      portaria(site, 'certs', 'export', '--out', at('e.p12'), '--format', 'p12', ...options),
      portaria(site, 'certs', 'export', '--out', at('e.pem'), '--format', 'pem'),
      portaria(site, 'certs', 'export', '--out', at('sealed.pem'), '--format', 'pem', ...options),
    ])
    expect([p12.code, p12.stderr, pem.code, pem.stderr, sealed.code, sealed.stderr]).toEqual([0, '', 0, '', 0, ''])
    const key = read(join(site.certs, 'server.key'))
    const chain = read(join(site.certs, 'server.crt'))
    expect(read(at('e.pem'))).toBe(`${key}${chain}`)
    expect([at('e.pem'), at('e.p12'), at('sealed.pem')].map((file) => statSync(file).mode & 0o777)).toEqual([
      0o600, 0o600, 0o600,
    ])
    expect(openssl(['pkey', '-in', at('sealed.pem'), '-passin', `pass:${PASSWORD}`])).toBe(key)
    const opened = openssl(['pkcs12', '-in', at('e.p12'), '-passin', `pass:${PASSWORD}`, '-nodes'])
    const blocks = opened.match(/-----BEGIN[\s\S]*?-----END .*-----\n/g) ?? []
    expect([blocks.slice(0, -1).join(''), blocks.at(-1)]).toEqual([chain, key])
    expect(opened.match(/localKeyID: (.*)/g)).toHaveLength(2)
    expect(() => openssl(['pkcs12', '-in', at('e.p12'), '-passin', 'pass:wrong', '-noout'])).toThrow()

    const again = await portaria(site, 'certs', 'export', '--out', at('e.p12'), '--format', 'p12', ...options)
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringMatching(/e\.p12 exists already and is never overwritten/),
    ])
    const back = await portaria(site, 'certs', 'show', at('e.p12'), ...options, '--json')
    expect(linesOf(back)).toMatchObject([
      { keys: [{ keyType: 'EC P-256', certificate: expect.stringContaining('localhost') }] },
    ])
  })

  it('shows a file in words and as JSON: certificates, chain, key, request', async () => {
    const leaf = authority.issue({ name: 'leaf', subject: '/CN=a\u001bb', issuer: intermediate, extensions: SERVER })
    writeFileSync(at('all.pem'), `${root.cert}${read(leaf.keyFile)}${leaf.cert}${intermediate.cert}`)
    openssl(['req', '-new', '-key', leaf.keyFile, '-subj', '/CN=a', '-out', at('leaf.csr')])
    const [text, json, request] = await Promise.all([
      portaria(site, 'certs', 'show', at('all.pem')),
      portaria(site, 'certs', 'show', at('all.pem'), '--json'),
      portaria(site, 'certs', 'show', at('leaf.csr')),
    ])
    expect([text.code, json.code, request.code]).toEqual([0, 0, 0])
    for (const line of [
      `${at('all.pem')} (PEM)`,
      'names           callbacks.example.com',
      'issued by       CN=intermediate',
      'issued by       itself (self-signed)',
      'state           expires in 29 days',
      'usable as       server',
      'usable as       authority',
      'key             EC P-256',
      'signature       ECDSA with SHA-256',
    ])
      expect(text.stdout.split('\n')).toContain(line)
    expect(text.stdout).toMatch(
      /^chain +in the wrong order: "CN=a.*", then "CN=intermediate", then "CN=root"; complete/m,
    )
    expect(text.stdout).toMatch(/^private key +EC P-256, the key of "CN=a/m)
    expect(text.stdout).not.toContain('\u001b')
    expect(linesOf(json)).toMatchObject([
      {
        certificates: [{ subjectName: 'CN=root' }, { daysLeft: 29, usableAs: ['server'] }, { isSelfSigned: false }],
        chain: { isInOrder: false, isComplete: true },
        keys: [{ keyType: 'EC P-256' }],
      },
    ])
    expect(request.stdout).toMatch(/^CSR .*no certificate yet: send it to an authority/m)
  })

  it('shows the certificate that the configuration names where no file is named', async () => {
    const [own, option, missing, both] = await Promise.all([
      portaria(site, 'certs', 'show'),
      portaria(null, 'certs', 'show', '--config', site.configFile, '--for', 'callbacks'),
      portaria(site, 'certs', 'show', '--for', 'api'),
      portaria(site, 'certs', 'show', at('x'), '--for', 'api'),
    ])
    expect([own.code, option.code, missing.code, both.code]).toEqual([0, 0, 2, 2])
    expect(own.stdout.split('\n')[0]).toBe(`${join(site.certs, 'server.crt')} (PEM)`)
    expect(option.stdout).toBe(own.stdout)
    expect(missing.stderr).toContain('names no certificate under api')
  })

  it('shows what a server sends', async () => {
    const usage = await Promise.all(
      [
        ['--host', 'a:b:c'],
        ['x', '--servername', 'a'],
      ].map((args) => portaria(site, 'certs', 'show', ...args)),
    )
    expect(usage.map(({ code }) => code)).toEqual([2, 2])
    const gone = await portaria(site, 'certs', 'show', '--host', '127.0.0.1:1')
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringMatching(/shows no certificate \(connect ECONNREFUSED/)])

    const args = [
      '-accept',
      '127.0.0.1:0',
      '-cert',
      intermediate.certFile,
      '-key',
      intermediate.keyFile,
      '-Verify',
      '1',
    ]
    const server = spawn('openssl', ['s_server', ...args], { stdio: ['pipe', 'pipe', 'ignore'] })
    try {
      let printed = ''
      server.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString()
      })
      const [, address = ''] = await until(
        () => /ACCEPT (\S+)/.exec(printed) ?? [],
        ({ length }) => length > 0,
      )
      const shown = await portaria(site, 'certs', 'show', '--host', address)
      expect([shown.code, shown.stderr]).toEqual([0, ''])
      expect(shown.stdout).toMatch(/^certificate +CN=intermediate$/m)
      expect(shown.stdout).toMatch(/^host name +is NOT in the certificate\nclient certs +required$/m)
    } finally {
      server.kill('SIGKILL')
    }
  })

  it.skipIf(!hasScript)('a password typed at a terminal is not shown (with script)', async () => {
    const leaf = authority.issue({ name: 'leaf', issuer: intermediate, extensions: SERVER })
    makePkcs12(at('typed.p12'), leaf, PASSWORD)
    const command = `"${process.execPath}" "${MAIN}" certs show "${at('typed.p12')}"`
    const terminal = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] })
    let shown = ''
    terminal.stdout.on('data', (chunk: Buffer) => {
      shown += chunk.toString()
    })
    const closed = new Promise((done) => terminal.once('close', done))
    await until(() => shown.includes('Password of'))
    // With a mistake, and a backspace over a letter of several bytes.
    terminal.stdin.write(`${PASSWORD}ç\x7f\r`)
    expect(await closed).toBe(0)
    expect(shown).toMatch(/^Password of .*typed\.p12: \r\n.*typed\.p12 \(PKCS#12\)/)
    expect(shown).not.toContain('ma')
  })
})
