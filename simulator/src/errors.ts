/** Errors that the operator of the simulator can remedy. Any other error is a fault of the simulator. */
export type SimulatorErrorCode =
  /** A file of the folder is missing, unreadable, or does not fit the others. */
  | 'folder_damaged'
  /** A certificate of the folder is out of date. */
  | 'folder_expired'
  /** The folder holds files that the simulator did not make, or is a file itself. */
  | 'folder_occupied'
  /** The folder cannot be read or written. */
  | 'folder_unusable'
  /** simulator.db is no database of a simulator. */
  | 'state_damaged'
  /** The settings file or an option is wrong. */
  | 'settings_invalid'
  /** A port is used by another program. */
  | 'port_in_use'
  /** The arguments of a control command are wrong. */
  | 'request_invalid'
  /** No simulator answers. */
  | 'not_running'
  /** The simulator refused a control request. */
  | 'refused'

/** The message says what is wrong and what to do. It never contains a secret or a key. */
export class SimulatorError extends Error {
  readonly code: SimulatorErrorCode

  constructor(code: SimulatorErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SimulatorError'
    this.code = code
  }
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The code of an error of Node (`ENOENT`, `EADDRINUSE`); undefined for others. */
export function systemCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
