import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { RequestHandler } from 'express'
import { programFile } from '../../platform/program-files.ts'
import { NoSuchPage } from './refusals.ts'

const FOLDER = programFile('src/pages/assets')
const UPLOT = join(createRequire(import.meta.url).resolve('uplot/package.json'), '../dist')

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The files of src/pages/assets, and uPlot as `uplot.js` (a module with a default export) and `uplot.css`. */
export interface Assets {
  /** Its version is part of it, so that browsers keep the file for good. */
  pathOf(name: string): string
  /** For `/:version/:name`. */
  readonly serve: RequestHandler
}

/** Of a file of src/pages/assets, for a page that carries it. */
export function assetText(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8')
}

/** Reads all files once. */
export function loadAssets(): Assets {
  const own = readdirSync(FOLDER).filter((name) => extname(name) in TYPES)
  const files = new Map<string, Buffer>([
    ...own.map((name) => [name, readFileSync(join(FOLDER, name))] as const),
    ['uplot.js', Buffer.from(`${readFileSync(join(UPLOT, 'uPlot.iife.min.js'), 'utf8')}\nexport default uPlot\n`)],
    ['uplot.css', readFileSync(join(UPLOT, 'uPlot.min.css'))],
  ])
  const version = versionOf(files)
  const packed = new Map([...files].map(([name, file]) => [name, gzipSync(file)]))
  return {
    pathOf(name) {
      if (!files.has(name)) throw new Error(`there is no asset ${name}`)
      return `/ui/assets/${version}/${name}`
    },
    serve(request, response) {
      const name = String(request.params.name)
      const file = files.get(name)
      if (file === undefined) throw new NoSuchPage()
      // Another version is asked for by a page from before an update: it gets the current file, and keeps nothing.
      const isCurrent = request.params.version === version
      response.setHeader('cache-control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-store')
      response.setHeader('content-type', TYPES[extname(name)] as string)
      // Public files alone: a page with a secret in it must not be compressed together with what was typed.
      const isPacked = request.acceptsEncodings('gzip') === 'gzip'
      response.setHeader('vary', 'accept-encoding')
      if (isPacked) response.setHeader('content-encoding', 'gzip')
      response.end(request.method === 'HEAD' ? undefined : isPacked ? packed.get(name) : file)
    },
  }
}

function versionOf(files: ReadonlyMap<string, Buffer>): string {
  const hash = createHash('sha256')
  for (const [name, content] of files) hash.update(`${name} ${content.length}\n`).update(content)
  return hash.digest('hex').slice(0, 16)
}
