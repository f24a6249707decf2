import { spawnSync } from 'node:child_process'

/** Looks for the modules without loading them, which takes a second for some. */
const HAS_MODULES = 'import sys; from importlib.util import find_spec; sys.exit(not all(map(find_spec, sys.argv[1:])))'

/** A Python that has all of these modules; null: there is none. Debian's packages are for its own Python alone. */
export function pythonWith(...modules: readonly string[]): string | null {
  return found(['/usr/bin/python3', 'python3'], ['-c', HAS_MODULES, ...modules])
}

/** null: this machine has no Go. */
export function goProgram(): string | null {
  return found(['go'], ['version'])
}

function found(programs: readonly string[], args: readonly string[]): string | null {
  return programs.find((program) => spawnSync(program, args).status === 0) ?? null
}
