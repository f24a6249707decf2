import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Build } from '../src/cli/program/build.ts'
import { PROGRAM } from '../src/platform/installation.ts'
import { programFile, ROOT } from '../src/platform/program-files.ts'
import { VERSION } from '../src/platform/version.ts'
import { type Architecture, productionPackages } from './locked-packages.ts'
import { DEB_FOLDER as FOLDER } from './pages.ts'
import { makeProgramTree, setModes } from './program-tree.ts'

/** Debian's names. */
export const DEBIAN_ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' } as const

const SCRIPTS = ['preinst', 'postinst', 'prerm', 'postrm']
const MAINTAINER = 'Portaria maintainers <maintainers@portaria.example>'

export interface DebOptions {
  /** A folder that does not exist yet: the package is made in it. */
  readonly work: string
  /** Folder of the bundled code. */
  readonly code: string
  readonly build: Build
  readonly architecture: Architecture
  /** Of every file, seconds since 1970. */
  readonly time: number
}

/** Whether the program is there that makes the packages. */
export function hasDpkgDeb(): boolean {
  return spawnSync('dpkg-deb', ['--version']).status === 0
}

/** What systemd/install.sh installs as a Debian package: the program in /usr/lib, the units where packages have theirs. */
export function makeDeb({ work, code, build, architecture, time }: DebOptions): Buffer {
  const root = join(work, 'root')
  makeProgramTree({ target: join(root, FOLDER), code, architecture, build })
  addUnits(root)
  addCommand(root)
  addDocumentation(root, time)
  addControlFiles(root, architecture)
  setModes(root)
  chmodSync(join(root, 'etc/portaria'), 0o750)
  chmodSync(join(root, 'etc/portaria/portaria.yaml'), 0o640)

  const file = join(work, 'portaria.deb')
  // A higher level takes a minute for a fifth less. One thread: their number changes the bytes.
  const options = ['--root-owner-group', '-Zxz', '-z0', '--threads-max=1']
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(time) }
  execFileSync('dpkg-deb', [...options, '--build', root, file], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  return readFileSync(file)
}

/** The files of systemd/, with the place of this package's program in them. */
function addUnits(root: string): void {
  const place = (name: string, path: string) =>
    write(root, path, readFileSync(programFile(`systemd/${name}`), 'utf8').replaceAll(PROGRAM, FOLDER))
  const units = readdirSync(join(ROOT, 'systemd')).filter((name) => /\.(service|socket|timer)$/.test(name))
  for (const name of units) place(name, `usr/lib/systemd/system/${name}`)
  place('restart-wait.conf', 'usr/lib/systemd/system/portaria.service.d/20-restart.conf')
  place('portaria.sysusers', 'usr/lib/sysusers.d/portaria.conf')
  place('portaria.tmpfiles', 'usr/lib/tmpfiles.d/portaria.conf')
  // An image with this package may be booted for the first time: systemd would enable what no preset disables.
  write(root, 'usr/lib/systemd/system-preset/80-portaria.preset', 'disable portaria*\n')
  place('portaria.yaml', 'etc/portaria/portaria.yaml')
  place('functions', `${FOLDER}/systemd/functions`)
}

/** The command with its manual page and completion. */
function addCommand(root: string): void {
  link(root, 'usr/bin/portaria', '../lib/portaria/bin/portaria')
  write(root, 'usr/share/man/man1/portaria.1.gz', gzipSync(portaria('man'), { level: 9 }))
  write(root, 'usr/share/bash-completion/completions/portaria', portaria('completion', 'bash'))
  write(root, 'usr/share/zsh/vendor-completions/_portaria', portaria('completion', 'zsh'))
  write(root, 'usr/share/fish/vendor_completions.d/portaria.fish', portaria('completion', 'fish'))
}

function portaria(...args: readonly string[]): string {
  return execFileSync(programFile('bin/portaria'), args, { encoding: 'utf8' })
}

function addDocumentation(root: string, time: number): void {
  const folder = 'usr/share/doc/portaria'
  // The program needs its documentation, and a machine may leave out what is in /usr/share/doc.
  for (const name of ['README.md', 'README.pt.md', 'docs', 'systemd'])
    link(root, `${folder}/${name}`, `../../../lib/portaria/${name}`)
  write(root, `${folder}/changelog.gz`, gzipSync(changelog(time), { level: 9 }))
  const packages = productionPackages().map(({ name, version, license }) => `${name} ${version}: ${license}\n`)
  const intro = `No licence of Portaria is given yet: before you use, change or pass it on, ask its maintainers (${MAINTAINER}).
${FOLDER}/THIRD-PARTY-LICENSES has the notices and licence texts of what is inside Portaria.
Where a package has a choice, /usr/share/common-licenses/GPL-2 is the one that it does not need.`
  write(root, `${folder}/copyright`, `${intro}\n\n${packages.join('')}`)
  cpSync(programFile('packaging/deb/lintian-overrides'), made(root, 'usr/share/lintian/overrides/portaria'))
}

/** In Debian's form; the changes themselves are in CHANGELOG.md. */
function changelog(time: number): string {
  const date = new Date(time * 1000).toUTCString().replace('GMT', '+0000')
  const change = `  * ${FOLDER}/CHANGELOG.md has the changes.`
  return `portaria (${VERSION}) stable; urgency=medium\n\n${change}\n\n -- ${MAINTAINER}  ${date}\n`
}

function addControlFiles(root: string, architecture: Architecture): void {
  const size = installedKib(root)
  for (const name of SCRIPTS) cpSync(programFile(`packaging/deb/${name}`), made(root, `DEBIAN/${name}`))
  write(root, 'DEBIAN/conffiles', '/etc/portaria/portaria.yaml\n')
  write(
    root,
    'DEBIAN/control',
    `Package: portaria
Version: ${VERSION}
Architecture: ${DEBIAN_ARCHITECTURES[architecture]}
Maintainer: ${MAINTAINER}
Installed-Size: ${size}
Depends: libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 8), systemd (>= 252)
Suggests: python3
Section: net
Priority: optional
Description: webhook receiver and callback gateway
 Takes the callbacks of a payment institution over mutual TLS, stores them
 durably before it answers, and forwards them to your systems. Node.js is
 inside.
`,
  )
}

/** As dpkg-gencontrol counts it: each file in whole KiB, and 1 KiB for everything else. */
function installedKib(root: string): number {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => (entry.isFile() ? Math.ceil(lstatSync(join(entry.parentPath, entry.name)).size / 1024) : 1))
    .reduce((sum, kib) => sum + kib, 0)
}

function write(root: string, path: string, content: string | Buffer): void {
  writeFileSync(made(root, path), content)
}

function link(root: string, path: string, target: string): void {
  symlinkSync(target, made(root, path))
}

/** @returns the file, whose folder is there */
function made(root: string, path: string): string {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  return file
}
