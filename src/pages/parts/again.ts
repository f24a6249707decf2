import { EVENTS_OF_REPLAY } from '../../domain/replay.ts'

/** Events that are sent again at once: by a replay, or one after the other. */
export const MOST_AGAIN = { replay: EVENTS_OF_REPLAY, events: 100 } as const
