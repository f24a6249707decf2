import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../../src/platform/program-files.ts'
import { VERSION } from '../../../src/platform/version.ts'
import { createAuthority, type IssuedCertificate } from '../../support/authority.ts'
import { type BootedRoot, bootRoot, canBootRoot, makeRoot } from '../../support/booted-root.ts'
import { builtPackages } from '../../support/built-packages.ts'
import type { LoadReport } from '../../support/callback-load.ts'
import { hasOpenssl, openssl } from '../../support/openssl.ts'
import { until } from '../../support/until.ts'

const execute = promisify(execFile)
const NEWER = '99.0.0'
const RECEIVER = 'http://127.0.0.1:9000/hook'
const work = mkdtempSync(join(tmpdir(), 'portaria-deb-'))
const architecture = process.arch === 'x64' ? 'amd64' : process.arch
let machine: BootedRoot
let caller: IssuedCertificate
const acknowledged: string[] = []

/** The package of this clone, and one of a newer version with a newer schema. */
async function buildPackages() {
  const deb = join(await builtPackages(), `portaria_${VERSION}_${architecture}.deb`)

  const tree = join(work, 'newer')
  await execute('dpkg-deb', ['--raw-extract', deb, tree])
  replaceIn(join(tree, 'DEBIAN/control'), `Version: ${VERSION}`, `Version: ${NEWER}`)
  replaceIn(join(tree, 'usr/lib/portaria/package.json'), `"version": "${VERSION}"`, `"version": "${NEWER}"`)
  const migrations = join(tree, 'usr/lib/portaria/src/store/sqlite/database/migrations')
  writeFileSync(join(migrations, '999-newer.sql'), 'CREATE TABLE newer (a INTEGER) STRICT;\n')
  const newer = join(work, 'newer.deb')
  await execute('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, newer])
  return { deb, newer }
}

function replaceIn(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8')
  expect(text).toContain(from)
  writeFileSync(file, text.replace(from, to))
}

/** Runs a line of shell in the machine, which must succeed; what it said. */
function run(line: string): string {
  const { status, said } = machine.run(line)
  expect(status, `${line}\n${said}`).toBe(0)
  return said
}

/** Callbacks over port 443 while `act` runs; what came back. */
async function underLoad(act: () => void): Promise<LoadReport> {
  const script = join(ROOT, 'test/support/callback-load.ts')
  const files = [caller.chainFile, caller.certFile, caller.keyFile]
  const [command = '', ...args] = [...machine.inItsNetwork, process.execPath, script, ...files]
  const load = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  let said = ''
  load.stdout.on('data', (text) => (said += text))
  const ended = once(load, 'close')
  // Its first callback was taken, or it is over.
  await Promise.race([once(load.stderr, 'data'), ended])
  act()
  load.stdin.end()
  await ended
  return JSON.parse(said) as LoadReport
}

/** The commands of the page that the package has, in their order. */
function commandsOf(page: string, chapter: string): readonly string[] {
  const text = readFileSync(join(machine.folder, 'usr/share/doc/portaria', page), 'utf8')
  const found = text.split(/^##+ /m).find((one) => one.startsWith(`${chapter}\n`)) ?? ''
  const blocks = [...found.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block.trim())
  return blocks.flatMap((block) => block.split('\n'))
}

/** What a unit has said since it was started last. */
const JOURNAL = 'journalctl --no-pager --output=cat _SYSTEMD_INVOCATION_ID=$(systemctl show --value -p InvocationID'

/** A receiver of docs/examples, which verifies signatures. Its journal has a line for each delivery. */
async function startReceiver(secret: string): Promise<void> {
  const program = '/usr/lib/portaria'
  const settings = `--setenv=PORT=9000 --setenv=WEBHOOK_SECRET=${secret}`
  run('systemctl stop receiver.service 2>/dev/null || true')
  run(`systemd-run --quiet --unit=receiver ${settings} ${program}/bin/node ${program}/docs/examples/verify.mjs`)
  await until(
    () => run(`${JOURNAL} receiver.service)`),
    (said) => said.includes('listening'),
    60_000,
  )
}

/** Whatever the package started on: each of these came to the receiver with a right signature. */
async function expectDelivered(subjects: readonly string[]): Promise<void> {
  const missing = () => {
    const lines = run('journalctl --unit=receiver.service --output=cat --no-pager').split('\n')
    const genuine = lines.filter((line) => line.startsWith('genuine ')).join('\n')
    return subjects.filter((subject) => !genuine.includes(`"${subject}"`))
  }
  await until(missing, (subjects) => subjects.length === 0, 60_000)
}

/** Makes the destination that gets all events; its secret is that of the receiver. */
async function createDestination(line: string): Promise<void> {
  const [secret] = run(line).match(/whsec_[\w+/=]+/) ?? []
  await startReceiver(secret ?? '')
}

/** No callback that was acknowledged so far is missing. */
function expectAllStored(): void {
  const lines = run('portaria events list --json --limit 1000000 --config /etc/portaria/portaria.yaml')
    .trim()
    .split('\n')
  const stored = new Set(lines.map((line) => (JSON.parse(line) as { subject: string }).subject))
  expect(acknowledged.length).toBeGreaterThan(0)
  expect(acknowledged.filter((subject) => !stored.has(subject))).toEqual([])
}

/** Paths, owners and modes of what an operator has. */
const KEPT = 'cd /etc/portaria; find . /var/lib/portaria/portaria.db -printf "%p %m %u %g\\n" | sort'

describe.skipIf(!canBootRoot || !hasOpenssl)('the Debian package (with mmdebstrap and systemd-nspawn, as root)', () => {
  beforeAll(async () => {
    const root = join(work, 'root')
    const [{ deb, newer }] = await Promise.all([
      buildPackages(),
      makeRoot(root, ['systemd-sysv', 'dbus', 'postgresql']),
    ])
    copyFileSync(deb, join(root, 'root/this.deb'))
    copyFileSync(newer, join(root, 'root/newer.deb'))
    machine = await bootRoot(root)
  }, 1_200_000)

  afterAll(async () => {
    await machine?.stop()
    rmSync(work, { recursive: true, force: true })
  })

  it('apt installs it, starts and enables nothing, and leaves nothing readable for others', () => {
    const said = run('apt-get install --yes /root/this.deb')
    // What comes next, and a page that has it.
    const [, page = ''] = /^portaria: next: .*; (\S+) has the commands$/m.exec(said) ?? []
    expect(readFileSync(join(machine.folder, page), 'utf8')).toContain('## The first start')
    expect(run('systemctl --failed --no-legend; systemctl list-units --all --no-legend "portaria*"')).toBe('')
    const units = run('systemctl list-unit-files --no-legend "portaria*"').trim().split('\n')
    const states = units.map((line) => line.trim().split(/\s+/).slice(1).join(' '))
    expect(states.sort()).toEqual([...Array(5).fill('disabled disabled'), 'static -'])
    expect(run('find /etc/portaria /var/lib/portaria -perm /007')).toBe('')
    expect(run('stat --format="%a %U" /etc/portaria/secrets/operator-token')).toBe('600 root\n')
    expect(run('runuser -u portaria -- portaria version --verbose')).toMatch(/^installed +deb$/m)
    run('ls /usr/lib/portaria/node_modules/.cache/portaria/*-"$(id -u portaria)"/*')
    for (const unit of ['portaria.service', 'portaria-check.service'])
      expect(run(`systemd-analyze security --threshold=15 ${unit}`)).toContain(`exposure level for ${unit}`)
  })

  it('takes callbacks on port 443 once it is configured as systemd/README.md says', async () => {
    const authority = createAuthority(join(work, 'authority'))
    const ca = authority.issue({ name: 'ca', ca: true })
    caller = authority.issue({ name: 'caller', issuer: ca })
    const home = join(machine.folder, 'root')
    copyFileSync(ca.certFile, join(home, 'production.pem'))
    copyFileSync(ca.certFile, join(home, 'intermediates.pem'))
    const configuration = join(machine.folder, 'etc/portaria/portaria.yaml')
    replaceIn(configuration, 'allowedNetworks: []', 'allowedNetworks: [loopback]')
    const extensions = join(work, 'extensions')
    writeFileSync(extensions, 'subjectAltName=DNS:localhost\nextendedKeyUsage=serverAuth\n')
    const signer = ['-CA', ca.certFile, '-CAkey', ca.keyFile, '-CAcreateserial', '-extfile', extensions, '-days', '30']
    const sign = () =>
      openssl(['x509', '-req', '-in', join(home, 'server.csr'), ...signer, '-out', join(home, 'issued.pem')])

    const lines = commandsOf('systemd/README.md', 'The first start')
    expect(lines.length).toBeGreaterThan(8)
    for (const line of lines) {
      const here = line.replace('callbacks.example.com', 'localhost').replace('https://app.example/callbacks', RECEIVER)
      // certbot needs the internet: its hook must be there. journalctl -f never ends.
      if (line.startsWith('certbot ')) run(`test -x ${/--deploy-hook (\S+)/.exec(line)?.[1]}`)
      else if (line.startsWith('portaria destinations create')) await createDestination(`cd /root; ${here}`)
      else if (!line.startsWith('journalctl ')) run(`cd /root; ${here}`)
      if (line.startsWith('portaria certs csr')) sign()
    }
    const report = await underLoad(() => undefined)
    expect(report.failures).toEqual({})
    acknowledged.push(...report.acknowledged)
    expectAllStored()
    await expectDelivered(report.acknowledged)
  })

  it.each([
    ['directly', (text: string) => text],
    ['behind a balancer', (text: string) => text.replace('callbacks:\n', 'callbacks:\n  proxyProtocol: [127.0.0.1]\n')],
  ])('the check of the unit leaves no refusal and no error line, where callers come %s', (_, change) => {
    const file = join(machine.folder, 'etc/portaria/portaria.yaml')
    const before = readFileSync(file, 'utf8')
    writeFileSync(file, change(before))
    run('systemctl restart portaria.service')
    const refusals = run('portaria refusals list --json')
    // Certificates of a private authority are findings of it.
    machine.run('systemctl start portaria-check.service')
    const [gateway, check] = [run(`${JOURNAL} portaria.service)`), run(`${JOURNAL} portaria-check.service)`)]
    run('systemctl reset-failed portaria-check.service')
    expect(run('portaria refusals list --json')).toBe(refusals)
    expect(gateway).toContain('gateway.started')
    expect(gateway.match(/^.*"level":"error".*$|machine\.addresses_unknown/gm)).toBe(null)
    expect(check).not.toBe('')
    expect(check).not.toContain('does not answer')
    writeFileSync(file, before)
    run('systemctl restart portaria.service')
  })

  it('starts on PostgreSQL, which postgres-role.sql prepares, stores callbacks and delivers them', async () => {
    const file = join(machine.folder, 'etc/portaria/portaria.yaml')
    const before = readFileSync(file, 'utf8')
    run('umask 077; od -An -N16 -tx1 /dev/urandom | tr -d " \\n" > /etc/portaria/secrets/postgres')
    run('install -m 600 -o postgres /etc/portaria/secrets/postgres /tmp/password')
    const role = '/usr/lib/portaria/docs/examples/postgres-role.sql'
    const values = '-v database=portaria -v user=portaria -v password_file=/tmp/password'
    run(`cd /tmp; runuser -u postgres -- psql ${values} -f ${role}`)
    const url = 'postgres://portaria@127.0.0.1/portaria\n  passwordFile: credential:secrets_postgres'
    replaceIn(file, 'sqlite:/var/lib/portaria/portaria.db', url)
    run('systemctl restart portaria.service')
    await createDestination(`portaria destinations create ${RECEIVER} --name app`)
    const report = await underLoad(() => undefined)
    expect(report.failures).toEqual({})
    await expectDelivered(report.acknowledged)
    writeFileSync(file, before)
    run('rm /etc/portaria/secrets/postgres; systemctl restart portaria.service')
    expectAllStored()
  })

  it('an upgrade restarts the gateway: nothing acknowledged is lost, and no caller is refused', async () => {
    const pid = () => run('systemctl show --property=MainPID portaria.service')
    const before = pid()
    const report = await underLoad(() => run('apt-get install --yes /root/newer.deb'))
    expect(pid()).not.toBe(before)
    expect(run('portaria version')).toContain(NEWER)
    // A connection without a request may end with the old process.
    expect(Object.keys(report.failures).filter((code) => code !== 'ECONNRESET')).toEqual([])
    acknowledged.push(...report.acknowledged)
    expectAllStored()
  })

  it('a downgrade beside the newer schema says so with both versions, and the newer version starts again', () => {
    const said = run('apt-get install --yes --allow-downgrades /root/this.deb')
    expect(said).toMatch(/portaria\.db has schema 999, but this Portaria knows only up to \d+: run the newer Portaria/)
    expect(run('systemctl is-active portaria.socket')).toBe('active\n')
    run('apt-get install --yes /root/newer.deb; systemctl restart portaria.service')
    expectAllStored()
  })

  it('removal stops it and keeps configuration and data; another installation finds them', () => {
    appendFileSync(join(machine.folder, 'etc/portaria/portaria.yaml'), '# changed\n')
    const before = run(KEPT)
    run('apt-get remove --yes portaria')
    expect(run(KEPT)).toBe(before)
    expect(run('tail -n 1 /etc/portaria/portaria.yaml')).toBe('# changed\n')
    expect(run('systemctl --failed --no-legend; systemctl list-units --no-legend "portaria*"')).toBe('')
    expect(existsSync(join(machine.folder, 'usr/lib/portaria'))).toBe(false)

    run('apt-get install --yes /root/newer.deb')
    expect(run(KEPT)).toBe(before)
    expect(machine.run('systemctl is-active portaria.service').said).toBe('inactive\n')
    run('systemctl start portaria.service')
    expectAllStored()
  })

  it('purging deletes the configuration and its own token, and prints what deletes the rest', () => {
    const said = run('apt-get purge --yes portaria')
    const printed = [...said.matchAll(/^portaria: kept .*: (rm -r \S+|userdel portaria)/gm)].map(([, line]) => line)
    expect(printed).toEqual(['rm -r /etc/portaria', 'rm -r /var/lib/portaria', 'userdel portaria'])
    const files = run('find /etc/portaria /etc/systemd -name "*portaria*" -o -path "/etc/portaria/*" ! -type d | sort')
    const certs = ['certs/server.crt', 'certs/server.key', 'certs/trust/production/service.pem']
    expect(files.trim().split('\n')).toEqual(
      ['', ...certs].map((name) => join('/etc/portaria', name).replace(/\/$/, '')),
    )
    for (const line of printed) run(line ?? '')
    expect(run('systemctl --failed --no-legend')).toBe('')
  })

  it('is refused beside an installation of install.sh; installed and purged, it leaves nothing but its user', () => {
    run('install -D /dev/null /opt/portaria/bin/portaria')
    const { status, said } = machine.run('apt-get install --yes /root/this.deb')
    expect([status, said]).toEqual([100, expect.stringContaining('run /opt/portaria/systemd/uninstall.sh first')])
    run('rm -r /opt/portaria; apt-get install --yes /root/this.deb; apt-get purge --yes portaria')
    expect(run('find /etc /var/lib /usr /run -name "*portaria*"')).toBe('')
  })
})
