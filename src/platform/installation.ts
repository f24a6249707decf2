import { accessSync, constants, existsSync, realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { IS_PACKAGE, ROOT } from './program-files.ts'

/** Where systemd/install.sh puts the program, below its --root. */
export const PROGRAM = '/opt/portaria'
const SITE = '/etc/portaria/portaria.yaml'

export interface Surroundings {
  readonly root: string
  /** Folder in which commands are typed; null: it is removed. */
  readonly cwd: string | null
  /** PATH. */
  readonly path: string
}

/** The configuration of an installation by a package or systemd/install.sh, else that of the clone. */
export function defaultConfigFile(root = ROOT, isPackage = IS_PACKAGE): string {
  if (isPackage) return SITE
  const prefix = root.endsWith(PROGRAM) ? root.slice(0, -PROGRAM.length) : null
  // A clone may happen to be in such a folder below another one.
  if (prefix === '' || (prefix !== null && existsSync(join(prefix, SITE)))) return join(prefix, SITE)
  return join(root, 'config/development.yaml')
}

/** What starts this program when it is typed here: texts that name a command begin with it. */
export function commandIn({ root, cwd, path }: Surroundings): string {
  const own = join(root, 'bin/portaria')
  if (firstOnPath(path) === own) return 'portaria'
  // Never by npx: without --no it may ask the registry for a package of this name.
  if (cwd === root) return 'bin/portaria'
  return /^[\w./@+-]+$/.test(own) ? own : `'${own.replaceAll("'", "'\\''")}'`
}

/** npm puts such folders in front, which no terminal has. */
const OF_NPM = /[/\\]node_modules[/\\]\.bin$|[/\\]node-gyp-bin$/

function firstOnPath(path: string): string | null {
  for (const folder of path.split(delimiter).filter((one) => one !== '' && !OF_NPM.test(one))) {
    const file = join(folder, 'portaria')
    try {
      accessSync(file, constants.X_OK)
      return realpathSync(file)
    } catch {
      // The next folder may have it.
    }
  }
  return null
}

function currentFolder(): string | null {
  try {
    return process.cwd()
  } catch {
    return null
  }
}

/** `portaria`, `bin/portaria`, or the whole path of the program. */
export const COMMAND = commandIn({ root: ROOT, cwd: currentFolder(), path: process.env.PATH ?? '' })
