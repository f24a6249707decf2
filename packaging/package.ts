import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Build } from '../src/cli/program/build.ts'
import { programFile } from '../src/platform/program-files.ts'
import { VERSION } from '../src/platform/version.ts'
import { writeArchive } from './archive.ts'
import { billOfMaterials } from './bill-of-materials.ts'
import { bundleInto, SIMULATOR_MODULES } from './bundle.ts'
import { DEBIAN_ARCHITECTURES, hasDpkgDeb, makeDeb } from './deb.ts'
import { ARCHITECTURES } from './locked-packages.ts'
import { makeProgramTree } from './program-tree.ts'
import { makeReceiverTree } from './receiver-tree.ts'
import { makeSimulatorTree } from './simulator-tree.ts'
import { sourceOf } from './source.ts'

const USAGE = `usage: npm run package -- [--out DIR]

  --out DIR   folder for the packages, which is emptied first (default: dist)
`

/** `npm run package`: builds every package of this version. The same commit gives the same bytes, in any folder. */
const { values } = parseArgs({ options: { out: { type: 'string' }, help: { type: 'boolean' } } })
if (values.help) process.stdout.write(USAGE)
else if (!hasDpkgDeb()) {
  process.stderr.write('dpkg-deb makes the Debian packages, and is not installed: install the package dpkg\n')
  process.exitCode = 1
} else await buildInto(resolve(values.out ?? programFile('dist')))

async function buildInto(dist: string): Promise<void> {
  const { commit, time } = sourceOf()
  rmSync(dist, { recursive: true, force: true })
  mkdirSync(dist, { recursive: true })
  const work = mkdtempSync(join(dist, 'building-'))
  const sums: string[] = []

  function write(name: string, content: Buffer | string): void {
    writeFileSync(join(dist, name), content)
    // As sha256sum writes it.
    sums.push(`${createHash('sha256').update(content).digest('hex')}  ${name}\n`)
    process.stdout.write(`wrote ${join(dist, name)} (${(content.length / 1e6).toFixed(1)} MB)\n`)
  }

  async function writeSimulator(folder: string): Promise<void> {
    const code = join(folder, 'code')
    const packages = await bundleInto(code, SIMULATOR_MODULES)
    for (const architecture of ARCHITECTURES) {
      const name = `portaria-simulator-${VERSION}-linux-${architecture}`
      makeSimulatorTree({ target: join(folder, name), code, packages, architecture })
      write(`${name}.tar.gz`, writeArchive(folder, name, time))
    }
    makeSimulatorTree({ target: join(folder, 'package'), code, packages, architecture: null })
    write(`portaria-simulator-${VERSION}.tgz`, writeArchive(folder, 'package', time))
  }

  try {
    const code = join(work, 'code')
    await bundleInto(code)
    const buildOf = (installed: Build['installed']): Build => ({ installed, commit })
    for (const architecture of ARCHITECTURES) {
      const name = `portaria-${VERSION}-linux-${architecture}`
      makeProgramTree({ target: join(work, name), code, architecture, build: buildOf('tarball') })
      write(`${name}.tar.gz`, writeArchive(work, name, time))
      const deb = `portaria_${VERSION}_${DEBIAN_ARCHITECTURES[architecture]}.deb`
      write(deb, makeDeb({ work: join(work, deb), code, architecture, build: buildOf('deb'), time }))
    }
    makeProgramTree({ target: join(work, 'package'), code, architecture: null, build: buildOf('npm') })
    write(`portaria-${VERSION}.tgz`, writeArchive(work, 'package', time))
    // npm wants the folder "package" in each archive.
    makeReceiverTree(join(work, 'receiver/package'))
    write(`portaria-receiver-${VERSION}.tgz`, writeArchive(join(work, 'receiver'), 'package', time))
    await writeSimulator(join(work, 'simulator'))
    write(`portaria-${VERSION}.cdx.json`, `${JSON.stringify(billOfMaterials(), null, 2)}\n`)
    writeFileSync(join(dist, 'SHA256SUMS'), sums.join(''))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
