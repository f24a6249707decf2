import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../src/platform/program-files.ts'
import { VERSION } from '../src/platform/version.ts'
import { setModes } from './program-tree.ts'

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

/** The package `@portaria/receiver` as npm installs it: JavaScript, the types of it, and how to use it. */
export function makeReceiverTree(target: string): void {
  mkdirSync(target, { recursive: true })
  execFileSync(process.execPath, [TSC, '-p', join(ROOT, 'receiver'), '--outDir', join(target, 'lib')])
  nameJavaScript(join(target, 'lib'))
  const manifest = JSON.parse(readFileSync(join(ROOT, 'receiver/package.json'), 'utf8')) as Record<string, unknown>
  delete manifest.private
  manifest.version = VERSION
  manifest.exports = { types: './lib/receiver.d.ts', default: './lib/receiver.js' }
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  copyFileSync(join(ROOT, 'receiver/README.md'), join(target, 'README.md'))
  setModes(target)
}

/** The compiler rewrites the imports of JavaScript only: files of types would name the sources, which are not in the package. */
function nameJavaScript(folder: string): void {
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.d.ts'))) {
    const file = join(folder, name)
    writeFileSync(file, readFileSync(file, 'utf8').replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"))
  }
}
