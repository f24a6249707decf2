import { dirname, join, relative, resolve } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { ENTRY_MODULES, ROOT } from '../src/platform/program-files.ts'

/** Packages that stay packages: native code, and files that pages send as they are. */
export const PACKAGES_BESIDE = ['better-sqlite3', 'uplot'] as const

/** The simulator as a package of its own. The gateway's bundle has it as a part of `main`. */
export const SIMULATOR_MODULES = { main: 'simulator/src/main.ts' } as const

/**
 * Writes each entry module with all that it imports as one file, named like the entry, and its source map. What the main program imports on demand is
 * in files beside it, so that a command loads only its own code (docs/decisions/28-bundled-packages.md).
 * @returns the packages that are in it, as `node_modules/express`
 */
export async function bundleInto(
  target: string,
  modules: Readonly<Record<string, string>> = ENTRY_MODULES,
): Promise<ReadonlySet<string>> {
  const packages = new Set<string>()
  for (const [name, path] of Object.entries(modules)) {
    const bundle = await rolldown({
      input: { [name]: join(ROOT, path) },
      cwd: ROOT,
      platform: 'node',
      external: (id) => PACKAGES_BESIDE.some((one) => id === one || id.startsWith(`${one}/`)),
      plugins: [requireOfModules],
      logLevel: 'warn',
    })
    const { output } = await bundle.write({
      dir: target,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
      codeSplitting: name === 'main',
      // Names stay, for stack traces. V8 keeps two bytes for each character of a file that is not in Latin-1.
      minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
      charset: 'ascii',
      comments: false,
      sourcemap: true,
      sourcemapExcludeSources: true,
      // As in a clone, wherever this one is.
      sourcemapPathTransform: (source, map) => relative(ROOT, resolve(dirname(map), source)),
    })
    await bundle.close()
    for (const id of output.flatMap((one) => (one.type === 'chunk' ? one.moduleIds : []))) {
      const [path] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(relative(ROOT, id)) ?? []
      if (path !== undefined) packages.add(path)
    }
  }
  return packages
}

/** A clone requires some CommonJS modules by createRequire, which bundlers leave to the running program: here they become part of the bundle. */
const requireOfModules: Plugin = {
  name: 'require-of-modules',
  transform: {
    filter: { id: /\/src\/.*\.ts$/, code: /createRequire/ },
    handler(code) {
      const bound = code.replace('const require = createRequire(import.meta.url)\n', '\n')
      return { code: bound.replaceAll('createRequire(import.meta.url)(', 'require('), map: null }
    },
  },
}
