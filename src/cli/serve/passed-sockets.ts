import type { AnyListener, PassedSockets } from '../../gateway/addresses.ts'
import { PortariaError } from '../../platform/errors.ts'

/** The first passed descriptor, after standard input, output and error (sd_listen_fds(3)). */
const FIRST = 3
const LISTENERS: readonly AnyListener[] = ['callbacks', 'charges', 'api']

/**
 * The sockets that the service manager has opened for this process, by the listener named in `FileDescriptorName=`. Removes
 * the variables from the environment, so that no child takes the sockets for its own.
 * @throws PortariaError `configuration_invalid` for an unknown name, or one that two sockets have
 */
export function takePassedSockets(environment: NodeJS.ProcessEnv, pid: number): PassedSockets {
  const { LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES = '' } = environment
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete environment[name]
  if (LISTEN_PID !== String(pid)) return {}
  const names = LISTEN_FDNAMES.split(':')
  const passed: Partial<Record<AnyListener, number>> = {}
  for (let index = 0; index < Number(LISTEN_FDS); index++) {
    const listener = listenerNamed(names[index] ?? '')
    if (passed[listener] !== undefined)
      throw invalid(`two sockets are named ${listener}: write one ListenStream= into the socket unit of each listener`)
    passed[listener] = FIRST + index
  }
  return passed
}

function listenerNamed(name: string): AnyListener {
  const found = LISTENERS.find((listener) => listener === name)
  if (found !== undefined) return found
  throw invalid(
    `a socket was passed that is named "${name}": write FileDescriptorName=callbacks, charges or api into its unit`,
  )
}

function invalid(message: string): PortariaError {
  return new PortariaError('configuration_invalid', message)
}
