import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { Closing } from './close.ts'

const HINT = 'the start failed for another reason, which follows: correct that; the end of this process frees the rest'

/** Closes what a start had opened before it failed. A failure to close is logged, so that the caller can rethrow the reason of the failed start. */
export async function closeAfterFailedStart(closing: Closing, log: Log): Promise<void> {
  try {
    await closing.close()
  } catch (error) {
    log.error({ error: messageOf(error), hint: HINT }, 'gateway.not_closed')
  }
}
